"""The admin endpoints as an ASGI application: metrics, probes, stored turns, a page of links."""

from __future__ import annotations

import asyncio
import gzip
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from contextlib import AsyncExitStack, suppress
from typing import Any, Protocol
from urllib.parse import parse_qsl

from collector.admin import turns_page
from collector.admin.guard import Guard
from collector.admin.response import HTML, JSON, Response, as_json, plain
from collector.errors import ConfigError, Permanent, Retryable, where

logger = logging.getLogger(__name__)

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Checks = Callable[[], Mapping[str, str | None]]
"""Says by name what is ready (None) and what is not (why, in a sentence)."""


Inspect = Callable[[], Mapping[str, Any]]
"""Says what the telemetry that came in lets the process see, as JSON values. May block."""


class Metrics(Protocol):
    """Where metrics are read: the aggregate."""

    def render(self, accept: str = "") -> tuple[bytes, str]:
        """Return the exposition and its content type for an Accept header. May block."""


# Requests that wait for others to be answered. Probes never wait.
MOST_WAITING = 64

# Whoever takes longer for an answer keeps others from theirs.
SEND_SECONDS = 30.0
# What is written of an answer before its reader took what came before.
PIECE_BYTES = 64 << 10

# Answered to everybody: whoever asks for them has no token, and learns no more than that we live.
_PROBES = ("/healthz", "/readyz")

PAGE = """\
<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Tellback</title>
<h1>Tellback</h1>
<p>{status}</p>
<ul>
<li><a href="/metrics">/metrics</a>: everything that is counted</li>
<li><a href="/api/turns?limit=20">/api/turns</a>: the last turns, with what was measured</li>
<li><a href="/api/inspect">/api/inspect</a>: what the telemetry shows, and what to switch on</li>
<li><a href="/healthz">/healthz</a>, <a href="/readyz">/readyz</a>: probes</li>
</ul>
</html>
"""


class Application:
    """Answers GET and HEAD. What takes time runs in a thread, never on the event loop."""

    def __init__(
        self,
        metrics: Metrics,
        turns: turns_page.Turns | None,
        *,
        checks: Checks,
        guard: Guard,
        inspect: Inspect | None = None,
        clock: Callable[[], int] = time.time_ns,
    ) -> None:
        self._metrics = metrics
        self._guard = guard
        self._checks = checks
        self._turns = turns
        self._inspect = inspect
        self._clock = clock
        # A scrape of a large process takes a second of a core; more at once help nobody.
        self._rendering = asyncio.Semaphore(1)
        self._reading = asyncio.Semaphore(4)
        self._waiting = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        async with AsyncExitStack() as until_sent:
            try:
                response = await self._answer(scope, until_sent)
            except Exception as error:  # noqa: BLE001 - whatever a request does, the server lives
                logger.error("answering a request failed: %s", where(error))
                response = plain(500, "internal error; see the log")
            body = b"" if scope["method"] == "HEAD" else response.body
            head = {
                "type": "http.response.start",
                "status": response.status,
                "headers": response.all_headers(),
            }
            with suppress(TimeoutError):  # the server closes what is not complete
                async with asyncio.timeout(SEND_SECONDS):
                    await send(head)
                    await _send_body(send, body)

    async def _answer(self, scope: Scope, until_sent: AsyncExitStack) -> Response:
        path, headers = scope["path"], dict(scope["headers"])
        if path not in _PROBES:
            refusal = self._guard.refusal(headers, texts=path.startswith("/api/"))
            if refusal is not None:
                return refusal
        routes: dict[str, Callable[[], Awaitable[Response]]] = {
            "/metrics": lambda: self._in_turn(lambda: self._exposition(headers)),
            "/healthz": self._health,
            "/readyz": self._ready,
            "/api/turns": lambda: self._in_turn(
                lambda: self._api_turns(scope["query_string"], until_sent)
            ),
            "/api/inspect": lambda: self._in_turn(self._api_inspect),
            "/": self._page,
        }
        if path not in routes:
            return plain(404, f"nothing here; there is {', '.join(sorted(routes))}")
        if scope["method"] not in ("GET", "HEAD"):
            return plain(405, "expected GET or HEAD", allow="GET, HEAD")
        return await routes[path]()

    async def _in_turn(self, answer: Callable[[], Awaitable[Response]]) -> Response:
        if self._waiting >= MOST_WAITING:
            return plain(503, "too many requests wait to be answered", retry_after="1")
        self._waiting += 1
        try:
            return await answer()
        finally:
            self._waiting -= 1

    async def _exposition(self, headers: dict[bytes, bytes]) -> Response:
        accept = headers.get(b"accept", b"").decode("latin-1")
        async with self._rendering:
            body, kind = await asyncio.to_thread(self._metrics.render, accept)
            if b"gzip" in headers.get(b"accept-encoding", b""):
                body = await asyncio.to_thread(gzip.compress, body, 1)
                encoding = ((b"content-encoding", b"gzip"), (b"vary", b"accept, accept-encoding"))
                return Response(200, body, kind, encoding)
        return Response(200, body, kind, ((b"vary", b"accept, accept-encoding"),))

    async def _health(self) -> Response:
        return plain(200, "ok")

    async def _ready(self) -> Response:
        reasons = await asyncio.to_thread(self._reasons)
        ready = not any(reasons.values())
        checks = {
            name: {"ok": reason is None, "reason": reason} for name, reason in reasons.items()
        }
        return as_json(200 if ready else 503, {"ready": ready, "checks": checks})

    def _reasons(self) -> dict[str, str | None]:
        try:
            return dict(self._checks())
        except Exception as error:  # noqa: BLE001 - as above
            logger.error("checking readiness failed: %s", where(error))
            return {"checks": "checking failed; see the log"}

    async def _api_turns(self, query: bytes, until_sent: AsyncExitStack) -> Response:
        turns = self._turns
        if turns is None:
            return plain(404, "this process keeps no turns")
        try:
            fields = dict(parse_qsl(query.decode("latin-1"), max_num_fields=20))
            asked = turns_page.wanted(fields, now_ns=self._clock())
        except ValueError as error:
            return as_json(400, {"error": str(error)})
        try:
            # Until its reader has taken it: pages of those who read slowly would fill memory.
            await until_sent.enter_async_context(self._reading)
            body = await asyncio.to_thread(turns_page.page, turns, asked)
        except (ConfigError, Permanent, Retryable) as error:
            return as_json(503, {"error": str(error)})
        return Response(200, body, JSON)

    async def _api_inspect(self) -> Response:
        inspect = self._inspect
        if inspect is None:
            return plain(404, "this process inspects nothing")
        async with self._rendering:
            return await asyncio.to_thread(lambda: as_json(200, inspect()))

    async def _page(self) -> Response:
        reasons = await asyncio.to_thread(self._reasons)
        waiting = [f"{name}: {reason}" for name, reason in reasons.items() if reason]
        status = f"Not ready. {'; '.join(waiting)}" if waiting else "Ready."
        import html  # noqa: PLC0415 - its table of entities is for who looks at the page

        return Response(200, PAGE.format(status=html.escape(status)).encode(), HTML)


async def _send_body(send: Send, body: bytes) -> None:
    for at in range(0, max(len(body), 1), PIECE_BYTES):
        piece, end = body[at : at + PIECE_BYTES], at + PIECE_BYTES
        await send({"type": "http.response.body", "body": piece, "more_body": end < len(body)})
