"""How long the values of a service's attributes are: what an SDK's length limit leaves behind.

`OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT` cuts every value at one length, with no marker, no flag and no
dropped count. What shows it: different values that end at exactly the greatest length.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from collector.span import Span

MIN_LENGTH = 8  # characters; a shorter limit would leave no names to tell services apart
LONG = 64  # from here on, two different values and one that breaks off are proof
ENDS = {"{": "}", "[": "]", '"': '"'}
MOST_VALUES = 16  # different values of the greatest length that are counted
MARK = 256  # characters at the start, in the middle and at the end by which they are told apart


@dataclass(slots=True)
class Lengths:
    """The greatest length of one service's text attributes, and the values that have it."""

    greatest: int = MIN_LENGTH - 1
    values: tuple[int, ...] = ()
    broken: bool = False

    def add(self, span: Span) -> None:
        """Look at a span's attributes and those of its events."""
        self._look(span.attributes.values())
        for event in span.events:
            self._look(event.attributes.values())

    def merge(self, other: Lengths) -> None:
        """Take over what another one has seen."""
        if other.greatest > self.greatest:
            self.greatest, self.values = other.greatest, other.values
            self.broken = other.broken
        elif other.greatest == self.greatest:
            self._add(other.values)
            self.broken = self.broken or other.broken

    @property
    def limit(self) -> int | None:
        """The limit at which values end, None where nothing shows one."""
        distinct = len(self.values)
        if self.greatest < LONG:
            enough = distinct >= 5
        elif self.broken:
            # One document alone, broken off at a length that people choose: a limit that only the
            # longest value met. To call that the agent's loss would be worse than not to know.
            is_round = self.greatest % 64 == 0 or self.greatest % 50 == 0
            enough = distinct >= (1 if is_round else 2)
        else:
            enough = distinct >= 3
        return self.greatest if enough else None

    def _look(self, values: Iterable[Any]) -> None:
        greatest = self.greatest
        found: list[str] = []
        for value in values:
            if isinstance(value, str) and len(value) >= greatest:
                if len(value) > greatest:
                    greatest = len(value)
                    found.clear()
                found.append(value)
        if not found:
            return
        if greatest > self.greatest:
            self.greatest, self.values, self.broken = greatest, (), False
        self._add(map(_mark, found))
        # A document that ends in the middle.
        self.broken = self.broken or any(v[0] in ENDS and v[-1] != ENDS[v[0]] for v in found)

    def _add(self, marks: Iterable[int]) -> None:
        for mark in marks:
            if mark not in self.values and len(self.values) < MOST_VALUES:
                self.values = (*self.values, mark)


def _mark(value: str) -> int:
    """Return what tells values of one length apart, at a cost that does not grow with it."""
    middle = len(value) // 2
    return hash(value[:MARK] + value[middle : middle + MARK] + value[-MARK:])
