"""One HTTP request: what its head says, and its body read under bounds."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from collector.errors import Permanent, Retryable
from collector.otlp import Encoding, Signal
from collector.otlp.inflate import CODINGS, Inflater
from collector.receiver import UNSUPPORTED_METRICS

Receive = Callable[[], Awaitable[dict[str, Any]]]

SIGNALS: dict[str, Signal] = {"/v1/traces": "traces", "/v1/logs": "logs"}
ENCODINGS: dict[str, Encoding] = {"application/x-protobuf": "protobuf", "application/json": "json"}
_IDENTITY = "identity"

# A sender that pauses longer within a body is gone; the whole bounds one that drips.
_PAUSE_SECONDS = 15.0
_BODY_SECONDS = 300.0


class DisconnectedError(Exception):
    """The sender went away in the middle of its request; nobody waits for an answer."""


class InFlight:
    """Bounds the bytes of all requests that are being read or handled."""

    def __init__(self, limit: int) -> None:
        self._free = limit

    def reserve(self, count: int) -> None:
        """Take bytes. Raises `Retryable` when too many are taken."""
        if count > self._free:
            raise Retryable("too many bytes of requests in flight")
        self._free -= count

    def release(self, count: int) -> None:
        """Give bytes back."""
        self._free += count


@dataclass(frozen=True, slots=True)
class Head:
    """What path, method and headers say; nothing is refused yet."""

    path: str
    method: str
    media_type: str
    coding: str
    length: int | None
    expects_continue: bool

    @property
    def signal(self) -> str:
        """Name of the signal for counting: also metrics and unknown."""
        return SIGNALS.get(self.path) or ("metrics" if self.path == "/v1/metrics" else "unknown")

    @property
    def encoding(self) -> Encoding:
        """Encoding of the answer: that of the request, JSON where it has none of ours."""
        return ENCODINGS.get(self.media_type, "json")

    def check(self, max_body_bytes: int) -> tuple[Signal, Encoding]:
        """Return signal and encoding. Raises `Permanent` before anything of the body is read."""
        if self.path == "/v1/metrics":
            # An answer of OK would hide that nothing comes of them. This is also what an
            # OpenTelemetry Collector without a metrics pipeline answers.
            raise Permanent(UNSUPPORTED_METRICS, reason="unsupported_signal")
        if self.path not in SIGNALS:
            raise Permanent(
                f"there is no {self.path[:80]!r}, expected /v1/traces or /v1/logs",
                reason="unknown_path",
            )
        if self.method != "POST":
            raise Permanent(f"the method is {self.method}, expected POST", reason="method")
        if self.media_type not in ENCODINGS:
            raise Permanent(
                f"the content type is {self.media_type[:80]!r}, expected {' or '.join(ENCODINGS)}",
                reason="unsupported_media_type",
            )
        if self.coding not in CODINGS and self.coding != _IDENTITY:
            raise Permanent(
                f"the content encoding is {self.coding[:80]!r}, expected {', '.join(CODINGS)}"
                f" or {_IDENTITY}",
                reason="unsupported_encoding",
            )
        if self.length is not None and self.length > max_body_bytes:
            raise _too_large(max_body_bytes)
        return SIGNALS[self.path], ENCODINGS[self.media_type]


def head(scope: dict[str, Any]) -> Head:
    """Read an ASGI scope."""
    headers = {name: value.decode("latin-1").strip() for name, value in scope["headers"]}
    length = headers.get(b"content-length", "")
    return Head(
        path=scope["path"],
        method=scope["method"],
        media_type=headers.get(b"content-type", "").partition(";")[0].strip().lower(),
        coding=headers.get(b"content-encoding", "").lower() or _IDENTITY,
        length=int(length) if length.isascii() and length.isdigit() else None,
        expects_continue=headers.get(b"expect", "").lower() == "100-continue",
    )


class BodyReader:
    """Reads one body; `taken` bytes are reserved until somebody releases them."""

    def __init__(self, in_flight: InFlight, max_body_bytes: int, max_inflated_bytes: int) -> None:
        self._in_flight = in_flight
        self._max_body_bytes = max_body_bytes
        self._max_inflated_bytes = max_inflated_bytes
        self.taken = 0

    async def read(self, receive: Receive, coding: str) -> bytes:
        """Return the body, inflated. Raises `Permanent`, `Retryable` or `DisconnectedError`."""
        try:
            async with asyncio.timeout(_BODY_SECONDS):
                return await self._read(receive, coding)
        except TimeoutError:
            raise Retryable("the body came too slowly", reason="slow_body") from None

    async def _read(self, receive: Receive, coding: str) -> bytes:
        limit = self._max_inflated_bytes
        inflater = Inflater(coding, limit) if coding in CODINGS else None
        pieces = []
        arrived = 0
        more = True
        while more:
            async with asyncio.timeout(_PAUSE_SECONDS):
                message = await receive()
            if message["type"] == "http.disconnect":
                raise DisconnectedError
            piece = message["body"]
            more = message["more_body"]
            arrived += len(piece)
            if arrived > self._max_body_bytes:
                raise _too_large(self._max_body_bytes)
            if inflater is not None:
                piece = inflater.feed(piece)
            self._in_flight.reserve(len(piece))
            self.taken += len(piece)
            pieces.append(piece)
        if inflater is not None:
            inflater.finish()
        return b"".join(pieces)

    def release(self) -> None:
        """Give back what the body took."""
        self._in_flight.release(self.taken)
        self.taken = 0


def _too_large(limit: int) -> Permanent:
    return Permanent(f"the body has more than {limit} bytes", reason="too_large")
