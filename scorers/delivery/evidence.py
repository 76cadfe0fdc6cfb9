"""`Evidence`: which parts of a produced text were found delivered, however they were found."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain

from scorers.overlap import gaps
from scorers.payload.layout import Layout
from scorers.payload.work import Work

Place = tuple[int, int]
# Characters of a range that are looked at first.
GLANCE = 64
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
    `seams`: delivered texts between the parts. `numbered`: the parts bear line numbers. `sampled`:
    more may have been retained, which only samples of the delivered text were searched for.
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
    sampled: bool = False

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
        (start, end)
        for start, end in gaps(evidence.ranges, len(text))
        if text[start : min(end, start + GLANCE)].strip() or text[start + GLANCE : end].strip()
    ]


def sampled(text: str) -> str:
    """Return both ends of a long text: a harness's note stands beside what it speaks of."""
    return text if len(text) <= 2 * SAMPLE else text[:SAMPLE] + "\n" + text[-SAMPLE:]


class Holder:
    """Answers whether a range lies in one retained run."""

    def __init__(self, ranges: list[Place]) -> None:
        self._starts = [start for start, _ in ranges]
        self._ends = [end for _, end in ranges]

    def touches(self, place: Place) -> bool:
        """Say whether anything of `place` was retained."""
        index = bisect_right(self._starts, place[1]) - 1
        return index >= 0 and self._ends[index] > place[0]

    def holds(self, place: Place) -> bool:
        """Say whether the whole of `place` was retained without a break."""
        index = bisect_right(self._starts, place[0]) - 1
        return index >= 0 and self._ends[index] >= place[1]


def field_counts(layout: Layout, evidence: Evidence, work: Work) -> dict[str, tuple[int, int]]:
    """Return (delivered, produced) per field: key and complete value, counted in every record. A
    column of a CSV counts only if its name arrived too."""
    if not layout.size and layout.header is None:
        return {}
    work.spend(layout.size // 2, "fields")
    holder = Holder(evidence.ranges)
    produced = _field_totals(layout)
    delivered = dict.fromkeys(produced, 0)
    complete = evidence.complete
    named = _column_names(layout, holder) if complete is None else None
    whole, torn = _whole_and_torn(layout, evidence, holder, work)
    for names, count in whole.items():
        for name in names:
            delivered[name] += count
    for places in torn:
        work.spend(1 + 2 * len(places), "fields")
        for name, at in places.items():
            delivered[name] += holder.holds(at)
    return {
        name: (delivered[name] if named is None or name in named else 0, total)
        for name, total in produced.items()
    }


def _whole_and_torn(
    layout: Layout, evidence: Evidence, holder: Holder, work: Work
) -> tuple[Counter[tuple[str, ...]], Iterable[dict[str, Place]]]:
    """Count the sets of fields that arrived whole, and locate the members of torn records."""
    if evidence.complete is not None:
        return Counter(tuple(evidence.complete[index]) for index in range(layout.size)), ()
    left = layout.remains(evidence.ranges)
    if left is not None:
        if len(layout.kinds) == 1:
            return Counter(dict.fromkeys(layout.kinds, left.rows)), left.torn
        indexes = chain.from_iterable(left.whole)
        return Counter(tuple(layout.fields(index)) for index in indexes), left.torn
    rows = layout.rows if layout.row_of is not None else None
    whole: Counter[tuple[str, ...]] = Counter()
    torn: list[int] = []
    for index in range(layout.size):
        place = rows[layout.row_of[index]] if rows and layout.row_of is not None else None
        if place is not None and holder.holds(place):
            whole[tuple(layout.fields(index))] += 1
        elif place is None or holder.touches(place):
            torn.append(index)
    work.spend(len(torn), "fields")
    return whole, map(layout.places, torn)


def _column_names(layout: Layout, holder: Holder) -> set[str] | None:
    """Return the columns of a CSV whose names arrived, None for another format."""
    if layout.header is None:
        return None
    return {name for name, place in layout.header.items() if holder.holds(place)}


def _field_totals(layout: Layout) -> dict[str, int]:
    counts = dict.fromkeys(layout.header or layout.names(), 0)
    for names, count in layout.kinds.items():
        for name in names:
            counts[name] += count
    return counts


def whole_counts(layout: Layout, work: Work) -> dict[str, tuple[int, int]]:
    """Return (delivered, produced) per field where everything arrived."""
    work.spend(layout.size // 2, "fields")
    return {name: (count, count) for name, count in _field_totals(layout).items()}


def row_counts(layout: Layout, evidence: Evidence, work: Work) -> tuple[int, int] | None:
    """Return (delivered, produced) rows, None where rows have no meaning."""
    if layout.row_total is None:
        return None
    work.spend(layout.row_total // 2, "rows")
    if evidence.rows is not None:
        return evidence.rows, layout.row_total
    left = layout.remains(evidence.ranges)
    if left is not None:
        return left.rows, layout.row_total
    holder = Holder(evidence.ranges)
    return sum(map(holder.holds, layout.rows or [])), layout.row_total
