"""uvicorn's connection, with the bounds on slow and endless senders that it leaves out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, NoReturn

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from collector.errors import Permanent, Retryable
from collector.incoming import EXTENSION, Incoming
from collector.too_much import (
    LARGE_HEAD,
    LONG_TARGET,
    MANY_CONNECTIONS,
    MANY_IN_A_ROW,
    TooMuch,
)

Refused = Callable[[Permanent | Retryable], None]
"""Counts a request of which no application was told, for it never had a whole head."""

# Exporters keep connections open between exports: every 5 s for spans, every 60 s for metrics. A
# server that closes first races with their next request.
IDLE_SECONDS = 75

# A head comes in one packet; a minute of it is an attack, and so are these sizes.
_HEAD_SECONDS = 10.0
_HEAD_BYTES = 32 << 10
_HEADERS = 100
_TARGET_BYTES = 8 << 10

# Each piece of a chunked body costs as much as parsing a hundred bytes. Pieces are small where
# somebody writes line by line, never small and many. What stands around them (their sizes, and
# headers behind the last one) has no end either, is kept by the parser, and is bounded likewise.
_PIECES = 1000
_PIECE_BYTES = 64

# Requests that were sent before the one ahead of them was answered. Exporters never do that.
_PIPELINED = 16

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
    _field_bytes = 0
    _pieces = 0
    _framing = 0
    _answering: RequestResponseCycle | None = None
    _too_much: TooMuch | None = None
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
        self._incoming: Incoming

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
        else:
            self._give_up(MANY_CONNECTIONS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._keep_open()
        self._flowing()
        self._gone()
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
        if self.transport.is_closing():
            return
        self._unset_keepalive_if_required()
        self._framing += len(data)
        try:
            self._parse(data)
        except httptools.HttpParserError:
            if self._too_much is not None:
                self._give_up(self._too_much)
                return
            self._break_off()
            return
        if self._in_head:
            self._head_bytes += len(data)
            if self._head_bytes > _HEAD_BYTES:
                self._give_up(LARGE_HEAD)
        elif self._in_body and self._framing > _HEAD_BYTES + self._pieces * _PIECE_BYTES:
            self._break_off()

    def _give_up(self, found: TooMuch) -> None:
        """Answer without asking an application, and close."""
        if not self.transport.is_closing():
            self.transport.write(found.answer)
            self._hang_up()
            self._refuse(Permanent(found.message, reason=found.reason))

    def _stop(self, found: TooMuch) -> NoReturn:
        """Have the parser end where it is."""
        self._too_much = found
        raise httptools.HttpParserError(found.message)

    def _break_off(self) -> None:
        """Close a connection on which something came that is no HTTP/1.1."""
        # Whoever reads a body sees that it was cut off; nobody reads that of one that must wait.
        if not self._in_body or self.pipeline:
            self._refuse(Permanent("the request is no HTTP/1.1"))
        # A request has one answer, and none is given in the place of another's.
        if self._in_body != self.is_idle and not self.pipeline:
            self.send_400_response("the request is no HTTP/1.1")
        self._hang_up()

    def _hang_up(self) -> None:
        """Close; nobody is there any more for the answer of the request that is under way."""
        self._gone()
        self.transport.close()

    def _gone(self) -> None:
        # uvicorn tells the last request of a connection; with others before it, the one that is
        # being answered would write to what is closed.
        if self._answering is not None and not self._answering.response_complete:
            self._answering.disconnected = True
            self._answering.message_event.set()

    def _refuse(self, error: Permanent | Retryable) -> None:
        if self._refused is not None:
            self._refused(error)

    def _late(self) -> None:
        self._refuse(Retryable("the head came too slowly", reason="slow_head"))
        self._hang_up()

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
        if len(self.pipeline) >= _PIPELINED:
            self._stop(MANY_IN_A_ROW)
        self._in_head = True
        self._head_bytes = self._field_bytes = self._pieces = 0
        self._close_in(_HEAD_SECONDS, self._late)
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """A part of the request target came."""
        super().on_url(url)
        if len(self.url) > _TARGET_BYTES:
            self._stop(LONG_TARGET)

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header came, perhaps behind the body."""
        self._field_bytes += len(name) + len(value)
        if self._field_bytes > _HEAD_BYTES or len(self.headers) >= _HEADERS:
            self._stop(LARGE_HEAD)
        super().on_header(name, value)

    def on_body(self, body: bytes) -> None:
        """A piece of the body came."""
        self._pieces += 1
        self._framing -= len(body)
        if self._pieces > _PIECES and self._incoming.size < self._pieces * _PIECE_BYTES:
            raise httptools.HttpParserError("a body of tiny chunks")
        if not self.cycle.response_complete:
            self._incoming.add(body)

    def on_headers_complete(self) -> None:
        """From here on the reader of the body watches the time."""
        if self.parser.should_upgrade():
            if self.parser.get_method() == b"CONNECT":
                raise httptools.HttpParserError("this is no proxy")
            self._offered = True
            return
        super().on_headers_complete()
        # Not before: a target that can't be read is refused there.
        self._in_head = False
        self._in_body = True
        self._framing = 0
        self._keep_open()
        if not self.pipeline:
            self._answering = self.cycle
        # The application starts with the next turn of the loop.
        self._incoming = Incoming(self.cycle, self.flow)
        self.cycle.scope["extensions"] = {EXTENSION: self._incoming}  # type: ignore[dict-item]

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
        following = self.pipeline[-1][0] if self.pipeline else None
        super().on_response_complete()
        self._answering = following
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
