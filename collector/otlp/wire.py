"""How many fields a protobuf message has, told from its bytes before anything is built of them."""

from __future__ import annotations

from typing import Final

Shape = dict[int, "Shape"]
"""The numbers of those fields of a message that are messages to be counted too."""

# A field of two bytes becomes an object of sixty: 64 MiB of nothing else would take 2 GB. As many
# fields as this come in no request of the sizes that are taken.
MOST_FIELDS = 1_000_000

# resource_spans or resource_logs, within it resource and scope_spans, within that scope and spans.
REQUEST: Final[Shape] = {1: {1: {}, 2: {1: {}}}}
SPAN: Final[Shape] = {11: {}}  # events
PLAIN: Final[Shape] = {}

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


def is_large(raw: bytes) -> bool:
    """Say whether a message is large enough to hold more fields than should be built."""
    return len(raw) > 2 * MOST_FIELDS  # a field takes two bytes at least


def too_many_fields(raw: bytes, shape: Shape) -> bool:
    """Say whether a message has more fields than should be built.

    What is no protobuf is counted until it makes no sense any more; the parser complains of it.
    """
    if not is_large(raw):
        return False
    left = MOST_FIELDS
    pending = [(0, len(raw), shape)]
    while pending:
        at, end, inner = pending.pop()
        while at < end:
            left -= 1
            if left < 0:
                return True
            tag, at = varint(raw, at)
            kind = tag & 7
            if kind == _VARINT:
                _, at = varint(raw, at)
            elif kind == _BYTES:
                size, at = varint(raw, at)
                if size and tag >> 3 in inner:
                    pending.append((at, min(at + size, end), inner[tag >> 3]))
                at += size
            elif kind in (_FIXED64, _FIXED32):
                at += 8 if kind == _FIXED64 else 4
    return False


def varint(raw: bytes, at: int) -> tuple[int, int]:
    """Return a number and where it ends; the number is 0 where there is none."""
    value = 0
    for shift, byte in enumerate(raw[at : at + 10]):
        value |= (byte & 0x7F) << 7 * shift
        if byte < 0x80:
            return value, at + shift + 1
    return 0, at + 10
