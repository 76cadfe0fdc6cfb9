"""Values in OTLP/JSON → plain Python. An unexpected type becomes something sensible, no error."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

from collector.otlp.value import LAST_INT64, MAX_DEPTH, UNREADABLE
from collector.text import valid

JsonObject = Mapping[str, Any]


def field(holder: JsonObject, name: str, snake: str) -> Any:
    """Return a field by its name or its name in snake_case; null is absent."""
    value = holder.get(name)
    return holder.get(snake) if value is None else value


def text_of(value: Any) -> str:
    """Return a text field; a number or a structure as its JSON, nothing as ""."""
    if isinstance(value, str):
        return valid(value)
    if value is None:
        return ""
    try:
        return valid(json.dumps(value, ensure_ascii=False))
    except RecursionError:
        return ""


def integer(value: Any) -> int | None:
    """Return a 64-bit integer written as number or text, else None."""
    try:
        number = int(value.strip() if isinstance(value, str) and len(value) <= 40 else value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if -LAST_INT64 - 1 <= number <= LAST_INT64 else None


def time_ns(value: Any) -> int:
    """Return Unix nanoseconds written as text or number; 0 where there is no such time."""
    return max(integer(value) or 0, 0)


def count(value: Any) -> int:
    """Return a count of dropped things; 0 where there is none."""
    return max(integer(value) or 0, 0)


def any_value(value: Any, depth: int = 0) -> Any:
    """Read an AnyValue, or a plain value in its place; `UNREADABLE` where it nests too deep."""
    if not isinstance(value, dict):
        return _plain(value, depth)
    for name, snake, read in _READERS:
        given = field(value, name, snake)
        if given is not None:
            return read(given)
    for name, snake, read_nested in _NESTED_READERS:
        given = field(value, name, snake)
        if given is not None:
            return UNREADABLE if depth >= MAX_DEPTH else read_nested(given, depth + 1)
    # {} and {"stringValue": null} mean "no value"; anything else is an object in its own right.
    return _plain(value, depth) if value and not _KNOWN.issuperset(value) else None


def _plain(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return valid(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value if integer(value) is not None else float(value)
    if isinstance(value, list):
        return UNREADABLE if depth >= MAX_DEPTH else _array(value, depth + 1)
    if isinstance(value, dict):
        if depth >= MAX_DEPTH:
            return UNREADABLE
        return _object(list(value.items()), depth + 1)
    return value


def _int(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    if isinstance(value, float) and not value.is_integer():
        return value
    number = integer(value)
    if number is not None:
        return number
    return value if isinstance(value, float) else text_of(value)


def _double(value: Any) -> Any:
    try:
        return value if isinstance(value, bool) else float(value)  # also "NaN" and "-Infinity"
    except (TypeError, ValueError, OverflowError):
        return text_of(value)


def _bool(value: Any) -> Any:
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower(), valid(value))
    return value if isinstance(value, bool) else _plain(value, MAX_DEPTH)


def _bytes(value: Any) -> Any:
    try:
        return base64.b64decode(value, validate=True)
    except (TypeError, ValueError):
        return text_of(value)


def _array(value: Any, depth: int) -> Any:
    items = value.get("values") if isinstance(value, dict) else value
    if not isinstance(items, list):
        return [] if items is None else text_of(items)
    values = []
    for item in items:
        read = any_value(item, depth)
        if read is UNREADABLE:
            return UNREADABLE
        values.append(read)
    return values


def _kvlist(value: Any, depth: int) -> Any:
    items = value.get("values") if isinstance(value, dict) else value
    if not isinstance(items, list):
        return {} if items is None else text_of(items)
    return _object([(i.get("key"), i.get("value")) for i in items if isinstance(i, dict)], depth)


def _object(pairs: list[tuple[Any, Any]], depth: int) -> Any:
    found = {}
    for key, item in pairs:
        read = any_value(item, depth)
        if read is UNREADABLE:
            return UNREADABLE
        found[text_of(key)] = read
    return found


_READERS = (
    ("stringValue", "string_value", text_of),
    ("boolValue", "bool_value", _bool),
    ("intValue", "int_value", _int),
    ("doubleValue", "double_value", _double),
    ("bytesValue", "bytes_value", _bytes),
)
_NESTED_READERS = (
    ("arrayValue", "array_value", _array),
    ("kvlistValue", "kvlist_value", _kvlist),
)
_KNOWN = {name for reader in (*_READERS, *_NESTED_READERS) for name in reader[:2]}
