"""What of one text stands verbatim in another: maximal common runs, each character used once.

Aligned as a tool result is usually cut: first its head and its tail, then whatever else was kept,
found by anchors. Every step is a C-speed comparison of slices or one look-up per character, so the
time is linear in the two lengths for every shape of input (`difflib` is not, and stalls).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from scorers.anchors import ANCHOR, DENSE, Places, index
from scorers.glance import holds

# A run in the middle that is shorter than this is chance.
SHORTEST = 16
FEW = 400  # characters whose blocks are looked for one by one
# Look-ups after which the rest counts as not found; bounds the time on unrelated texts. Trying a
# place costs as much as several, and more the longer the list of what is still free.
MOST_LOOKUPS = 500_000
TRIAL = 6
# Delivered texts longer than `DENSE` are looked up in samples, this far apart.
SAMPLE = 1_024


class Run(NamedTuple):
    """`length` characters from `produced` on that stand in the other text from `delivered` on."""

    produced: int
    delivered: int
    length: int


def common_prefix(a: str, b: str, i: int = 0, j: int = 0, limit: int | None = None) -> int:
    """Return how many characters from `a[i]` and `b[j]` on are equal, at most `limit`."""
    most = min(len(a) - i, len(b) - j)
    if limit is not None:
        most = min(most, limit)
    done, step = 0, 32
    while done < most:  # ever longer steps, then halves: slices compare at the speed of C
        size = min(step, most - done)
        if a.startswith(b[j + done : j + done + size], i + done):
            done += size
            step *= 4
            continue
        while size > 1:
            half = size // 2
            if a.startswith(b[j + done : j + done + half], i + done):
                done += half
                size -= half
            else:
                size = half
        return done
    return done


def common_suffix(a: str, b: str, i: int, j: int, limit: int | None = None) -> int:
    """Return how many characters before `a[i]` and `b[j]` are equal, at most `limit`."""
    most = min(i, j)
    if limit is not None:
        most = min(most, limit)
    done, step = 0, 32
    while done < most:
        size = min(step, most - done)
        if a.endswith(b[j - done - size : j - done], 0, i - done):
            done += size
            step *= 4
            continue
        while size > 1:
            half = size // 2
            if a.endswith(b[j - done - half : j - done], 0, i - done):
                done += half
                size -= half
            else:
                size = half
        return done
    return done


def align(
    produced: str, delivered: str, *, shortest: int = SHORTEST, ends_only: bool = False
) -> tuple[Run, ...]:
    """Return the runs of `produced` that stand in `delivered`, ordered by produced offset.

    No produced and no delivered character is in two runs; runs may stand in another order. A run
    shorter than `shortest` counts only where it is the opening or the end of both texts. With
    `ends_only` nothing else is looked for.
    """
    if not produced or not delivered:
        return ()
    ends = _ends(produced, delivered)
    if ends_only or kept(ends) == len(produced):
        return tuple(ends)
    found = _fill(produced, delivered, ends, shortest)
    return tuple(sorted(_settled(produced, delivered, ends, found)))


def kept(runs: Iterable[Run]) -> int:
    """Return how many produced characters the runs hold."""
    return sum(run.length for run in runs)


def gaps(ranges: Iterable[tuple[int, int]], size: int) -> list[tuple[int, int]]:
    """Return the half-open ranges of a text of `size` characters that `ranges` leave out."""
    left, at = [], 0
    for start, end in sorted(ranges):
        if start > at:
            left.append((at, start))
        at = max(at, end)
    if at < size:
        left.append((at, size))
    return left


def _ends(produced: str, delivered: str) -> list[Run]:
    """Find the opening and the end of `produced`: at the ends of `delivered`, else behind a header
    and before a footer of the harness."""
    most = min(len(produced), len(delivered))
    length = common_prefix(produced, delivered)
    head = Run(0, 0, length) if length >= min(ANCHOR, most) else _inner_head(produced, delivered)
    length = common_suffix(produced, delivered, len(produced), len(delivered))
    if length >= ANCHOR:
        tail = Run(len(produced) - length, len(delivered) - length, length)
    else:
        tail = _inner_tail(produced, delivered)
    if tail.length > head.length:
        head = _before(head, tail)
    else:
        tail = _behind(tail, head)
    return [run for run in (head, tail) if run.length > 0]


def _before(head: Run, tail: Run) -> Run:
    """Shorten `head` so that it ends where the longer `tail` begins; what is left of it then must
    be long enough not to be chance."""
    spare = min(tail.produced - head.produced, tail.delivered - head.delivered, head.length)
    if spare < head.length and spare < 2 * SHORTEST:
        spare = 0
    return Run(head.produced, head.delivered, max(0, spare))


def _behind(tail: Run, head: Run) -> Run:
    """Shorten `tail` so that it begins where `head` ends, as `_before` does."""
    over = max(
        head.produced + head.length - tail.produced,
        head.delivered + head.length - tail.delivered,
        0,
    )
    if over and tail.length - over < 2 * SHORTEST:
        over = tail.length
    return Run(tail.produced + over, tail.delivered + over, tail.length - over)


def _settled(produced: str, delivered: str, ends: list[Run], found: list[Run]) -> list[Run]:
    """Give a short run at an end up to the neighbour it is really the edge of: texts often open
    alike (a date, a bracket) wherever they were cut."""
    runs = ends + found
    for end in ends:
        if end.length >= 2 * SHORTEST:
            continue
        after = next((run for run in found if run.delivered == end.delivered + end.length), None)
        before = next((run for run in found if run.delivered + run.length == end.delivered), None)
        for run in (after, before):
            if run is None:
                continue
            if run is after:
                size = common_suffix(produced, delivered, run.produced, run.delivered, end.length)
                wider = Run(run.produced - size, run.delivered - size, run.length + size)
            else:
                at = run.produced + run.length
                size = common_prefix(produced, delivered, at, end.delivered, end.length)
                wider = Run(run.produced, run.delivered, run.length + size)
            if size == end.length:
                runs = [one for one in runs if one not in (end, run)] + [wider]
                break
    return runs


def _inner_head(produced: str, delivered: str) -> Run:
    """Find the opening of `produced` inside `delivered`."""
    opening = len(produced) - len(produced.lstrip())
    if not holds(delivered, produced[opening : opening + ANCHOR]):
        return Run(0, 0, 0)
    for size in (4 * ANCHOR, 2 * ANCHOR, ANCHOR):
        anchor = produced[opening : opening + size]
        at = delivered.find(anchor) if len(anchor) == size else -1
        if at < 0:
            continue
        back = common_suffix(produced, delivered, opening, at)
        ahead = common_prefix(produced, delivered, opening, at)
        if back + ahead >= SHORTEST:
            return Run(opening - back, at - back, back + ahead)
    return Run(0, 0, 0)


def _inner_tail(produced: str, delivered: str) -> Run:
    """Find the end of `produced` inside `delivered`."""
    end = len(produced.rstrip())
    if not holds(delivered, produced[max(0, end - ANCHOR) : end]):
        return Run(len(produced), len(delivered), 0)
    for size in (4 * ANCHOR, 2 * ANCHOR, ANCHOR):
        anchor = produced[end - size : end] if end >= size else ""
        at = delivered.rfind(anchor) + size if anchor else -1
        if at < size:
            continue
        ahead = common_prefix(produced, delivered, end, at)
        back = common_suffix(produced, delivered, end, at)
        if back + ahead >= SHORTEST:
            return Run(end - back, at - back, back + ahead)
    return Run(len(produced), len(delivered), 0)


def _fill(produced: str, delivered: str, runs: list[Run], shortest: int) -> list[Run]:
    """Find runs between and beside those that are known."""
    known = gaps(((run.delivered, run.delivered + run.length) for run in runs), len(delivered))
    if shortest >= SHORTEST and not _any_block(produced, delivered, known):
        return []
    places = index(
        produced,
        gaps(((run.produced, run.produced + run.length) for run in runs), len(produced)),
    )
    if not places.blocks:
        return []
    found: list[Run] = []
    lookups = MOST_LOOKUPS
    for start, end in known:
        sparse = end - start > DENSE
        before = [run.produced + run.length for run in runs if run.delivered < start]
        cursor = max(before, default=0)
        at = floor = window = start
        while at + places.size <= end and lookups > 0:
            lookups -= 1
            if delivered[at : at + places.size] in places.blocks:
                run = _longest(produced, delivered, at, (floor, end), cursor, places)
                lookups -= TRIAL * places.tried
                places.tried = 0
                if run is not None and run.length >= shortest:
                    found.append(run)
                    lookups -= len(places.starts) // 4_000
                    places.take(run.produced, run.produced + run.length)
                    at = floor = window = run.delivered + run.length
                    cursor = run.produced + run.length
                    continue
            at += 1
            if sparse and at - window >= 4 * places.size:
                window += SAMPLE
                at = window
    return found


def _any_block(produced: str, delivered: str, known: list[tuple[int, int]]) -> bool:
    """Say whether few characters may hold a run, which holds one of their blocks."""
    if sum(end - start for start, end in known) > FEW:
        return True
    return any(
        holds(produced, delivered[at : at + ANCHOR])
        for start, end in known
        for at in range(start, end - ANCHOR + 1, ANCHOR)
    )


def _longest(
    produced: str, delivered: str, at: int, bounds: tuple[int, int], cursor: int, places: Places
) -> Run | None:
    """Return the longest run near `at`. The block there may be common to many lines: the next ones
    tell which line it is."""
    best = _widen(produced, delivered, at, bounds, cursor, places)
    if best is None or best.length >= 2 * SHORTEST:
        return best
    for near in range(at + 1, min(at + places.stride, bounds[1] - places.size) + 1):
        if delivered[near : near + places.size] in places.blocks:
            other = _widen(produced, delivered, near, bounds, cursor, places)
            if other is not None and other.length > best.length:
                best = other
    return best


def _widen(
    produced: str, delivered: str, at: int, bounds: tuple[int, int], cursor: int, places: Places
) -> Run | None:
    """Return the longest run through the block at `at`, within free produced text. A run that
    stands in order (behind `cursor`) is preferred: in repetitive text others are chance."""
    best: Run | None = None
    score = 0
    for place in places.near(delivered[at : at + places.size], cursor):
        places.tried += 1
        free = places.free_at(place)
        if free is None:
            continue
        back = common_suffix(produced, delivered, place, at, min(place - free[0], at - bounds[0]))
        ahead = common_prefix(produced, delivered, place, at, min(free[1] - place, bounds[1] - at))
        length = back + ahead
        worth = 2 * length if place >= cursor else length
        if worth > score:
            best, score = Run(place - back, at - back, length), worth
    if best is not None and best.produced < cursor and best.length < 2 * SHORTEST:
        return None
    return best
