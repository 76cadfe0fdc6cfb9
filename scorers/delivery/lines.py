"""Evidence from lines: each delivered line is a produced one or its opening, in order.

Finds what runs of characters can't: many short lines, lines clipped one by one, lines left out.
"""

from __future__ import annotations

from bisect import bisect_left

from scorers.delivery.evidence import Evidence, Place, merged
from scorers.delivery.texts import noise_of
from scorers.overlap import common_prefix
from scorers.payload.layout import lines

# What a harness may add to a line it clips.
LONGEST_TAIL = 60
# The opening by which a clipped line is recognised, and lines of one opening that are tried.
OPENING = 20
MOST_TRIED = 32


def by_line(produced: str, blanked: str) -> Evidence | None:
    """Match the lines in order; None where the texts have too few lines to tell. `blanked` is the
    delivered text without known markers."""
    ours, theirs = lines(produced), lines(blanked)
    if len(ours) < 2 or len(theirs) < 2:
        return None
    index: dict[str, list[int]] = {}
    for number, (start, end) in enumerate(ours):
        index.setdefault(produced[start : min(end, start + OPENING)], []).append(number)
    ranges: list[Place] = []
    places: list[Place] = []
    clipped = 0
    cursor = 0
    for start, end in theirs:
        found = _find(produced, blanked, (start, end), (ours, index), cursor)
        if found is None:
            continue
        number, length = found
        first, last = ours[number]
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
    known: tuple[list[Place], dict[str, list[int]]],
    cursor: int,
) -> tuple[int, int] | None:
    """Return the number of the produced line that a delivered one shows, and how much of it."""
    ours, index = known
    start, end = place
    if cursor < len(ours):
        length = _shown(produced, blanked, ours[cursor], place)
        if length is not None:
            return cursor, length
    numbers = index.get(blanked[start : min(end, start + OPENING)])
    if numbers is None:
        return None
    at = bisect_left(numbers, cursor)
    best: tuple[int, int] | None = None
    for number in numbers[at : at + MOST_TRIED]:
        length = _shown(produced, blanked, ours[number], place)
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
