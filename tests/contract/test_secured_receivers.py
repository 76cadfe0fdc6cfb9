"""TLS, client certificates and tokens, against real clients of both transports."""

import asyncio
import contextlib
import socket
import ssl

import grpc
import grpc.aio
import httpx
import pytest
import uvloop
from certificates import Authority
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from collector import watched
from collector.receivers.otlp_grpc import OtlpGrpc, OtlpGrpcConfig
from collector.receivers.otlp_http import OtlpHttp, OtlpHttpConfig
from exports import Recorder, serving, traces

BODY = traces(4).SerializeToString()
EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
TOKEN = {"bearer_token": "s3cret"}


class Http:
    """An exporter over HTTP; outcomes are named as gRPC names them."""

    name, receiver, config = "otlp_http", OtlpHttp, OtlpHttpConfig

    @staticmethod
    async def send(port, *, ca=None, own=None, token=None):
        context = ssl.create_default_context(cafile=ca) if ca else True
        if own:
            context.load_cert_chain(*own)
        headers = {"content-type": "application/x-protobuf"}
        if token:
            headers["authorization"] = f"Bearer {token}"
        url = f"{'https' if ca else 'http'}://localhost:{port}/v1/traces"
        async with httpx.AsyncClient(verify=context) as client:
            try:
                answer = await client.post(url, content=BODY, headers=headers)
            except httpx.TransportError:
                return "UNAVAILABLE"
        if answer.status_code == 401:
            assert answer.headers["www-authenticate"].startswith("Bearer ")
        return {200: "OK", 401: "UNAUTHENTICATED"}[answer.status_code]

    @staticmethod
    def exporter(port, ca, token):
        headers = {"authorization": f"Bearer {token}"}
        endpoint = f"https://localhost:{port}/v1/traces"
        return HttpExporter(endpoint, certificate_file=str(ca), headers=headers, timeout=5)


class Grpc:
    """An exporter over gRPC."""

    name, receiver, config = "otlp_grpc", OtlpGrpc, OtlpGrpcConfig

    @staticmethod
    async def send(port, *, ca=None, own=None, token=None):
        options = [("grpc.use_local_subchannel_pool", 1)]
        target = f"localhost:{port}"
        if ca is None:
            channel = grpc.aio.insecure_channel(target, options=options)
        else:
            chain, key = (open_bytes(path) for path in own) if own else (None, None)
            credentials = grpc.ssl_channel_credentials(open_bytes(ca), key, chain)
            channel = grpc.aio.secure_channel(target, credentials, options=options)
        metadata = (("authorization", f"Bearer {token}"),) if token else ()
        async with channel:
            try:
                await channel.unary_unary(EXPORT)(BODY, metadata=metadata, timeout=5)
            except grpc.aio.AioRpcError as error:
                return error.code().name
        return "OK"

    @staticmethod
    def exporter(port, ca, token):
        credentials = grpc.ssl_channel_credentials(open_bytes(ca))
        headers = (("authorization", f"Bearer {token}"),)
        return GrpcExporter(
            f"https://localhost:{port}", credentials=credentials, headers=headers, timeout=5
        )


def open_bytes(path):
    with open(path, "rb") as file:  # noqa: PTH123 - a path or its text
        return file.read()


@pytest.fixture(params=[Http, Grpc], ids=lambda transport: transport.name)
def transport(request):
    return request.param


@pytest.fixture
def authority(tmp_path):
    return Authority(tmp_path)


def run(transport, scenario, **settings):
    """Run `scenario(port, recorder)`; return what it returns and the recorder."""
    recorder = Recorder()

    async def main():
        config = transport.config(endpoint="localhost:0", **settings)
        async with serving(transport.receiver, config, recorder) as server:
            return await scenario(server.port), recorder

    return uvloop.run(main())  # as the process does: its TLS is not that of asyncio


def tls(authority, **more):
    chain, key = authority.issue()
    return {"cert_file": chain, "key_file": key, **more}


def test_tls_is_spoken_and_nothing_else(transport, authority):
    async def scenario(port):
        return [
            await transport.send(port, ca=authority.file),
            await transport.send(port),
            await transport.send(port, ca=authority.file),
        ]

    outcomes, recorder = run(transport, scenario, tls=tls(authority))
    assert outcomes == ["OK", "UNAVAILABLE", "OK"]
    assert recorder.accepted_by == {(transport.name, "traces"): 8}


