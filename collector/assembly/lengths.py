"""How long the values of a service's attributes are: what an SDK's length limit leaves behind.

`OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT` cuts every value at one length, with no marker, no flag and no
dropped count. What shows it: different values that end at exactly the greatest length.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from collector.attributes import Utf8, values_sent
from collector.span import Attributes, Span

MIN_LENGTH = 8  # characters; a shorter limit would leave no names to tell services apart
LONG = 64  # from here on, two different values and one that breaks off are proof
ENDS = {b"{": b"}", b"[": b"]", b'"': b'"'}
WHOLE = (b"\n", b".", b"!", b"?", b"}", b"]", b")", b">")  # how texts end that are whole
MOST_VALUES = 16  # different values of the greatest length that are counted
LONGER = 256  # characters from which on two different values that end alike are no coincidence
BEGINNING = 6  # bytes by which kinds of values are told apart
MARK = 48  # bytes at the start, in the middle and at the end by which they are told apart


@dataclass(slots=True)
class AtLength:
    """Different values of one length: what tells whether a limit of that length cut them.

    `kinds` are how they begin: results of one tool often begin alike, and have one length by their
    form. `broken` is True where a document ends in the middle, `torn` where another text may.
    """

    values: tuple[int, ...] = ()
    kinds: tuple[int, ...] = ()
    broken: bool = False
    torn: bool = False

    def add(self, text: bytes) -> None:
        """Take a value in."""
        if text[:1] not in ENDS:
            self.torn = self.torn or text[-1:] not in WHOLE
        elif text[-1:] != ENDS[text[:1]]:
            self.broken = True
        self.values = _with(self.values, _mark(text))
        self.kinds = _with(self.kinds, hash(text[:BEGINNING]))

    def merge(self, other: AtLength) -> None:
        """Take over what another one has seen."""
        for mark in other.values:
            self.values = _with(self.values, mark)
        for kind in other.kinds:
            self.kinds = _with(self.kinds, kind)
        self.broken = self.broken or other.broken
        self.torn = self.torn or other.torn

    def shows(self, length: int, *, structured: bool = False) -> bool:
        """Say whether values cannot have this length by chance.

        One value alone is proof where it is torn at a length that people choose: a limit that only
        the longest value met. To call that the agent's loss would be worse than not to know. Were
        it the agent's cut, what the tool produced would be longer; `structured` says that it may
        be, in lists or maps whose texts are short.
        """
        distinct = len(self.values)
        is_round = length % 64 == 0 or length % 50 == 0
        if length < LONG:
            return distinct >= 5
        if self.broken:
            return distinct >= (1 if is_round else 2)
        if length < LONGER:
            return distinct >= 3
        if self.torn and is_chosen(length) and not structured:
            return True
        return self.torn and (distinct if is_round else len(self.kinds)) >= 2


@dataclass(slots=True)
class Lengths:
    """The greatest length of one service's text attributes, and the values that have it."""

    greatest: int = MIN_LENGTH - 1
    seen: AtLength = field(default_factory=AtLength)
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
            self.greatest, self.seen = other.greatest, other.seen
        elif other.greatest == self.greatest:
            self.seen.merge(other.seen)

    @property
    def limit(self) -> int | None:
        """The limit at which values end, None where nothing shows one."""
        shown = self.seen.shows(self.greatest, structured=self.structured)
        return self.greatest if shown else None

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
            self.greatest, self.seen = greatest, AtLength()
        for value in found:
            self.seen.add(
                value.encode("utf-8", "replace") if isinstance(value, str) else value.bytes
            )


def is_chosen(length: int) -> bool:
    """Say whether a length is one that people choose for a limit: 1000, 1024, 1500, 2048, 64000."""
    return length >= LONGER and (length % 500 == 0 or length & (length - 1) == 0)


def _with(marks: tuple[int, ...], mark: int) -> tuple[int, ...]:
    return marks if mark in marks or len(marks) >= MOST_VALUES else (*marks, mark)


def _mark(value: bytes) -> int:
    """Return what tells values of one length apart, at a cost that does not grow with it."""
    middle = len(value) // 2
    return hash(value[:MARK] + value[middle : middle + MARK] + value[-MARK:])
