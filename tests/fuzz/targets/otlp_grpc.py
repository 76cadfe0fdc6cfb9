"""Whatever a message of a gRPC call holds → a status that gRPC knows, and a server that lives."""

import asyncio
import gzip
import socket
import zlib
from contextlib import suppress

import grpc
import grpc.aio

import seeds
from collector.receivers.otlp_grpc import OtlpGrpc, OtlpGrpcConfig
from exports import Recorder, traces
from request_mutation import RequestMutation

GOOD = traces(2).SerializeToString()
EXPORT = "/opentelemetry.proto.collector.{}/Export"
TRACES, LOGS, METRICS = (
    EXPORT.format(name)
    for name in ("trace.v1.TraceService", "logs.v1.LogsService", "metrics.v1.MetricsService")
)
REFUSED = {"INVALID_ARGUMENT", "RESOURCE_EXHAUSTED", "UNIMPLEMENTED"}
PATIENCE = 10.0  # seconds: far beyond what any answer takes
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS = bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])


class GrpcReceiver:
    """An input is a message; one that begins as HTTP/2 does is what a client writes to the port."""

    def __init__(self):
        self._bodies = seeds.requests()
        self._body = RequestMutation(self._bodies)
        self._runner = asyncio.Runner()
        self._recorder = Recorder()
        self._runner.run(self._start())

    async def _start(self):
        # A small limit, so that small inputs reach it too.
        config = OtlpGrpcConfig(endpoint="127.0.0.1:0", max_message_bytes=1 << 15)
        self._server = OtlpGrpc(config, self._recorder.consume, self._recorder)
        await self._server.start()
        self._listening = asyncio.ensure_future(self._server.keep_listening())
        soon = [("grpc.initial_reconnect_backoff_ms", 100), ("grpc.max_reconnect_backoff_ms", 100)]
        self._channel = grpc.aio.insecure_channel(f"127.0.0.1:{self._server.port}", options=soon)

    def seeds(self):
        for number, body in enumerate(self._bodies[::3]):
            yield gzip.compress(body) if number % 2 else body
        yield gzip.compress(bytes(1 << 20))
        yield PREFACE + SETTINGS + call(TRACES, GOOD)
        yield PREFACE + SETTINGS + call(LOGS, gzip.compress(GOOD), flag=1) * 2

    def mutated(self, data, random):
        """The message changed, compressed or not."""
        if data.startswith(PREFACE):
            cut = random.randrange(len(PREFACE), len(data) + 1)
            body = random.choice((GOOD, random.randbytes(40)))
            return data[:cut] + call(random.choice((TRACES, LOGS, METRICS, "/")), body)
        try:
            plain = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
        except (OSError, EOFError, zlib.error):
            plain = random.choice(self._bodies)
        changed = self._body(plain, random)
        if changed is None or random.random() < 0.5:
            return changed
        return gzip.compress(changed) + random.choice((b"", b"", b"\0", gzip.compress(GOOD)))

    def check(self, data):
        self._recorder.__init__()
        self._runner.run(self._check(data))
        assert not [key for key in self._recorder.refused_by if key[2] == "internal"]

    async def _check(self, data):
        if data.startswith(PREFACE):
            await self._write(data)
        else:
            for method in (TRACES, LOGS):
                before = sum(self._recorder.refused_by.values())
                outcome = await self._outcome(method, data)
                assert outcome == "OK" or outcome in REFUSED, outcome
                if outcome != "OK":
                    assert sum(self._recorder.refused_by.values()) > before, outcome
        # One call can make gRPC's server end; that is seen within a second, and mended. What was
        # under way is cancelled, which exporters take for "try again".
        outcome = await self._outcome(TRACES, GOOD)
        if outcome == "CANCELLED":
            outcome = await self._outcome(TRACES, GOOD)
        assert outcome == "OK", outcome

    async def _write(self, data):
        loop = asyncio.get_running_loop()
        with socket.socket() as client:
            client.setblocking(False)
            async with asyncio.timeout(PATIENCE):
                await loop.sock_connect(client, ("127.0.0.1", self._server.port))
                with suppress(OSError):  # the server may have heard enough
                    await loop.sock_sendall(client, data)
                    client.shutdown(socket.SHUT_WR)
                    while await loop.sock_recv(client, 1 << 16):
                        pass

    async def _outcome(self, method, body):
        try:
            call = self._channel.unary_unary(method)
            await call(body, timeout=PATIENCE, wait_for_ready=True)
        except grpc.aio.AioRpcError as error:
            return error.code().name
        return "OK"


def call(method, body, flag=0):
    """Return the frames of one call: its head, each header spelled out, and its message."""
    fields = {
        ":method": "POST",
        ":scheme": "http",
        ":path": method,
        ":authority": "a",
        "content-type": "application/grpc",
        "te": "trailers",
        "grpc-encoding": "gzip" if flag else "identity",
    }
    head = b"".join(
        bytes([0, len(name)]) + name.encode() + bytes([len(value)]) + value.encode()
        for name, value in fields.items()
    )
    message = bytes([flag]) + len(body).to_bytes(4) + body
    return _frame(1, 4, head) + _frame(0, 1, message)


def _frame(kind, flags, payload):
    return len(payload).to_bytes(3) + bytes([kind, flags, 0, 0, 0, 1]) + payload
