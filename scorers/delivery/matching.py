"""Which delivered record is which produced one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from scorers.delivery.sameness import same
from scorers.payload.json_text import canonical
from scorers.payload.work import Work

# How far ahead a changed record is looked for, and records in vain after which it no longer is.
AHEAD = 16
MOST_MISSED = 200


def named(record: dict[Any, Any]) -> dict[str, Any]:
    """Return a record with its keys as text."""
    if all(type(key) is str for key in record):
        return record
    return {str(key): one for key, one in record.items()}


def key_of(value: Any, work: Work) -> Hashable:
    """Return what equal values share: the members of a flat object, else the canonical text."""
    if isinstance(value, dict):
        try:
            key = frozenset(value.items())
        except TypeError:  # something inside can't be hashed
            pass
        else:
            hash(key)
            work.spend(2 + len(value) // 8, "rows")
            return key
    text = canonical(value)
    work.spend(4 + len(text) // 40, "rows")
    return text


def matched(
    ours: list[dict[str, Any]], theirs: list[dict[str, Any]], work: Work
) -> Iterable[tuple[int, dict[str, Any]]]:
    """Pair delivered records with produced ones: by position where none is missing, else equal
    ones first and changed ones with the likest of the next few."""
    if len(ours) == len(theirs) and any(
        _likeness(one, other, work) for one, other in zip(ours, theirs, strict=True)
    ):
        yield from enumerate(theirs)
        return
    places: dict[Hashable, list[int]] = {}
    for index in range(len(ours) - 1, -1, -1):
        places.setdefault(key_of(ours[index], work), []).append(index)
    used: set[int] = set()
    cursor = missed = 0
    for record in theirs:
        equal = places.get(key_of(record, work), [])
        if equal:
            index = equal.pop()
        else:
            # Where nothing is alike, as in another result's rows, looking far is in vain.
            far = cursor + (AHEAD if missed < MOST_MISSED or used else 1)
            ahead = [i for i in range(cursor, min(far, len(ours))) if i not in used]
            index, likeness = -1, 0
            for i in ahead:
                like = _likeness(ours[i], record, work)
                if like > likeness:
                    index, likeness = i, like
                if like == len(ours[i]):
                    break
            if index < 0:
                missed += 1
                continue
        if index not in used:
            used.add(index)
            cursor = index + 1
            yield index, record


def _likeness(ours: dict[str, Any], theirs: dict[str, Any], work: Work) -> int:
    work.spend(2 + len(ours) // 2, "rows")
    if ours == theirs:
        return len(ours)
    return sum(1 for name, one in ours.items() if name in theirs and same(one, theirs[name], work))
