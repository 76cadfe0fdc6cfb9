"""uvicorn's connection, with the bounds on slow and endless senders that it leaves out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from collector.errors import Permanent, Retryable

Refused = Callable[[Permanent | Retryable], None]
"""Counts a request of which no application was told, for it never had a whole head."""

# Exporters keep connections open between exports: every 5 s for spans, every 60 s for metrics. A
# server that closes first races with their next request.
IDLE_SECONDS = 75

# A head comes in one packet; a minute of it is an attack.
_HEAD_SECONDS = 10.0
_HEAD_BYTES = 64 << 10

# A refused body is read to its end and thrown away, so that its sender gets to see the answer; but
# not for ever.
_DISCARD_SECONDS = 60.0

# Who takes nothing of an answer for so long will not take the rest.
_STALLED_SECONDS = 60.0

# Headers of an offer to go on in another protocol.
_OFFER = {b"upgrade", b"connection", b"http2-settings"}


class Connection(HttpToolsProtocol):
    """Closes itself when nothing comes for too long, or too much before a head is complete.

    Where `most` connections are open, a new one takes the place of that which has been idle
    longest: so nobody is kept out by those who only hold connections. `args` are uvicorn's.
    """

    _timer: asyncio.TimerHandle | None = None
    _stalled: asyncio.TimerHandle | None = None
    _idle_since = 0.0
    _head_bytes = 0
    _in_head = False
    _in_body = False
    _offered = False

    def __init__(
        self,
        *args: Any,
        most: int | None = None,
        refused: Refused | None = None,
        **named: Any,
    ) -> None:
        super().__init__(*args, **named)
        self._most = most
        self._refused = refused

    @property
    def is_idle(self) -> bool:
        """Whether no request is under way: none came yet, or each was answered."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start waiting for the first request."""
        super().connection_made(transport)
        self._idle_since = self.loop.time()
        self._close_in(IDLE_SECONDS)
        if self._most is not None and len(self.connections) > self._most:
            self._make_room()

    def _make_room(self) -> None:
        others = (other for other in self.connections if isinstance(other, Connection))
        idle = [other for other in others if other.is_idle and other is not self]
        if idle:
            oldest = min(idle, key=lambda other: other._idle_since)  # noqa: SLF001 - one of us
            oldest.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._keep_open()
        self._flowing()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Wait for the other side to take what was written; not for ever."""
        super().pause_writing()
        self._flowing()
        self._stalled = self.loop.call_later(_STALLED_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on writing."""
        self._flowing()
        super().resume_writing()

    def _flowing(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def data_received(self, data: bytes) -> None:
        """Parse what came."""
        self._unset_keepalive_if_required()
        try:
            self._parse(data)
        except httptools.HttpParserError:
            self._break_off()
            return
        if self._in_head:
            self._head_bytes += len(data)
            if self._head_bytes > _HEAD_BYTES and not self.transport.is_closing():
                self.transport.write(
                    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
                    b"connection: close\r\ncontent-length: 0\r\n\r\n"
                )
                self.transport.close()
                self._refuse(Permanent("the head is too large", reason="too_large"))

    def _break_off(self) -> None:
        """Close a connection on which something came that is no HTTP/1.1."""
        # Whoever reads a body sees that it was cut off; nobody reads that of one that must wait.
        if not self._in_body or self.pipeline:
            self._refuse(Permanent("the request is no HTTP/1.1"))
        # A request has one answer, and none is given in the place of another's.
        if self._in_body != self.is_idle and not self.pipeline:
            self.send_400_response("the request is no HTTP/1.1")
        else:
            self.transport.close()

    def _refuse(self, error: Permanent | Retryable) -> None:
        if self._refused is not None:
            self._refused(error)

    def _late(self) -> None:
        self._refuse(Retryable("the head came too slowly", reason="slow_head"))
        self.transport.close()

    def _parse(self, data: bytes) -> None:
        while True:
            try:
                self.parser.feed_data(data)
            except httptools.HttpParserUpgrade as offered:
                # The parser takes what follows for another protocol, and would give us a request
                # without its body. Clients written in Java offer HTTP/2 in this way. An offer
                # that isn't taken up is a plain request: it's parsed again without the offer.
                data = self._plain_head() + data[offered.args[0] :]
                self.parser = httptools.HttpRequestParser(self)
            else:
                return

    def _plain_head(self) -> bytes:
        kept = [(name, value) for name, value in self.headers if name not in _OFFER]
        lines = [b"%s %s HTTP/1.1" % (self.parser.get_method(), self.url)]
        lines += [b"%s: %s" % header for header in kept]
        return b"\r\n".join([*lines, b"", b""])

    def on_message_begin(self) -> None:
        """A request begins: its head must follow soon."""
        self._in_head = True
        self._head_bytes = 0
        self._close_in(_HEAD_SECONDS, self._late)
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """From here on the reader of the body watches the time."""
        if self.parser.should_upgrade():
            if self.parser.get_method() == b"CONNECT":
                raise httptools.HttpParserError("this is no proxy")
            self._offered = True
            return
        self._in_head = False
        self._in_body = True
        self._keep_open()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The request is complete; perhaps it was answered already."""
        if self._offered:
            self._offered = False
            return
        self._in_body = False
        if self.cycle.response_complete:
            self._close_in(IDLE_SECONDS)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """The answer is sent; perhaps the rest of the request is still coming."""
        super().on_response_complete()
        self._idle_since = self.loop.time()
        if self._in_body:
            self._close_in(_DISCARD_SECONDS)

    def _close_in(self, seconds: float, close: Callable[[], None] | None = None) -> None:
        self._keep_open()
        if not self.transport.is_closing():
            self._timer = self.loop.call_later(seconds, close or self.transport.close)

    def _keep_open(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
