"""uvicorn's connection, with the bounds on slow and endless senders that it leaves out."""

from __future__ import annotations

import asyncio

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

# Exporters keep connections open between exports: every 5 s for spans, every 60 s for metrics. A
# server that closes first races with their next request.
IDLE_SECONDS = 75

# A head comes in one packet; a minute of it is an attack.
_HEAD_SECONDS = 10.0
_HEAD_BYTES = 64 << 10

# A refused body is read to its end and thrown away, so that its sender gets to see the answer; but
# not for ever.
_DISCARD_SECONDS = 60.0

# Headers of an offer to go on in another protocol.
_OFFER = {b"upgrade", b"connection", b"http2-settings"}


class Connection(HttpToolsProtocol):
    """Closes itself when nothing comes for too long, or too much before a head is complete."""

    _timer: asyncio.TimerHandle | None = None
    _head_bytes = 0
    _in_head = False
    _in_body = False
    _offered = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start waiting for the first request."""
        super().connection_made(transport)
        self._close_in(IDLE_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._keep_open()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what came."""
        self._unset_keepalive_if_required()
        try:
            self._parse(data)
        except httptools.HttpParserError:
            self.send_400_response("the request is no HTTP/1.1")
            return
        if self._in_head:
            self._head_bytes += len(data)
            if self._head_bytes > _HEAD_BYTES and not self.transport.is_closing():
                self.transport.write(
                    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
                    b"connection: close\r\ncontent-length: 0\r\n\r\n"
                )
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
        self._close_in(_HEAD_SECONDS)
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
        if self._in_body:
            self._close_in(_DISCARD_SECONDS)

    def _close_in(self, seconds: float) -> None:
        self._keep_open()
        if not self.transport.is_closing():
            self._timer = self.loop.call_later(seconds, self.transport.close)

    def _keep_open(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
