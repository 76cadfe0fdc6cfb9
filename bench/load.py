"""A load generator: threads that send request bodies over connections of their own.

Blocking sockets in threads, because that is what costs least: nearly all of the time goes into
`send` and `recv`, where Python holds no lock.
"""

from __future__ import annotations

import math
import re
import socket
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, field

from body import Body
from isal import igzip

TIMEOUT = 60.0  # seconds without any answer: the request counts as not answered
UNANSWERED = 0
REFUSALS = (429, 503)
LENGTH = re.compile(rb"(?i)\r\ncontent-length: *(\d+)")
CLOSE = re.compile(rb"(?i)\r\nconnection: *close")
RETRY_AFTER = re.compile(rb"(?i)\r\nretry-after: *(\d+)")
Take = Callable[[], Body]


@dataclass(frozen=True)
class Answer:
    """What came of one request. `retry_after` is None where the answer names no time."""

    status: int
    retry_after: float | None
    began: float  # on the monotonic clock
    ended: float
    body: Body


@dataclass
class Answers:
    """All that was answered; filled by several threads."""

    every: list[Answer] = field(default_factory=list)

    @property
    def accepted(self) -> list[Answer]:
        """Those that were acknowledged."""
        return [answer for answer in self.every if answer.status == 200]

    @property
    def refused(self) -> list[Answer]:
        """Those that were refused as the protocol asks for."""
        return [
            answer
            for answer in self.every
            if answer.status in REFUSALS and answer.retry_after is not None
        ]

    @property
    def wrong(self) -> int:
        """Requests with another answer, or with none."""
        return len(self.every) - len(self.accepted) - len(self.refused)

    @property
    def spans(self) -> int:
        """Spans that were acknowledged."""
        return sum(answer.body.template.spans for answer in self.accepted)

    @property
    def traces(self) -> int:
        """Traces that were acknowledged."""
        return sum(answer.body.template.traces for answer in self.accepted)


class HttpSender:
    """One connection over HTTP/1.1, on a bare socket: a client library would cost more than the
    rest of the generator."""

    def __init__(self, port: int, *, zipped: bool = False) -> None:
        self._port = port
        self._zipped = zipped
        self._socket: socket.socket | None = None
        coding = "Content-Encoding: gzip\r\n" if zipped else ""
        self._head = (
            f"POST /v1/traces HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{coding}"
            "Content-Type: application/x-protobuf\r\nContent-Length: "
        ).encode()

    def send(self, body: Body) -> Answer:
        """Send one request and wait for its answer."""
        content = body.content()
        if self._zipped:
            content = igzip.compress(content)
        began = time.monotonic()
        try:
            status, wait = self._exchange(content)
        except OSError:
            self.close()
            status, wait = UNANSWERED, None
        return Answer(status, wait, began, time.monotonic(), body)

    def close(self) -> None:
        """Hang up."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _exchange(self, content: bytes | bytearray) -> tuple[int, float | None]:
        if self._socket is None:
            self._socket = socket.create_connection(("127.0.0.1", self._port), TIMEOUT)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # A server may answer before it has read everything, and hang up: its answer is read.
        with suppress(ConnectionError):
            self._socket.sendall(self._head + b"%d\r\n\r\n" % len(content))
            self._socket.sendall(content)
        head, rest = b"", b""
        while not (found := head.partition(b"\r\n\r\n"))[1]:
            head += self._receive(self._socket)
        head, _, rest = found
        length = LENGTH.search(head)
        if length is None or CLOSE.search(head):
            self.close()
        else:
            while len(rest) < int(length[1]):
                rest += self._receive(self._socket)
        after = RETRY_AFTER.search(head)
        return int(head.split(None, 2)[1]), None if after is None else float(after[1])

    @staticmethod
    def _receive(connection: socket.socket) -> bytes:
        piece = connection.recv(65536)
        if not piece:
            raise ConnectionError("the server hung up")
        return piece


class GrpcSender:
    """One connection over gRPC; the answer is given as the HTTP status of the same meaning."""

    def __init__(self, port: int) -> None:
        import grpc  # noqa: PLC0415 - it starts threads

        options = [("grpc.use_local_subchannel_pool", 1)]  # a connection for each sender
        self._channel = grpc.insecure_channel(f"127.0.0.1:{port}", options)
        self._export = self._channel.unary_unary(
            "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
        )
        self._error = grpc.RpcError
        self._busy = (grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNAVAILABLE)

    def send(self, body: Body) -> Answer:
        """Send one request and wait for its answer."""
        began = time.monotonic()
        status, after = 200, None
        try:
            self._export(bytes(body.content()), timeout=TIMEOUT)
        except self._error as error:
            busy = error.code() in self._busy
            status, after = (503, 1.0) if busy else (UNANSWERED, None)
        return Answer(status, after, began, time.monotonic(), body)

    def close(self) -> None:
        """Hang up."""
        self._channel.close()


Open = Callable[[], HttpSender | GrpcSender]


def send_all(
    open_: Open,
    take: Take,
    *,
    connections: int,
    requests: int = sys.maxsize,
    seconds: float = math.inf,
) -> Answers:
    """Send as exporters do: each request again, after the time the server names, until it is
    accepted. Ends after so many requests, or so much time."""
    found = Answers()
    left = iter(range(requests))
    until = time.monotonic() + seconds

    def work() -> None:
        with closing(open_()) as sender:
            while next(left, None) is not None and time.monotonic() < until:
                body = take()
                while time.monotonic() < until:
                    answer = sender.send(body)
                    found.every.append(answer)
                    if answer.status == 200:
                        break
                    if answer.status not in REFUSALS:
                        raise RuntimeError(f"expected status 200, 429 or 503, read {answer.status}")
                    time.sleep(1.0 if answer.retry_after is None else answer.retry_after)

    _in_threads(work, connections)
    return found


def send_paced(
    open_: Open, take: Take, *, per_second: float, seconds: float, connections: int
) -> Answers:
    """Offer so many requests a second, whatever becomes of them; none is sent again.

    A connection that still waits for an answer when its next request is due sends it right after:
    what was really offered is the number of answers.
    """
    found = Answers()
    lock = threading.Lock()
    began = time.monotonic()
    due = began

    def work() -> None:
        nonlocal due
        with closing(open_()) as sender:
            while True:
                with lock:
                    at, due = due, max(due + 1 / per_second, time.monotonic() - 1.0)
                if max(at, time.monotonic()) >= began + seconds:
                    break
                time.sleep(max(0.0, at - time.monotonic()))
                found.every.append(sender.send(take()))

    _in_threads(work, connections)
    return found


def _in_threads(work: Callable[[], None], count: int) -> None:
    with ThreadPoolExecutor(count) as pool:
        for done in [pool.submit(work) for _ in range(count)]:
            done.result()
