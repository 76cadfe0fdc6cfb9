"""One HTTP request: what its head says, and its body read under bounds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from collector.errors import Permanent, Retryable
from collector.in_flight import FIRST_BYTES, Reservation
from collector.incoming import Incoming
from collector.otlp import Encoding, Signal
from collector.otlp.inflate import CODINGS
from collector.receiver import UNSUPPORTED_METRICS

SIGNALS: dict[str, Signal] = {"/v1/traces": "traces", "/v1/logs": "logs"}
ENCODINGS: dict[str, Encoding] = {"application/x-protobuf": "protobuf", "application/json": "json"}
_IDENTITY = "identity"


class DisconnectedError(Retryable):
    """The sender went away in the middle of its request; nobody waits for an answer."""

    def __init__(self) -> None:
        super().__init__("the sender went away", reason="disconnected")


@dataclass(frozen=True, slots=True)
class Head:
    """What path, method and headers say; nothing is refused yet. `peer` is the sender's address."""

    path: str
    method: str
    media_type: str
    coding: str | None
    length: int | None
    expects_continue: bool
    authorization: str = field(repr=False)
    peer: str

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
        if self.coding is not None and self.coding not in CODINGS:
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
    coding = headers.get(b"content-encoding", "").lower()
    return Head(
        path=scope["path"],
        method=scope["method"],
        media_type=headers.get(b"content-type", "").partition(";")[0].strip().lower(),
        coding=None if coding in ("", _IDENTITY) else coding,
        length=int(length) if length.isascii() and length.isdigit() else None,
        expects_continue=headers.get(b"expect", "").lower() == "100-continue",
        authorization=headers.get(b"authorization", ""),
        peer=scope["client"][0] if scope["client"] else "",
    )


async def read(incoming: Incoming, held: Reservation, max_body_bytes: int) -> bytes:
    """Return the body as sent. Raises `Permanent`, `Retryable` or `DisconnectedError`."""
    while True:
        if not await incoming.beyond(held.size):
            raise DisconnectedError
        if incoming.size > max_body_bytes:
            raise _too_large(max_body_bytes)
        if incoming.size > held.size:
            await held.resize(min(incoming.size + FIRST_BYTES, max_body_bytes))
        if incoming.is_whole:
            return incoming.whole()


def _too_large(limit: int) -> Permanent:
    return Permanent(f"the body has more than {limit} bytes", reason="too_large")