def test_a_handshake_that_fails_is_counted_over_http(authority):
    def distrust(port):
        context = ssl.create_default_context(cafile=str(Authority(authority.file.parent).file))
        with (
            socket.create_connection(("localhost", port)) as plain,
            pytest.raises(ssl.SSLCertVerificationError),
        ):
            context.wrap_socket(plain, server_hostname="localhost")

    async def scenario(port):
        await Http.send(port)  # no TLS at all
        await asyncio.to_thread(distrust, port)
        assert await Http.send(port, ca=authority.file) == "OK"

    _, recorder = run(Http, scenario, tls=tls(authority))
    assert recorder.refused_by == {("otlp_http", "unknown", "tls_handshake"): 2}


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion")  # that is the point
@pytest.mark.parametrize("version", ["TLSv1_1", "TLSv1"])
def test_old_versions_are_refused(transport, authority, version):
    def handshake(port):
        context = ssl.create_default_context(cafile=str(authority.file))
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
        context.maximum_version = getattr(ssl.TLSVersion, version)
        context.set_alpn_protocols(["h2", "http/1.1"])
        with (
            socket.create_connection(("localhost", port)) as plain,
            pytest.raises(OSError, match=r"alert|reset|EOF|version|protocol"),
            context.wrap_socket(plain, server_hostname="localhost"),
        ):
            pass

    run(transport, lambda port: asyncio.to_thread(handshake, port), tls=tls(authority))


def test_a_client_certificate_is_asked_for_and_must_be_of_our_authority(transport, authority):
    stranger = Authority(authority.file.parent)

    async def scenario(port):
        return [
            await transport.send(port, ca=authority.file, own=authority.issue("client")),
            await transport.send(port, ca=authority.file),
            await transport.send(port, ca=authority.file, own=stranger.issue("stranger")),
        ]

    settings = tls(authority, client_ca_file=str(authority.file))
    outcomes, recorder = run(transport, scenario, tls=settings)
    assert outcomes == ["OK", "UNAVAILABLE", "UNAVAILABLE"]
    assert recorder.accepted_by == {(transport.name, "traces"): 4}


def test_renewed_certificates_are_shown_to_new_connections(transport, authority, monkeypatch):
    monkeypatch.setattr(watched, "_LOOK_EVERY", 0)
    new = Authority(authority.file.parent)

    async def scenario(port):
        before = await transport.send(port, ca=authority.file)
        new.issue()  # in place of the old files, by another authority
        return (
            before,
            await transport.send(port, ca=new.file),
            await transport.send(port, ca=authority.file),
        )

    outcomes, _ = run(transport, scenario, tls=tls(authority))
    assert outcomes == ("OK", "OK", "UNAVAILABLE")


def test_a_token_is_asked_for_and_who_lacks_it_is_counted(transport):
    async def scenario(port):
        return [await transport.send(port, token=token) for token in (None, "wrong", "s3cret")]

    outcomes, recorder = run(transport, scenario, auth=TOKEN)
    assert outcomes == ["UNAUTHENTICATED", "UNAUTHENTICATED", "OK"]
    assert recorder.accepted_by == {(transport.name, "traces"): 4}
    assert recorder.refused_by == {(transport.name, "traces", "unauthenticated"): 2}


def test_without_a_token_no_body_is_read():
    async def scenario(port):
        reader, writer = await asyncio.open_connection("localhost", port)
        writer.write(b"POST /v1/traces HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\n")
        writer.write(b"content-type: application/json\r\ncontent-length: 50000000\r\n\r\n")
        answer = await reader.read()
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
        return answer

    answer, _ = run(Http, scenario, auth=TOKEN)
    assert answer.startswith(b"HTTP/1.1 401 ")


def test_the_exporters_of_opentelemetry_get_through(transport, authority, monkeypatch):
    # Its HTTP client would prefer this to the authority it was given.
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)

    def export(port):
        provider = TracerProvider(shutdown_on_exit=False)
        exporter = transport.exporter(port, authority.file, "s3cret")
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        provider.get_tracer("test").start_span("chat").end()
        provider.shutdown()

    _, recorder = run(
        transport,
        lambda port: asyncio.to_thread(export, port),
        tls=tls(authority),
        auth=TOKEN,
    )
    assert recorder.accepted_by == {(transport.name, "traces"): 1}
