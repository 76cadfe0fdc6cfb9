"""What gRPC refuses by itself is counted too, and an address in use is one sentence."""

import asyncio
import os
import socket
import subprocess
import sys
from pathlib import Path

import grpc.aio
import pytest

from collector import in_flight
from collector.receivers.otlp_grpc import OtlpGrpc, OtlpGrpcConfig, channel
from exports import Recorder, serving, traces

ROOT = Path(__file__).parents[3]
SERVICES = "/opentelemetry.proto.collector"
METRICS = f"{SERVICES}.metrics.v1.MetricsService/Export"
TRACES = f"{SERVICES}.trace.v1.TraceService/Export"


@pytest.mark.parametrize(
    ("method", "counted", "said"),
    [
        (METRICS, ("metrics", "unsupported_signal"), "OTEL_METRICS_EXPORTER=none"),
        (f"{SERVICES}.trace.v1.TraceService/Import", ("unknown", "unknown_method"), "there is no"),
        ("/grpc.health.v1.Health/Check", ("unknown", "unknown_method"), "there is no"),
    ],
)
def test_a_method_that_is_not_served_is_refused_and_counted(method, counted, said):
    recorder = Recorder()

    async def run():
        config = OtlpGrpcConfig(endpoint="127.0.0.1:0")
        async with (
            serving(OtlpGrpc, config, recorder) as server,
            grpc.aio.insecure_channel(f"127.0.0.1:{server.port}") as channel,
        ):
            with pytest.raises(grpc.aio.AioRpcError) as refusal:
                await channel.unary_unary(method)(b"\x0a\x00", timeout=10)
            # And what is served goes on being served.
            await channel.unary_unary(TRACES)(traces(2).SerializeToString(), timeout=10)
            return refusal.value

    refusal = asyncio.run(run())
    assert refusal.code() is grpc.StatusCode.UNIMPLEMENTED
    assert said in refusal.details()
    assert dict(recorder.refused_by) == {("otlp_grpc", *counted): 1}
    assert recorder.accepted_by["otlp_grpc", "traces"] == 2


def hostile(scenario, monkeypatch=None, **options):
    """Run `scenario(port)` against a receiver, and send it a good request afterwards."""
    if options:
        merged = dict(channel._OPTIONS) | options
        monkeypatch.setattr(channel, "_OPTIONS", tuple(merged.items()))
    recorder = Recorder()

    async def run():
        config = OtlpGrpcConfig(endpoint="127.0.0.1:0")
        async with serving(OtlpGrpc, config, recorder) as server:
            found = await scenario(server.port)
            async with grpc.aio.insecure_channel(f"127.0.0.1:{server.port}") as good:
                body = traces(2).SerializeToString()
                # Those before may still be on their way out.
                await good.unary_unary(TRACES)(body, timeout=30, wait_for_ready=True)
        return found

    found = asyncio.run(run())
    assert recorder.accepted_by["otlp_grpc", "traces"] == 2
    return found


async def until_closed(port, data=b""):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    try:
        async with asyncio.timeout(30):
            while await reader.read(65536):
                pass
    except ConnectionResetError:
        pass
    writer.close()
    return True


PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])


@pytest.mark.parametrize("said", [b"", b"PRI * HT", PREFACE[:24]])
def test_a_connection_that_never_says_what_it_is_for_is_closed(monkeypatch, said):
    options = {"grpc.server_handshake_timeout_ms": 300, "grpc.http2.settings_timeout": 300}
    closed = hostile(lambda port: until_closed(port, said), monkeypatch, **options)
    assert closed


def test_an_idle_connection_is_closed(monkeypatch):
    options = {"grpc.max_connection_idle_ms": 300, "grpc.max_connection_age_grace_ms": 300}
    closed = hostile(lambda port: until_closed(port, PREFACE), monkeypatch, **options)
    assert closed


@pytest.mark.slow  # gRPC pings every 10 s at most
def test_a_half_open_connection_is_noticed(monkeypatch):
    """It answers no ping: its machine is gone, or its process stopped."""
    options = {"grpc.keepalive_time_ms": 1000, "grpc.keepalive_timeout_ms": 300}
    closed = hostile(lambda port: until_closed(port, PREFACE), monkeypatch, **options)
    assert closed


