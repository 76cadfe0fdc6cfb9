"""What is left of a JSON array of objects that was cut in the middle or at an end.

Where its opening and its end were kept, the elements there need not be located one by one: a C
parser counts them. An array's opening that parses, once it is closed, ends between two elements.
"""

from __future__ import annotations

from typing import NamedTuple

from scorers.payload.json_text import elements_in
from scorers.payload.members import Place, members, skip

# Ends of objects that are tried as the end of an element.
MOST_TRIED = 4


class Remains(NamedTuple):
    """The indexes of the elements that are whole, and the members of those that may be torn."""

    whole: tuple[range, ...]
    torn: tuple[dict[str, Place], ...]

    @property
    def rows(self) -> int:
        """Return how many elements are whole."""
        return sum(map(len, self.whole))


def remains(text: str, total: int, ranges: list[Place]) -> Remains | None:
    """Return what `ranges` hold of the array of `total` objects that a text is; None where they are
    not its opening, its end or both, or its elements would have to be located to tell."""
    head: Place | None = None
    tail: Place | None = None
    opening, end = skip(text, 0), len(text.rstrip())
    for place in ranges:
        if place[0] <= opening and head is None:
            head = place
        elif place[1] >= end and tail is None:
            tail = place
        else:
            return None
    if head is not None and head[1] >= end:
        return None
    before = (0, opening + 1) if head is None else _before(text, opening, head[1])
    after = (0, end - 1) if tail is None else _after(text, end, tail[0])
    if before is None or after is None or before[0] + after[0] >= total:
        return None
    starts = set()
    if head is not None:
        starts.add(text.find("{", before[1]))
    if tail is not None:
        last = _start_before(text, after)
        if last is None:
            return None
        starts.add(last)
    whole = (range(before[0]), range(total - after[0], total))
    return Remains(whole, tuple(members(text, start) for start in sorted(starts)))


def _before(text: str, opening: int, end: int) -> tuple[int, int] | None:
    """Count the elements in front of `end`, and say where the last of them ends."""
    at = end
    for _ in range(MOST_TRIED):
        at = text.rfind("}", opening, at)
        if at < 0:
            return 0, opening + 1
        count = elements_in(text[: at + 1] + "]")
        if count is not None:
            return count, at + 1
    return None


def _after(text: str, end: int, start: int) -> tuple[int, int] | None:
    """Count the elements from `start` on, and say where the first of them begins."""
    at = start - 1
    for _ in range(MOST_TRIED):
        at = text.find("{", at + 1)
        if at < 0:
            return 0, end - 1
        count = elements_in("[" + text[at:])
        if count is not None:
            return count, at
    return None


def _start_before(text: str, after: tuple[int, int]) -> int | None:
    """Return where the element in front of those begins."""
    count, at = after
    for _ in range(MOST_TRIED):
        at = text.rfind("{", 0, at)
        if at < 0:
            return None
        if elements_in("[" + text[at:]) == count + 1:
            return at
    return None
