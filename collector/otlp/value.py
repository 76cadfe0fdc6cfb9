"""What both encodings share about attribute values: bounds, and how much a value weighs."""

from __future__ import annotations

from typing import Any, Final

# Real attributes nest three or four levels. The bound keeps every later walk of a value within
# Python's own recursion limit, and a hostile one from being copied at each of many levels.
MAX_DEPTH = 48

# What a record costs on the wire beside its attributes: ids, times, field tags.
FRAME_BYTES = 64

# SQLite and Arrow keep integers in 64 bits with a sign; a later time (the year 2262) is no time.
LAST_INT64 = 2**63 - 1


class Unreadable:
    """Marks a value that is damaged or nests deeper than `MAX_DEPTH`."""


# The attribute is left out and counted as dropped: so it shows as a loss of the capture, while a
# substitute would read as what the agent really said.
UNREADABLE: Final = Unreadable()


def weight(value: Any) -> int:
    """Return about how many bytes a decoded value takes on the wire (characters, for texts)."""
    if isinstance(value, str | bytes):
        return len(value) + 4
    if isinstance(value, list):
        return 4 + sum(weight(item) for item in value)
    if isinstance(value, dict):
        return 4 + sum(len(key) + 4 + weight(item) for key, item in value.items())
    return 8
