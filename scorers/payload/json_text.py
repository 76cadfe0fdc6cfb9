"""JSON as tools and harnesses write it, read without ever failing on what it holds.

NaN and infinities, integers of any length, duplicate keys, lone surrogates and nesting too deep for
the parser are all met in recorded results. What can't be read is `MISSING`, never an exception.
"""

from __future__ import annotations

import json
from enum import Enum
from typing import Any, Final, Literal

# Python refuses to convert longer digit strings; such a number is kept as its text.
LONGEST_INT = 4_000


class Absent(Enum):
    """The one value of `MISSING`: nothing could be read. (None is a JSON value.)"""

    MISSING = "missing"


MISSING: Final = Absent.MISSING
Missing = Literal[Absent.MISSING]


def _int(text: str) -> int | str:
    return int(text) if len(text) <= LONGEST_INT else f"integer {text}"


def _constant(text: str) -> str:
    # NaN is unequal to itself; the same word in two texts must compare equal.
    return f"number {text}"


_DECODER = json.JSONDecoder(parse_int=_int, parse_constant=_constant)


def read(text: str) -> Any | Missing:
    """Return the value of a whole JSON text, `MISSING` if it is not one."""
    start = len(text) - len(text.lstrip())
    found = read_at(text, start)
    if found is None or text[found[1] :].strip():
        return MISSING
    return found[0]


def read_at(text: str, start: int) -> tuple[Any, int] | None:
    """Return the value that starts at `start` and the offset behind it; None if there is none."""
    if start >= len(text) or text[start] not in '{["-0123456789tfnNI':
        return None
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None


def json_cost(text: str) -> int:
    """Estimate the steps of parsing a text: so much per character, and for every value in it."""
    return len(text) // 300 + text.count(",") // 4 + text.count("[") // 4 + text.count("{") // 2


def canonical(value: Any) -> str:
    """Return one text per value, whatever the order of its keys."""
    try:
        return _canonical(value)
    except RecursionError:
        # Equal by identity only: never taken for another value.
        return f"too deep {id(value)}"


def _canonical(value: Any) -> str:
    try:
        return json.dumps(
            value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str
        )
    except (TypeError, ValueError):  # keys of several types, in a Python literal
        return repr(value)


def is_container(value: Any) -> bool:
    """Say whether a value is an object or an array with something in it."""
    return isinstance(value, dict | list) and bool(value)
