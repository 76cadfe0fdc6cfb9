"""Values made fit to be stored and shown: valid JSON, valid Unicode, numbers that columns hold."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from collector.name import is_field

# A signed 64-bit column, in SQLite and in PostgreSQL.
LARGEST = 2**63 - 1
# Deeper than any evidence a scorer writes, far from the recursion limit.
DEEPEST = 32

SURROGATES = re.compile("[\ud800-\udfff]")
CALL_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:\-]{0,127}")
# Keys of evidence whose values are words of this project's own vocabularies.
CODES = frozenset(
    {"category", "type", "kind", "kinds", "origin", "script", "language", "method", "reason"}
)
WORDING = re.compile(r"[a-z0-9_ ;:,]{1,120}")
CODE = re.compile(r"[a-z][a-z0-9_\-]{0,39}")


def text(value: str) -> str:
    """Return valid Unicode: lone surrogates become U+FFFD."""
    return str(value) if value.isascii() else SURROGATES.sub("�", value)


def integer(value: int | None) -> int | None:
    """Return what a 64-bit column can hold; a number beyond that was no measurement."""
    if value is None or not -LARGEST <= value <= LARGEST:
        return None
    return int(value)


def plain(value: Any, depth: int = 0) -> Any:
    """Return `value` as JSON can write it: NaN and infinity become null, keys become text.

    What has no JSON form, or lies deeper than any evidence does, is null too.
    """
    kind = type(value)
    # Most values are of these very types, and asking for them so is several times cheaper.
    if kind is str:
        return value if value.isascii() else text(value)
    if value is None or kind is bool:
        return value
    if isinstance(value, int):
        return value if kind is int and -LARGEST <= value <= LARGEST else integer(value)
    if isinstance(value, str):
        return text(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if depth >= DEEPEST:
        return None
    if kind is dict or isinstance(value, Mapping):
        return {
            key if type(key) is str and key.isascii() else text(str(key)): plain(item, depth + 1)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [plain(item, depth + 1) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((plain(item, depth + 1) for item in value), key=repr)
    return None


def wordless(value: Any, key: str = "", depth: int = 0) -> Any:
    """Return plain `value` without what people or tools wrote: numbers, flags and sizes only.

    A text becomes its length in characters under `characters`; words of this project's own
    vocabularies stay. Keys that don't look like names are numbered.
    """
    if isinstance(value, str):
        return value if key in CODES and CODE.fullmatch(value) else {"characters": len(value)}
    if isinstance(value, dict):
        return {
            safe: wordless(item, name, depth + 1)
            for (name, item), safe in zip(value.items(), safe_names(value), strict=True)
        }
    if isinstance(value, list):
        return [wordless(item, key, depth + 1) for item in value]
    return value


def safe_names(names: Mapping[str, Any]) -> list[str]:
    """Return the keys in order, those that could be content replaced by their position."""
    return [safe_name(name, position) for position, name in enumerate(names)]


def safe_name(name: str, position: int = 0) -> str:
    """Return `name` where it looks like one, else `#` and its position: never its content."""
    return name if is_field(name) else f"#{position}"


def code(value: str | None) -> str | None:
    """Return a code word, or `withheld` for a reason or label that is free text."""
    return value if value is None or CODE.fullmatch(value) else "withheld"


def wording(value: str | None) -> str | None:
    """Return a reason in this project's own words; `withheld` where it may quote something."""
    return value if value is None or WORDING.fullmatch(value) else "withheld"


def dump(value: Any) -> str:
    """Write plain `value` as one line of JSON."""
    return msgspec.json.encode(value).decode()
