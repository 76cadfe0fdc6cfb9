"""JSON as tools and harnesses write it, read without ever failing on what it holds.

NaN and infinities, integers of any length, duplicate keys, lone surrogates and nesting too deep for
the parser are all met in recorded results. What can't be read is `MISSING`, never an exception.
"""

from __future__ import annotations

import json
import re
from enum import Enum
from typing import Any, Final, Literal

import msgspec

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
# These check a text and leave its values unread, at a fraction of the time. What they accept,
# `read` accepts too; it accepts a little more: NaN, infinities and lone surrogates.
_VALUE = msgspec.json.Decoder(msgspec.Raw)
_ELEMENTS = msgspec.json.Decoder(list[msgspec.Raw])
_RECORDS = msgspec.json.Decoder(list[dict[str, msgspec.Raw]])
_AT = re.compile(r"\(byte (\d+)\)")
# Shorter texts are too cheap to count what is in them.
SHORT = 65_536


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


def parses(text: str) -> bool:
    """Say whether `read` finds a value, without making it."""
    bare = text.strip()
    try:
        data = bare.encode()
        _VALUE.decode(data)
    except UnicodeEncodeError:
        return read(bare) is not MISSING
    except (msgspec.DecodeError, RecursionError) as error:
        return _may_be_read(bare, data, str(error)) and read(bare) is not MISSING
    return True


def _may_be_read(bare: str, data: bytes, error: str) -> bool:
    """Say whether the stricter parser's complaint may be about what `read` accepts."""
    if error == "Input data was truncated":
        return "\\u" in bare
    place = _AT.search(error)
    if place is None or "surrogate" in error:
        return True
    at = int(place[1])
    return any(one in b"NI" for one in data[max(0, at - 1) : at + 1])


def records_in(text: str) -> list[dict[str, msgspec.Raw]] | None:
    """Return the members of an array of objects, their values unread; None where a text is
    anything else, or needs the more lenient `read`."""
    try:
        return _RECORDS.decode(text.encode())
    except (ValueError, RecursionError):
        return None


def elements_in(text: str) -> int | None:
    """Count the elements of an array; None where a text is anything else, as `records_in`."""
    try:
        return len(_ELEMENTS.decode(text.encode()))
    except (ValueError, RecursionError):
        return None


def json_cost(text: str) -> int:
    """Estimate the steps of parsing a text: so much per character, and for every value in it."""
    if len(text) < SHORT:
        return len(text) // 16
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
