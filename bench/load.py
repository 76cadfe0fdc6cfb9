"""A load generator: threads that send request bodies over connections of their own.

Blocking sockets in threads, because that is what costs least: nearly all of the time goes into
`send` and `recv`, where Python holds no lock.
"""

from __future__ import annotations

import http.client
import math
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from body import Body
from isal import igzip

TIMEOUT = 60.0  # seconds without any answer: the request counts as not answered
UNANSWERED = 0
REFUSALS = (429, 503)
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
        return sum(answer.body.spans for answer in self.accepted)

    @property
    def traces(self) -> int:
        """Traces that were acknowledged."""
        return sum(len(answer.body.trace_ids) for answer in self.accepted)


class HttpSender:
    """One connection over HTTP."""

    def __init__(self, port: int, *, zipped: bool = False) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
        self._headers = {"Content-Type": "application/x-protobuf"}
        self._zipped = zipped
        if zipped:
            self._headers["Content-Encoding"] = "gzip"

    def send(self, body: Body) -> Answer:
        """Send one request and wait for its answer."""
        content = igzip.compress(bytes(body.content)) if self._zipped else body.content
        began = time.monotonic()
        try:
            try:
                self._connection.request("POST", "/v1/traces", content, self._headers)
            except OSError:
                # A server may answer before it has read everything, and hang up: look for it.
                if self._connection.sock is None:
                    raise
            response = self._connection.getresponse()
            response.read()
        except (OSError, http.client.HTTPException):
            self._connection.close()
            return Answer(UNANSWERED, None, began, time.monotonic(), body)
        after = response.headers.get("Retry-After")
        wait = None if after is None else float(after)
        return Answer(response.status, wait, began, time.monotonic(), body)

    def close(self) -> None:
        """Hang up."""
        self._connection.close()


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
            self._export(bytes(body.content), timeout=TIMEOUT)
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
        sender = open_()
        while next(left, None) is not None and time.monotonic() < until:
            body = take()
            while time.monotonic() < until:
                answer = sender.send(body)
                found.every.append(answer)
                if answer.status == 200:
                    break
                if answer.status not in REFUSALS:
                    raise RuntimeError(f"expected status 200, 429 or 503, read {answer.status}")
                time.sleep(answer.retry_after or 1.0)
        sender.close()

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
        sender = open_()
        while True:
            with lock:
                at, due = due, max(due + 1 / per_second, time.monotonic() - 1.0)
            if max(at, time.monotonic()) >= began + seconds:
                break
            time.sleep(max(0.0, at - time.monotonic()))
            found.every.append(sender.send(take()))
        sender.close()

    _in_threads(work, connections)
    return found


def _in_threads(work: Callable[[], None], count: int) -> None:
    with ThreadPoolExecutor(count) as pool:
        for done in [pool.submit(work) for _ in range(count)]:
            done.result()
