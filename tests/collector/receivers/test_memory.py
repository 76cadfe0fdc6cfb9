"""A small request must not make a big process."""

import contextlib
import gzip
import io
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import httpx
import pytest

from exports import traces

ROOT = Path(__file__).parents[3]
HEADERS = {"content-type": "application/x-protobuf"}
GIB = 1 << 30


@contextlib.contextmanager
def serving(transport):
    """A running receiver: its port, and a function that returns its peak memory in MiB."""
    script = Path(__file__).with_name("serve.py")
    with subprocess.Popen(
        [sys.executable, script, transport],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        port = int(process.stdout.readline())

        def peak():
            process.stdin.write("\n")
            process.stdin.flush()
            return int(process.stdout.readline()) / 1024  # Linux counts in KiB

        try:
            yield port, peak
        finally:
            process.stdin.close()
            process.wait(30)


@pytest.fixture
def server():
    with serving("http") as (port, peak):
        yield f"http://127.0.0.1:{port}/v1/traces", peak


def send_http(port, body, count):
    with httpx.Client(timeout=60) as client:
        for _ in range(count):
            answer = client.post(
                f"http://127.0.0.1:{port}/v1/traces", content=body, headers=HEADERS
            )
            assert answer.status_code == 200


def send_grpc(port, body, count):
    options = [("grpc.use_local_subchannel_pool", 1)]
    with grpc.insecure_channel(f"127.0.0.1:{port}", options=options) as channel:
        export = channel.unary_unary("/opentelemetry.proto.collector.trace.v1.TraceService/Export")
        for _ in range(count):
            export(body, timeout=60)


@pytest.mark.parametrize("transport", ["http", "grpc"])
def test_four_connections_of_large_batches_take_little(transport):
    """100 spans of 20 KB each, from four exporters that send without a pause."""
    body = traces(100, text="x" * 20_000).SerializeToString()
    send = {"http": send_http, "grpc": send_grpc}[transport]
    with serving(transport) as (port, peak), ThreadPoolExecutor(4) as senders:
        list(senders.map(lambda _: send(port, body, 25), range(4)))
        assert peak() < 150


def bomb(size):
    """A gzip body of zeros, a thousandth of `size`."""
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", compresslevel=9) as stream:
        for _ in range(size >> 20):
            stream.write(bytes(1 << 20))
    return buffer.getvalue()


def test_a_decompression_bomb_is_never_held(server):
    url, peak = server
    good = traces(4).SerializeToString()
    assert httpx.post(url, content=good, headers=HEADERS).status_code == 200
    before = peak()
    body = bomb(GIB)
    headers = HEADERS | {"content-encoding": "gzip"}
    for _ in range(3):
        assert httpx.post(url, content=body, headers=headers, timeout=60).status_code == 413
    # The bound of 200 MiB is that of the public report this comes from (langfuse#16487).
    assert peak() - before < 200
    assert httpx.post(url, content=good, headers=HEADERS).status_code == 200


def test_an_oversize_body_is_never_held(server):
    url, peak = server
    before = peak()

    def endless():
        for _ in range(300):
            yield bytes(1 << 20)

    assert httpx.post(url, content=endless(), headers=HEADERS, timeout=60).status_code == 413
    assert peak() - before < 200
