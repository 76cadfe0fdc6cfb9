"""Who sent a request, told from its first bytes: a request that is refused need not be decoded."""

from __future__ import annotations

from collector.otlp.wire import varint
from collector.text import from_utf8

# Resource spans (or logs), in them the resource, in that an attribute: each is field 1.
_FIRST = 0x0A
_SERVICE = b"\x0a\x0cservice.name\x12"
_MOST_ATTRIBUTES = 64


def service_of(body: bytes) -> str | None:
    """Return the service that a protobuf request begins with; None where that can't be told from
    the way all SDKs write it."""
    at = 0
    end = len(body)
    for _ in range(2):
        if body[at : at + 1] != bytes((_FIRST,)):
            return None
        size, at = varint(body, at + 1)
        end = min(at + size, end)
    for _ in range(_MOST_ATTRIBUTES):
        if at >= end or body[at] != _FIRST:
            return None
        size, at = varint(body, at + 1)
        if body.startswith(_SERVICE, at):
            return _text(body, at + len(_SERVICE), min(at + size, end))
        at += size
    return None


def _text(body: bytes, at: int, end: int) -> str | None:
    """Read an AnyValue that is a text and stands from its length on up to `end`."""
    _, at = varint(body, at)
    if body[at : at + 1] != bytes((_FIRST,)):
        return None
    size, at = varint(body, at + 1)
    return from_utf8(body[at : at + size]) if at + size <= end else None
