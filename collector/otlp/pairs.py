"""Attributes in protobuf → `Attributes`: each one told apart by its bytes, and few of them parsed.

A key-value pair whose value is a text, as every SDK writes it, is recognised by its first bytes;
anything else is taken apart by protobuf. What comes again and again (names of services, models,
tools, operations) is read once.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from google.protobuf.message import DecodeError

from collector.attributes import Attributes, Utf8
from collector.otlp import messages
from collector.otlp.value import MAX_DEPTH, UNREADABLE
from collector.otlp.wire import PLAIN, Shape, too_many_fields
from collector.text import from_utf8

# Bytes from which on a text is left as it is: to decode a shorter one costs less than to keep it.
# Lists of objects (messages, nearly always) are left to those who parse them.
LONG = 512
_LIST = b"[{"

# What comes again is short. So many pairs and keys are kept, in some hundred kilobytes.
_SHORT = 96
_MOST_KNOWN = 2048

_BACKSLASH = ord("\\")
_VALUE, _TEXT = 0x12, 0x0A  # KeyValue.value, AnyValue.string_value; KeyValue.key has the latter too


def _text_header(size: int) -> bytes:
    """Return the bytes a value of `size` bytes begins with where it is a text, shortest form."""
    if size < 130:
        return bytes((_VALUE, size - 2, _TEXT, size - 4)) if size >= 4 else b""
    if 134 <= size < 16_387:
        outer, inner = size - 3, size - 6
        return bytes((_VALUE, outer & 127 | 128, outer >> 7, _TEXT, inner & 127 | 128, inner >> 7))
    outer, inner = size - 4, size - 8
    if inner < 16_384 or outer >= 1 << 21:
        return b""  # the few sizes between, and those too large to care
    return bytes(
        (
            _VALUE, outer & 127 | 128, outer >> 7 & 127 | 128, outer >> 14,
            _TEXT, inner & 127 | 128, inner >> 7 & 127 | 128, inner >> 14,
        )
    )  # fmt: skip


# By the size of the value: what it begins with, and how long that is.
_HEADERS = tuple((header, len(header)) for header in map(_text_header, range(LONG)))


class _Known(dict[bytes, Any]):
    """What was read of short bytes, within a bound."""

    def keep(self, raw: bytes, read: Any) -> Any:
        """Remember and return what was read."""
        if len(self) >= _MOST_KNOWN:
            self.clear()
        self[raw] = read
        return read


_names = _Known()
_pairs = _Known()
_keys = _Known()  # by a pair's first bytes: tag, length and the key


def read_name(raw: bytes) -> str:
    """Return a text that comes again and again, as names do."""
    name: str | None = _names.get(raw)
    if name is None:
        name = from_utf8(raw)
        if len(raw) <= _SHORT:
            _names.keep(raw, name)
    return name


def read_attributes(pairs: Iterable[bytes]) -> tuple[Attributes, int, int]:
    """Return the attributes (of equal keys the last one), how many can't be read, and their bytes.

    Raises `DecodeError` for what is no key-value pair at all.
    """
    attributes = Attributes()
    unreadable = weight = 0
    known, known_key = _pairs.get, _keys.get
    for raw in pairs:
        length = len(raw)
        weight += length
        if length <= _SHORT:
            pair = known(raw) or _pairs.keep(raw, _pair(raw))
        else:
            # As `_pair` does it, for the pairs that are read every time.
            begin = raw[1] + 2
            key, size = known_key(raw[:begin]), length - begin
            if key is None or not 0 < size < LONG:
                pair = _pair(raw)
            else:
                header, skipped = _HEADERS[size]
                text = raw[begin + skipped :]
                if (
                    header
                    and not text.startswith(_LIST)
                    and _BACKSLASH not in text
                    and raw.startswith(header, begin)
                ):
                    attributes[key] = text.decode("utf-8", "replace")
                    continue
                pair = _pair(raw)
        if pair[1] is UNREADABLE:
            unreadable += 1
        else:
            attributes[pair[0]] = pair[1]
    return attributes, unreadable, weight


def _pair(raw: bytes) -> tuple[str, Any]:
    if raw[:1] != b"\n" or len(raw) < 3 or raw[1] > 127:
        return _parsed_pair(raw)
    begin = raw[1] + 2
    size = len(raw) - begin
    header = _HEADERS[size][0] if 0 <= size < LONG else _text_header(size)
    if not header or not raw.startswith(header, begin):
        return _parsed_pair(raw)
    start = raw[:begin]
    key = _keys.get(start)
    if key is None:
        key = _keys.keep(start, from_utf8(raw[2:begin]))
    begin += len(header)
    if size < LONG and not raw.startswith(_LIST, begin):
        return key, from_utf8(raw[begin:])
    return key, Utf8(raw, begin)


def _parsed_pair(raw: bytes) -> tuple[str, Any]:
    pair = messages.KeyValue.FromString(raw)
    return from_utf8(pair.key), read_value(pair.value, 0)


def read_value(message: Any, depth: int) -> Any:
    """Return an AnyValue as plain Python; `UNREADABLE` where it is damaged or nests too deep."""
    kind = message.WhichOneof("value")
    if kind == "string_value":
        return from_utf8(message.string_value)
    if kind is None or kind == "string_value_strindex":  # an index into a table OTLP doesn't send
        return None
    if kind not in {"array_value", "kvlist_value"}:
        return getattr(message, kind)
    if depth >= MAX_DEPTH:
        return UNREADABLE
    try:
        if kind == "array_value":
            return _array(message.array_value, depth + 1)
        return _kvlist(message.kvlist_value, depth + 1)
    except DecodeError:
        return UNREADABLE


def parsed(kind: Any, raw: bytes, shape: Shape) -> Any:
    """Return a message, parsed. Raises `DecodeError`, also where it has too many fields."""
    if too_many_fields(raw, shape):
        raise DecodeError("too many fields")
    return kind.FromString(raw)


def _array(raw: bytes, depth: int) -> Any:
    values = []
    for item in parsed(messages.ArrayValue, raw, PLAIN).values:
        value = read_value(messages.AnyValue.FromString(item), depth)
        if value is UNREADABLE:
            return UNREADABLE
        values.append(value)
    return values


def _kvlist(raw: bytes, depth: int) -> Any:
    found = {}
    for item in parsed(messages.KeyValueList, raw, PLAIN).values:
        pair = messages.KeyValue.FromString(item)
        value = read_value(pair.value, depth)
        if value is UNREADABLE:
            return UNREADABLE
        found[from_utf8(pair.key)] = value
    return found
