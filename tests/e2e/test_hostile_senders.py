"""Whoever sends slowly, endlessly or nonsense harms nobody else, and nothing of it is logged."""

import asyncio
import http.client
import json
import re
import socket
import time

import grpc
import httpx
import pytest
from test_sidecar import BODY, Sidecar, until

MARK = "zq7marked"
JSON = {"content-type": "application/json"}


def marked(value):
    """Return an OTLP/JSON document with the mark in every text that people or tools wrote."""
    if isinstance(value, dict):
        return {key: marked(part) for key, part in value.items()}
    if isinstance(value, list):
        return [marked(part) for part in value]
    return value.replace(" ", f" {MARK} ") if isinstance(value, str) else value


def post_all(port):
    """Send the mark in every place where HTTP has room for it."""
    document = json.loads(BODY)
    requests = [
        ("POST", "/v1/traces", json.dumps(marked(document)), JSON),
        ("POST", "/v1/traces", json.dumps(document).replace('"', f'"{MARK}', 40), JSON),
        ("POST", "/v1/traces", f'{{"resourceSpans": "{MARK}"}}', JSON),
        ("POST", "/v1/traces", f"{MARK}" * 1000, {"content-type": "application/x-protobuf"}),
        ("POST", "/v1/logs", f'{{"resourceLogs": [{{"{MARK}": 1}}, "{MARK}"]}}', JSON),
        ("POST", f"/v1/{MARK}?{MARK}={MARK}", MARK, JSON),
        ("POST", "/v1/traces", MARK, {"content-type": f"application/{MARK}"}),
        ("POST", "/v1/traces", MARK, JSON | {"content-encoding": MARK}),
        ("POST", "/v1/traces", MARK, JSON | {"content-encoding": "gzip"}),
        (MARK.upper(), "/v1/traces", MARK, {MARK: MARK, "authorization": f"Bearer {MARK}"}),
        ("POST", "/v1/traces", MARK, JSON | {"user-agent": MARK * 5000}),
    ]
    for method, path, body, headers in requests:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        try:
            connection.request(method, path, body, headers)
            connection.getresponse().read()
        except (OSError, http.client.HTTPException):
            pass  # cut off, as it may be
        finally:
            connection.close()


def call_what_is_no_text(port):
    """A method that is no UTF-8, which ends the server of gRPC itself."""

    def header(name, value):
        return b"\0" + b"".join(bytes([len(part)]) + part for part in (name, value))

    def frame(kind, flags, stream, payload):
        return len(payload).to_bytes(3, "big") + bytes([kind, flags, 0, 0, 0, stream]) + payload

    fields = {":method": "POST", ":scheme": "http", ":authority": "x", "te": "trailers"}
    head = header(b":path", f"/{MARK}".encode() + b"\xff") + header(
        b"content-type", b"application/grpc"
    )
    head = b"".join(header(k.encode(), v.encode()) for k, v in fields.items()) + head
    with socket.create_connection(("127.0.0.1", port)) as connection:
        preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, b"")
        connection.sendall(preface + frame(1, 4, 1, head) + frame(0, 1, 1, bytes(5)))
        time.sleep(0.5)


def call_all(port):
    """The same over gRPC."""
    service = "/opentelemetry.proto.collector.{}/Export".format
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        for method in (service("trace.v1.TraceService"), service("metrics.v1"), f"/{MARK}/{MARK}"):
            for metadata in ((), ((MARK, MARK),), (("authorization", f"Bearer {MARK}"),)):
                with pytest.raises(grpc.RpcError):
                    channel.unary_unary(method)(MARK.encode(), metadata=metadata, timeout=10)


def raw(port, data):
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(65536):
            pass


def test_nothing_that_is_sent_is_logged(tmp_path, monkeypatch):
    monkeypatch.setenv("OTEL_LOG_LEVEL", "DEBUG")
    with Sidecar(tmp_path) as sidecar:
        post_all(sidecar.http)
        call_all(sidecar.grpc)
        call_what_is_no_text(sidecar.grpc)
        get = http.client.HTTPConnection("127.0.0.1", sidecar.admin, timeout=10)
        for path in (f"/{MARK}", f"/api/turns?since={MARK}", f"/api/turns?{MARK}=1"):
            get.request("GET", path, headers={MARK: MARK})
            get.getresponse().read()
        get.close()
        for port in (sidecar.http, sidecar.grpc, sidecar.admin):
            raw(port, f"{MARK} {MARK}\r\n{MARK}\r\n\r\n".encode() * 10)
        until(lambda: "tellback_replies_observed_total{" in sidecar.get("/metrics"))
        figures = sidecar.get("/metrics")
        assert sidecar.stop() == 0
    assert MARK not in sidecar.log.read_text()
    refused = re.findall(r"refused_total\{.*\}", figures)
    assert refused
    assert not any(MARK in series for series in refused), "nor is it a label of what was refused"


async def drip(port, data, count, rest):
    """Open connections that send one byte now and then."""
    opened = [await asyncio.open_connection("127.0.0.1", port) for _ in range(count)]
    try:
        for _, writer in opened:
            writer.write(data)
        while not rest.is_set():
            for _, writer in opened:
                writer.write(b"x")
            await asyncio.sleep(0.2)
    finally:
        for _, writer in opened:
            writer.close()


HEAD = b"POST /v1/traces HTTP/1.1\r\nhost: x\r\n"
BIG = HEAD + b"content-type: application/json\r\ncontent-length: 60000000\r\n\r\n{"
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("transport", "data"),
    [("http", b""), ("http", HEAD), ("http", BIG), ("grpc", b""), ("grpc", PREFACE)],
    ids=["nothing", "head", "body", "h2 nothing", "h2 connection"],
)
def test_slow_senders_keep_nobody_out(tmp_path, transport, data):
    with Sidecar(tmp_path) as sidecar:
        port = getattr(sidecar, transport)

        async def run():
            done = asyncio.Event()
            async with asyncio.TaskGroup() as group:
                group.create_task(drip(port, data, 50, done))
                await asyncio.sleep(0.3)
                began = time.monotonic()
                async with httpx.AsyncClient(timeout=20) as client:
                    url = f"http://127.0.0.1:{sidecar.http}/v1/traces"
                    sent = [await client.post(url, content=BODY, headers=JSON) for _ in range(5)]
                done.set()
                return [answer.status_code for answer in sent], time.monotonic() - began

        answers, took = asyncio.run(run())
        assert answers == [200] * 5
        assert took < 20
        assert sidecar.stop() == 0
