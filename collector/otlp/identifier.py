"""Trace and span ids: from bytes or text to lower-case hex, or the reason why not."""

from __future__ import annotations

import base64
import binascii
from typing import Any

TRACE_BYTES = 16
SPAN_BYTES = 8
_ZEROS = frozenset({bytes(TRACE_BYTES), bytes(SPAN_BYTES)})


class InvalidIdError(ValueError):
    """The id can't be used; the message says what was read and what was expected."""


def from_bytes(raw: bytes, length: int, field: str) -> str:
    """Return the id in hex. Raises `InvalidIdError` for another length or all zeros."""
    if len(raw) != length:
        raise InvalidIdError(f"{field} has {len(raw)} bytes, expected {length}")
    if raw in _ZEROS:
        raise InvalidIdError(f"{field} is all zeros")
    return raw.hex()


def from_text(value: Any, length: int, field: str) -> str:
    """Return the id in lower-case hex, from hex of any case or from base64.

    OTLP/JSON says hex, but senders that print protobuf as plain proto3 JSON write base64. The two
    can't be mixed up: neither 8 nor 16 bytes have the same length in both.
    """
    if not isinstance(value, str):
        kind = "absent" if value is None else f"a JSON {type(value).__name__}"
        raise InvalidIdError(f"{field} is {kind}, expected {2 * length} hex digits")
    text = value.strip()
    try:
        if len(text) == 2 * length:
            return from_bytes(bytes.fromhex(text), length, field)
        if len(text.rstrip("=")) == (8 * length + 5) // 6:
            padded = text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4)
            return from_bytes(base64.b64decode(padded, validate=True), length, field)
    except InvalidIdError:
        raise
    except (ValueError, binascii.Error):
        pass
    shown = text if len(text) <= 40 else text[:40] + "…"
    raise InvalidIdError(f"{field} is {shown!r}, expected {2 * length} hex digits")


def optional_bytes(raw: bytes, length: int) -> str:
    """Return the id in hex, or "" where there is none or it is of no use."""
    return raw.hex() if len(raw) == length and raw not in _ZEROS else ""


def optional_text(value: Any, length: int) -> str:
    """Return the id in hex, or "" where there is none or it is of no use."""
    if not value:
        return ""
    try:
        return from_text(value, length, "id")
    except InvalidIdError:
        return ""
