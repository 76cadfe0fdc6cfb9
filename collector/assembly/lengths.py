"""How long the values of a service's attributes are: what an SDK's length limit leaves behind.

`OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT` cuts every value at one length, with no marker, no flag and no
dropped count. What shows it: different values that end at exactly the greatest length.
"""

from __future__ import annotations

from dataclasses import dataclass

from collector.attributes import Utf8, values_sent
from collector.span import Attributes, Span

MIN_LENGTH = 8  # characters; a shorter limit would leave no names to tell services apart
LONG = 64  # from here on, two different values and one that breaks off are proof
ENDS = {b"{": b"}", b"[": b"]", b'"': b'"'}
WHOLE = (b"\n", b".", b"!", b"?", b"}", b"]", b">")  # how texts end that are whole
MOST_VALUES = 16  # different values of the greatest length that are counted
LONGER = 256  # characters from which on two different values that end alike are no coincidence
MARK = 48  # bytes at the start, in the middle and at the end by which they are told apart


@dataclass(slots=True)
class Lengths:
    """The greatest length of one service's text attributes, and the values that have it."""

    greatest: int = MIN_LENGTH - 1
    values: tuple[int, ...] = ()
    broken: bool = False
    torn: bool = False
    structured: bool = False

    def add(self, span: Span) -> None:
        """Look at a span's attributes and those of its events."""
        self._look(span.attributes)
        for event in span.events:
            self._look(event.attributes)

    def merge(self, other: Lengths) -> None:
        """Take over what another one has seen."""
        self.structured = self.structured or other.structured
        if other.greatest > self.greatest:
            self.greatest, self.values = other.greatest, other.values
            self.broken, self.torn = other.broken, other.torn
        elif other.greatest == self.greatest:
            for mark in other.values:
                self._add(mark)
            self.broken = self.broken or other.broken
            self.torn = self.torn or other.torn

    @property
    def limit(self) -> int | None:
        """The limit at which values end, None where nothing shows one."""
        distinct = len(self.values)
        if self.greatest < LONG:
            enough = 5
        elif self.broken:
            # One document alone, broken off at a length that people choose: a limit that only the
            # longest value met. To call that the agent's loss would be worse than not to know.
            enough = 1 if self.greatest % 64 == 0 or self.greatest % 50 == 0 else 2
        elif self.torn and is_chosen(self.greatest) and not self.structured:
            # As with one document: were it the agent's cut, what the tool produced were longer.
            enough = 1
        else:
            enough = 2 if self.greatest >= LONGER else 3
        return self.greatest if distinct >= enough else None

    def _look(self, attributes: Attributes) -> None:
        greatest = self.greatest
        found: list[str | Utf8] = []
        for value in values_sent(attributes):
            if value.__class__ is str:
                length = len(value)
            # No text has more characters than bytes.
            elif value.__class__ is Utf8 and len(value.raw) - value.at >= greatest:
                length = value.length
            else:
                # What a list or map holds may be more than any text in it.
                self.structured = self.structured or value.__class__ in (list, dict)
                continue
            if length >= greatest:
                if length > greatest:
                    greatest = length
                    found.clear()
                found.append(value)
        if not found:
            return
        if greatest > self.greatest:
            self.greatest, self.values, self.broken, self.torn = greatest, (), False, False
        for value in found:
            text = value.encode("utf-8", "replace") if isinstance(value, str) else value.bytes
            self._add(_mark(text))
            if text[:1] not in ENDS:
                self.torn = self.torn or text[-1:] not in WHOLE
            elif text[-1:] != ENDS[text[:1]]:
                self.broken = True  # a document that ends in the middle

    def _add(self, mark: int) -> None:
        if mark not in self.values and len(self.values) < MOST_VALUES:
            self.values = (*self.values, mark)


def is_chosen(length: int) -> bool:
    """Say whether a length is one that people choose for a limit: 1000, 1024, 1500, 2048, 64000."""
    return length >= LONGER and (length % 500 == 0 or length & (length - 1) == 0)


def _mark(value: bytes) -> int:
    """Return what tells values of one length apart, at a cost that does not grow with it."""
    middle = len(value) // 2
    return hash(value[:MARK] + value[middle : middle + MARK] + value[-MARK:])
