"""A place in a JSON text that is read piece by piece, so that its size and depth cost little.

`json.loads` takes a whole body in one call: other threads wait for the interpreter meanwhile, all
of its objects exist at once, and one value that nests too deep takes everything else with it. Here
only single values are parsed in that way; the arrays and objects around them are walked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from collector.otlp.value import UNREADABLE

# Marks are what every object, array and item of one has: each costs memory far beyond its one or
# two characters, and other threads may have to wait for all items of one array. Ten thousand spans
# of thirty attributes have one million. A shorter body need not be counted.
MOST_MARKS = 4_000_000
_MARKS = b"{[,"

_BLANK = re.compile(r"[ \t\n\r]*")
_COLON = re.compile(r"[ \t\n\r]*:[ \t\n\r]*")
_NEXT = re.compile(r"[ \t\n\r]*([,\]}])[ \t\n\r]*")
# A text or a bracket. A text that doesn't end is taken to the end of the body: to look for a
# shorter one from each of its quotes would take quadratic time.
_BRACKET = re.compile(r'[][{}]|"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_MARK_OR_TEXT = re.compile(rb'[{\[,]|"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_KINDS = {"{": "object", "[": "array", '"': "text", "t": "boolean", "f": "boolean", "n": "null"}


class Cursor:
    """Reads one JSON text from its start. Raises `json.JSONDecodeError` where it is no JSON.

    Each method reads one value from where the cursor stands and leaves it behind that value.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = _blank(text, 0)
        decoder = json.JSONDecoder(
            parse_int=whole_number, parse_float=_fraction, object_hook=_yielding
        )
        self._decode = decoder.raw_decode

    def kind(self) -> str:
        """Name the kind of the next value: object, array, text, boolean, null or number."""
        return _KINDS.get(self._text[self._at : self._at + 1], "number")

    def value(self) -> Any:
        """Read a value whole; `UNREADABLE` where it nests deeper than can be parsed."""
        try:
            value, self._at = self._decode(self._text, self._at)
        except RecursionError:
            self._pass_over()
            return UNREADABLE
        return value

    def items(self) -> Iterator[None]:
        """Yield before each item of an array; the caller reads the item."""
        if self._enter("]"):
            return
        while True:
            yield
            if self._leave("]"):
                return

    def members(self) -> Iterator[str]:
        """Yield the key of each member of an object; the caller reads its value."""
        if self._enter("}"):
            return
        while True:
            if self._text[self._at : self._at + 1] != '"':
                raise self._error("Expecting property name enclosed in double quotes")
            key, at = self._decode(self._text, self._at)
            colon = _COLON.match(self._text, at)
            if colon is None:
                self._at = at
                raise self._error("Expecting ':' delimiter")
            self._at = colon.end()
            yield key
            if self._leave("}"):
                return

    def end(self) -> None:
        """Check that nothing follows."""
        self._at = _blank(self._text, self._at)
        if self._at != len(self._text):
            raise self._error("Extra data")

    def _enter(self, closing: str) -> bool:
        self._at = _blank(self._text, self._at + 1)
        if self._text[self._at : self._at + 1] != closing:
            return False
        self._at += 1
        return True

    def _leave(self, closing: str) -> bool:
        found = _NEXT.match(self._text, self._at)
        if found is None or found[1] not in (",", closing):
            raise self._error("Expecting ',' delimiter")
        if found[1] == ",":
            self._at = found.end()
            return False
        self._at = found.end(1)
        return True

    def _pass_over(self) -> None:
        """Go behind an object or array by its brackets alone."""
        depth = 0
        for found in _BRACKET.finditer(self._text, self._at):
            mark = found[0][0]
            if mark != '"':
                depth += 1 if mark in "[{" else -1
                if depth == 0:
                    self._at = found.end()
                    return
        self._at = len(self._text)
        raise self._error("Expecting ',' delimiter")

    def _error(self, message: str) -> json.JSONDecodeError:
        return json.JSONDecodeError(message, self._text, self._at)


def whole_number(digits: str) -> int | float:
    """Read a JSON integer. Python refuses to convert thousands of digits, as they take long."""
    return int(digits) if len(digits) <= 40 else float(digits[:400])


def _fraction(digits: str) -> float:
    """Read another JSON number. Between two calls of a Python function another thread may run."""
    return float(digits)


def too_many(body: bytes, most: int = MOST_MARKS) -> bool:
    """Say whether a body holds more objects, arrays and items than should be built."""
    # Those inside texts don't count; nearly always there are too few of both together.
    if len(body) <= most or sum(body.count(mark) for mark in _MARKS) <= most:
        return False
    marks = 0
    for found in _MARK_OR_TEXT.finditer(body):
        if body[found.start()] in _MARKS:
            marks += 1
            if marks > most:
                return True
    return False


def _blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return at if found is None else found.end()


def _yielding(value: dict[str, Any]) -> dict[str, Any]:
    """Return an object as it is, to let other threads run as above."""
    return value
