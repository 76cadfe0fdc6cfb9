"""`Evidence`: which parts of a produced text were found delivered, however they were found."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field

from scorers.overlap import gaps
from scorers.payload.layout import Layout

Place = tuple[int, int]
# Characters at each end of an unexplained stretch in which a note is looked for.
SAMPLE = 2_000


@dataclass(slots=True)
class Evidence:
    """`ranges`: retained ranges of the produced text, in order and disjoint. `noise`: what of the
    delivered text is not the tool's, joined by newlines. `parts`: the delivered text without it.
    `how`: text, skeleton, value or rendering. `complete`: per record, the fields that arrived
    whole, where values were compared; None where ranges decide. `kinds`: what the value
    comparison saw happen: key, row, clip, number, mask, value. `extra`: retained characters that
    have no range of their own. `valid`: the delivered payload parses; None where its text decides.
    `seams`: delivered texts between the parts. `numbered`: the parts bear line numbers.
    """

    ranges: list[Place]
    noise: str
    parts: list[str]
    how: str
    complete: list[set[str]] | None = None
    rows: int | None = None
    kinds: set[str] = field(default_factory=set)
    extra: int = 0
    valid: bool | None = None
    seams: list[str] = field(default_factory=list)
    numbered: bool = False
    clipped: int = 0
    unexplained: int = 0

    @property
    def kept(self) -> int:
        """Return how many produced characters were retained."""
        return sum(end - start for start, end in self.ranges) + self.extra


def merged(ranges: Iterable[Place], text: str) -> list[Place]:
    """Return ranges in order, joined where nothing but white space lies between them."""
    joined: list[Place] = []
    for start, end in sorted(ranges):
        if joined and (start <= joined[-1][1] or not text[joined[-1][1] : start].strip()):
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        elif end > start:
            joined.append((start, end))
    return joined


def missing(evidence: Evidence, text: str) -> list[Place]:
    """Return the ranges of the produced text that did not arrive and hold more than white space."""
    return [
        (start, end) for start, end in gaps(evidence.ranges, len(text)) if text[start:end].strip()
    ]


def sampled(text: str) -> str:
    """Return both ends of a long text: a harness's note stands beside what it speaks of."""
    return text if len(text) <= 2 * SAMPLE else text[:SAMPLE] + "\n" + text[-SAMPLE:]


class Holder:
    """Answers whether a range lies in one retained run."""

    def __init__(self, ranges: list[Place]) -> None:
        self._starts = [start for start, _ in ranges]
        self._ends = [end for _, end in ranges]

    def holds(self, place: Place) -> bool:
        """Say whether the whole of `place` was retained without a break."""
        index = bisect_right(self._starts, place[0]) - 1
        return index >= 0 and self._ends[index] >= place[1]


def field_counts(layout: Layout, evidence: Evidence) -> dict[str, tuple[int, int]]:
    """Return (delivered, produced) per field: key and complete value, counted in every record. A
    column of a CSV counts only if its name arrived too."""
    holder = Holder(evidence.ranges)
    counts = {name: [0, 0] for name in (layout.header or layout.names())}
    for index, record in enumerate(layout.records):
        whole = evidence.complete[index] if evidence.complete is not None else None
        for name, place in record.items():
            counts[name][1] += 1
            arrived = name in whole if whole is not None else holder.holds(place)
            if arrived and layout.header is not None and evidence.complete is None:
                arrived = holder.holds(layout.header[name])
            counts[name][0] += arrived
    return {name: (delivered, produced) for name, (delivered, produced) in counts.items()}


def whole_counts(layout: Layout) -> dict[str, tuple[int, int]]:
    """Return (delivered, produced) per field where everything arrived."""
    counts = dict.fromkeys(layout.header or layout.names(), 0)
    for record in layout.records:
        for name in record:
            counts[name] += 1
    return {name: (count, count) for name, count in counts.items()}


def row_counts(layout: Layout, evidence: Evidence) -> tuple[int, int] | None:
    """Return (delivered, produced) rows, None where rows have no meaning."""
    if layout.rows is None:
        return None
    if evidence.rows is not None:
        return evidence.rows, len(layout.rows)
    holder = Holder(evidence.ranges)
    return sum(holder.holds(place) for place in layout.rows), len(layout.rows)
