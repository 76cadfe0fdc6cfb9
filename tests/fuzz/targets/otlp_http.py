"""Whatever bytes a connection brings → HTTP answers, and a server that serves the next one."""

import asyncio
import gzip
import re
import socket
import struct
import zlib
from random import Random

import seeds
from collector.receivers.otlp_http import OtlpHttp, OtlpHttpConfig
from exports import Recorder, traces
from request_mutation import RequestMutation

GOOD = traces(2).SerializeToString()
GOOD_HEAD = (b"POST /v1/traces", b"content-type: application/x-protobuf")
HEADS = (
    GOOD_HEAD,
    (b"POST /v1/logs", b"content-type: application/x-protobuf"),
    (b"POST /v1/traces", b"content-type: application/json"),
    (b"POST /v1/logs", b"Content-Type: Application/JSON; charset=utf-8"),
    (b"POST /v1/metrics", b"content-type: application/x-protobuf"),
    (b"GET /v1/traces", b"accept: */*"),
    (b"HEAD /", b"accept: */*"),
    (b"CONNECT a:1", b"proxy-connection: keep-alive"),
    (b"POST //v1/traces?a=%00#b", b"content-type: text/plain"),
)
HEADERS = (
    b"expect: 100-continue",
    b"connection: close",
    b"connection: keep-alive, upgrade",
    b"upgrade: h2c",
    b"http2-settings: AAMAAABkAAQAAP__",
    b"content-length: 0",
    b"content-length: 99999999999999999999",
    b"content-length: -1",
    b"content-length: 5, 6",
    b"transfer-encoding: chunked",
    b"transfer-encoding: gzip, chunked",
    b"content-encoding: br",
    b"content-encoding: gzip, gzip",
    b"content-type: application/json",
    b"host: \xff\x00",
    b"x: " + b"a" * 20_000,
    b" folded",
    b"no colon",
)
CODINGS = {
    b"gzip": gzip.compress,
    b"deflate": zlib.compress,
    b"x-gzip": lambda body: b"".join(
        gzip.compress(body[at : at + 50]) for at in range(0, len(body), 50)
    ),
    b"identity": bytes,
}
# A connection that is reset leaves nothing behind, so that ports never run out.
RESET = struct.pack("ii", 1, 0)
PATIENCE = 10.0  # seconds: far beyond what any answer takes
TURNS = 10  # of the event loop
FAILED = re.compile(rb"HTTP/1\.1 (5\d\d) ")
STATUS = re.compile(rb"HTTP/1\.1 ([2-5]\d\d) ")


class HttpReceiver:
    """An input is what a client writes to a connection before it closes its side."""

    def __init__(self):
        self._bodies = seeds.requests()
        self._body = RequestMutation(self._bodies)
        self._runner = asyncio.Runner()
        self._recorder = Recorder()
        self._port = self._runner.run(self._start())

    async def _start(self):
        # Small limits, so that small inputs reach them too.
        limits = {"max_body_bytes": 1 << 15, "max_inflated_bytes": 1 << 18}
        config = OtlpHttpConfig(endpoint="127.0.0.1:0", **limits)
        self._server = OtlpHttp(config, self._recorder.consume, self._recorder)
        await self._server.start()
        return self._server.port

    def seeds(self):
        yield request(*GOOD_HEAD, body=GOOD)
        yield request(*GOOD_HEAD, body=GOOD) * 3
        yield chunked(*GOOD_HEAD, body=GOOD)
        random = Random(1)
        for body in self._bodies[::4]:
            yield self._request(random, body)

    def mutated(self, data, random):
        """Another request with a changed body, perhaps behind or before what there is."""
        _, found, body = data.partition(b"\r\n\r\n")
        changed = self._body(body, random) if found else None
        made = self._request(random, changed or random.choice(self._bodies))
        return random.choice((made, made, data + made, made[: random.randint(1, len(made))] + data))

    def _request(self, random, body):
        line, kind = random.choice(HEADS if random.random() < 0.3 else HEADS[:4])
        headers = random.sample(HEADERS, random.choice((0, 0, 0, 1, 1, 2)))
        if random.random() < 0.5:
            coding, compress = random.choice(list(CODINGS.items()))
            body = compress(body)
            headers.append(b"content-encoding: " + coding)
        if random.random() < 0.1:
            body = body[: random.randint(0, len(body))] + random.randbytes(3)
        write = chunked if random.random() < 0.3 else request
        return write(line, kind, *headers, body=body)

    def check(self, data):
        self._recorder.__init__()
        answers = self._runner.run(self._exchange(data))
        assert not FAILED.findall(answers), answers[:200]
        refused = sum(self._recorder.refused_by.values())
        assert not [key for key in self._recorder.refused_by if key[2] == "internal"]
        errors = [status for status in STATUS.findall(answers) if status >= b"300"]
        assert refused >= len(errors), (refused, answers[:300])
        last = request(*GOOD_HEAD, b"connection: close", body=GOOD)
        good = self._runner.run(self._exchange(last, waits=True))
        assert good.startswith(b"HTTP/1.1 200 "), good[:200]

    async def _exchange(self, data, *, waits=False):
        """Return what is answered. Who waits leaves it to the server to close the connection."""
        loop = asyncio.get_running_loop()
        with socket.socket() as client:
            client.setblocking(False)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            async with asyncio.timeout(PATIENCE):
                await loop.sock_connect(client, ("127.0.0.1", self._port))
                answers = []
                try:
                    for piece in pieces(data):
                        await loop.sock_sendall(client, piece)
                        await asyncio.sleep(0)
                    if not waits:  # or only for what is answered at once
                        for _ in range(TURNS):
                            await asyncio.sleep(0)
                        client.shutdown(socket.SHUT_WR)
                    while answer := await loop.sock_recv(client, 1 << 16):
                        answers.append(answer)
                except OSError:  # the server has said what it had to say
                    pass
        return b"".join(answers)


def request(line, *headers, body):
    length = b"content-length: %d" % len(body)
    return b"\r\n".join((line + b" HTTP/1.1", b"host: a", *headers, length, b"", body))


def chunked(line, *headers, body):
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(c), c) for c in pieces(body) if c) + b"0\r\n\r\n"
    head = (line + b" HTTP/1.1", b"host: a", *headers, b"transfer-encoding: chunked", b"", b"")
    return b"\r\n".join(head) + chunks


def pieces(data):
    """Yield data in some pieces, always the same."""
    random = Random(zlib.crc32(data))
    cuts = sorted(random.randint(0, len(data)) for _ in range(random.randrange(4)))
    for at, to in zip([0, *cuts], [*cuts, len(data)], strict=True):
        yield data[at:to]
