"""Evidence from lines: each delivered line is a produced one or its opening, in order.

Finds what runs of characters can't: many short lines, lines clipped one by one, lines left out.
"""

from __future__ import annotations

from bisect import bisect_left

from scorers.delivery.evidence import Evidence, Place, merged
from scorers.delivery.texts import noise_of
from scorers.overlap import common_prefix
from scorers.payload.layout import lines
from scorers.payload.work import Work

# What a harness may add to a line it clips.
LONGEST_TAIL = 60
# The opening by which a clipped line is recognised, and lines of one opening that are tried: for
# one delivered line, and for all of them beyond one each.
OPENING = 20
MOST_TRIED = 32
MOST_TRIALS = 50_000


class _Lines:
    """The produced lines, findable whole and by their opening."""

    def __init__(self, text: str) -> None:
        self.places = lines(text)
        self.equal: dict[str, list[int]] = {}
        self.alike: dict[str, list[int]] = {}
        self.trials = MOST_TRIALS
        for number, (start, end) in enumerate(self.places):
            self.equal.setdefault(text[start:end], []).append(number)
            if end - start >= OPENING:
                self.alike.setdefault(text[start : start + OPENING], []).append(number)

    def next(self, line: str, cursor: int) -> int | None:
        """Return the next line from `cursor` on that equals a text."""
        numbers = self.equal.get(line)
        if numbers is None or numbers[-1] < cursor:
            return None
        return numbers[bisect_left(numbers, cursor)]


def by_line(produced: str, blanked: str, work: Work) -> Evidence | None:
    """Match the lines in order; None where the texts have too few lines to tell. `blanked` is the
    delivered text without known markers."""
    if "\n" not in produced.strip() or "\n" not in blanked.strip():
        return None
    work.spend(2 * produced.count("\n") + 4 * blanked.count("\n"), "lines")
    ours, theirs = _Lines(produced), lines(blanked)
    if len(ours.places) < 2 or len(theirs) < 2:
        return None
    ranges: list[Place] = []
    places: list[Place] = []
    clipped = 0
    cursor = 0
    for start, end in theirs:
        found = _find(produced, blanked, (start, end), ours, cursor)
        if found is None:
            continue
        number, length = found
        first, last = ours.places[number]
        ranges.append((first, first + length))
        places.append((start, start + length))
        clipped += first + length < last
        cursor = number + 1
    noise, unexplained = noise_of(blanked, places)
    return Evidence(
        ranges=merged(ranges, produced),
        noise=noise,
        parts=[blanked[start:end] for start, end in places],
        how="lines",
        seams=["\n"] * max(0, len(places) - 1),
        clipped=clipped,
        unexplained=unexplained,
    )


def _find(
    produced: str,
    blanked: str,
    place: Place,
    ours: _Lines,
    cursor: int,
) -> tuple[int, int] | None:
    """Return the number of the produced line that a delivered one shows, and how much of it."""
    start, end = place
    if cursor < len(ours.places):
        length = _shown(produced, blanked, ours.places[cursor], place)
        if length is not None:
            return cursor, length
    equal = ours.next(blanked[start:end], cursor)
    if equal is not None:
        return equal, end - start
    numbers = ours.alike.get(blanked[start : start + OPENING]) if end - start >= OPENING else None
    if numbers is None:
        return None
    at = bisect_left(numbers, cursor)
    best: tuple[int, int] | None = None
    for number in numbers[at : at + (MOST_TRIED if ours.trials > 0 else 1)]:
        ours.trials -= 1
        length = _shown(produced, blanked, ours.places[number], place)
        if length is not None and (best is None or length > best[1]):
            best = number, length
            if length == end - start:
                return best
    return best


def _shown(produced: str, blanked: str, ours: Place, theirs: Place) -> int | None:
    """Return how much of a produced line a delivered one shows: all of it, or a long opening with
    little behind it; None for another line."""
    size = theirs[1] - theirs[0]
    length = common_prefix(produced, blanked, ours[0], theirs[0], min(ours[1] - ours[0], size))
    rest = size - length
    if rest == 0 and (length == ours[1] - ours[0] or length >= OPENING):
        return length
    return length if rest <= min(LONGEST_TAIL, size // 2) and length >= OPENING else None