@pytest.mark.parametrize(
    "garbage",
    [
        b"GET / HTTP/1.1\r\nhost: x\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00",
        PREFACE + bytes(range(256)) * 100,
        PREFACE + b"\xff\xff\xff\x00\x00\x00\x00\x00\x01",  # a frame of 16 MB
    ],
)
def test_garbage_closes_its_connection_only(garbage):
    assert hostile(lambda port: until_closed(port, garbage))


def test_large_metadata_is_refused():
    async def scenario(port):
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as sender:
            with pytest.raises(grpc.aio.AioRpcError) as refusal:
                await sender.unary_unary(TRACES)(b"", metadata=(("x", "y" * 60_000),), timeout=10)
            return refusal.value.code()

    assert hostile(scenario) is grpc.StatusCode.RESOURCE_EXHAUSTED


def test_connections_beyond_the_most_are_not_accepted(monkeypatch):
    monkeypatch.setattr("collector.receiver.MOST_CONNECTIONS", 2)

    async def scenario(port):
        opened = [
            grpc.aio.insecure_channel(
                f"127.0.0.1:{port}", options=[("grpc.use_local_subchannel_pool", 1)]
            )
            for _ in range(3)
        ]
        outcomes = []
        for sender in opened:
            try:
                await sender.unary_unary(TRACES)(b"", timeout=10)
                outcomes.append("OK")
            except grpc.aio.AioRpcError as error:
                outcomes.append(error.code().name)
        for sender in opened:
            await sender.close()
        return outcomes

    assert hostile(scenario) == ["OK", "OK", "UNAVAILABLE"]


def test_streams_that_send_nothing_keep_nobody_out(monkeypatch):
    for name in ("_SLOW_SECONDS", "_CUT_EVERY"):
        monkeypatch.setattr(in_flight, name, 0.05)
    monkeypatch.setattr(in_flight, "_WAIT_SECONDS", 30)

    bound = in_flight.InFlight(64 << 20)

    async def idle_and_good(port):
        good = traces(2).SerializeToString()
        options = [("grpc.use_local_subchannel_pool", 1)]
        async with (
            grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=options) as idle,
            grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=options) as sender,
        ):
            calls = [idle.stream_unary(TRACES)() for _ in range(30)]
            async with asyncio.timeout(30):
                while not bound._waiting:  # noqa: ASYNC110 - until they hold all there is
                    await asyncio.sleep(0.01)
            await sender.unary_unary(TRACES)(good, timeout=30)
            for call in calls:
                call.cancel()

    recorder = Recorder()

    async def run():
        config = OtlpGrpcConfig(endpoint="127.0.0.1:0")
        async with serving(OtlpGrpc, config, recorder, in_flight=bound) as server:
            await idle_and_good(server.port)

    asyncio.run(run())
    assert recorder.accepted_by["otlp_grpc", "traces"] == 2
    assert recorder.refused_by["otlp_grpc", "traces", "slow_body"]


START = """
import asyncio, sys
from collector.errors import ConfigError
from collector import in_flight
from collector.receivers.otlp_grpc import OtlpGrpc, OtlpGrpcConfig, channel
try:
    asyncio.run(OtlpGrpc(OtlpGrpcConfig(endpoint=sys.argv[1]), None, None).start())
except ConfigError as error:
    sys.stderr.write(str(error))
"""


@pytest.mark.parametrize("endpoint", ["127.0.0.1:{}", "no.such.host.invalid:{}"])
def test_an_address_that_cannot_be_had_is_one_sentence(endpoint):
    """In a process of its own: the line beside it would be written by gRPC's C++ part."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = endpoint.format(taken.getsockname()[1])
        ended = subprocess.run(
            [sys.executable, "-c", START, address],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=True,
        )
    (sentence,) = ended.stderr.splitlines()
    assert sentence.startswith(f"receivers.otlp.grpc.endpoint {address}: ")
    assert "GRPC_VERBOSITY" not in sentence
