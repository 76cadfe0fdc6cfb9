"""A record's attributes, whose long texts stay as they came until somebody reads them.

Most of what a busy agent sends are texts of many kilobytes that nobody reads as text: of a list of
messages only the new end is parsed, and most records are not about GenAI at all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from collector.text import from_utf8


class Utf8:
    """A long text as it was sent: the bytes of `raw` from `at` on, decoded when it is read.

    `plain` is set by a reader that found it to be one whole JSON document without any mark of an
    instrumentation, so that the next one need not look again.
    """

    __slots__ = ("_length", "_text", "at", "plain", "raw")

    def __init__(self, raw: bytes, at: int) -> None:
        self.raw = raw
        self.at = at
        self.plain = False
        self._length: int | None = None
        self._text: str | None = None

    @property
    def bytes(self) -> bytes:
        """The text in UTF-8, or what was sent for it."""
        return self.raw[self.at :]

    @property
    def text(self) -> str:
        """The text; what is no UTF-8 in it is replaced."""
        if self._text is None:
            self._text = from_utf8(self.bytes)
        return self._text

    @property
    def length(self) -> int:
        """Characters of the text."""
        if self._length is None:
            self._length = len(self.text)
        return self._length

    @length.setter
    def length(self, characters: int) -> None:
        self._length = characters


# Called for every attribute that is looked at: to ask for `super()` takes longer than to read.
_item = dict.__getitem__
_get = dict.get


class Attributes(dict[str, Any]):
    """Attributes by key. Reading one gives plain Python, as any mapping does; `sent` does not."""

    __slots__ = ()

    def __getitem__(self, key: str) -> Any:
        value = _item(self, key)
        return value.text if value.__class__ is Utf8 else value

    def get(self, key: str, default: Any = None) -> Any:
        """Return a value, decoded."""
        value = _get(self, key, default)
        return value.text if value.__class__ is Utf8 else value

    def __iter__(self) -> Iterator[str]:
        # An `__iter__` of its own keeps `dict(…)`, `|` and `**` from copying what is not decoded.
        return super().__iter__()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mapping) and dict(self) == dict(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None

    def values(self) -> Any:
        """Return the values, decoded."""
        return [self[key] for key in self]

    def items(self) -> Any:
        """Return the keys with their values, decoded."""
        return [(key, self[key]) for key in self]

    def sent(self, key: str) -> Any:
        """Return a value with a long text as `Utf8`."""
        return _get(self, key)


def sent(attributes: Mapping[str, Any], key: str) -> Any:
    """Return an attribute's value for a reader of `Utf8`; None where there is none."""
    return attributes.sent(key) if isinstance(attributes, Attributes) else attributes.get(key)


def values_sent(attributes: Mapping[str, Any]) -> Collection[Any]:
    """Return all values, long texts as `Utf8`."""
    return dict.values(attributes) if isinstance(attributes, dict) else attributes.values()
