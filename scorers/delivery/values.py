"""Evidence from the two values, where the delivered text carries one that the produced one is
recognisable in: re-serialised, with rows, keys or parts of strings taken out."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any

from scorers.delivery.evidence import Evidence, Place, merged, sampled
from scorers.delivery.matching import key_of, matched, named
from scorers.delivery.sameness import Difference, difference, same
from scorers.overlap import gaps
from scorers.payload.json_text import is_container, read_at
from scorers.payload.layout import Layout
from scorers.payload.views import nodes
from scorers.payload.work import Work

_KEY = re.compile(r'"[^"\\]*+"[ \t\r\n]*+:[ \t\r\n]*+(?=[^ \t\r\n])')
# Delivered containers that are tried.
MOST_CANDIDATES = 50


@dataclass(slots=True)
class Weighing:
    """How one delivered value compares: per produced record the fields that arrived whole, what
    happened to the others, the characters of partly kept values, and the main list's rows. `met`
    counts the fields that are there, whole or not; `met_names` are their names."""

    complete: list[set[str]]
    kinds: set[str] = field(default_factory=set)
    extra: int = 0
    rows: list[bool] | None = None
    met: int = 0
    met_names: set[str] = field(default_factory=set)

    @property
    def score(self) -> tuple[int, int]:
        """Return how much speaks for this value being the produced one: whole, then met fields."""
        return sum(map(len, self.complete)), self.met


def by_value(
    produced: str,
    layout: Layout,
    delivered: str,
    found: Iterable[tuple[Any, int, int]],
    work: Work,
) -> Evidence | None:
    """Compare the produced records with the values `found` in the delivered text, each with its
    range; None where no value is recognisable."""
    best: Weighing | None = None
    span = (0, 0)
    for value, start, end in found:
        for candidate in _candidates(value):
            weighing = _weigh(layout, candidate, work)
            if weighing is not None and (best is None or weighing.score > best.score):
                best, span = weighing, (start, end)
    if best is None or best.score == (0, 0):
        return None
    outside = gaps([span], len(delivered))
    return Evidence(
        ranges=weighed_ranges(produced, layout, best, work),
        noise="\n".join(sampled(delivered[start:end]) for start, end in outside),
        parts=[delivered[span[0] : span[1]]],
        how="value",
        complete=best.complete,
        rows=row_count(layout, best),
        kinds=best.kinds,
        extra=best.extra,
        valid=True,
    )


def _candidates(value: Any) -> Iterable[Any]:
    tried = 0
    for one in nodes(value):
        if isinstance(one, dict | list | tuple) and one:
            tried += 1
            if tried > MOST_CANDIDATES:
                return
            yield one


def _weigh(layout: Layout, value: Any, work: Work) -> Weighing | None:
    if (layout.main is None and len(layout.values) > 1) or _is_list(layout):
        return _weigh_records(layout, value, work)
    channel = _weigh_channel(layout, value, work)
    if channel is not None:
        return channel
    if isinstance(value, dict):
        return _weigh_object(layout, value, work)
    return None


def _weigh_channel(layout: Layout, value: Any, work: Work) -> Weighing | None:
    """Recognise one member of an object, delivered in the whole object's place."""
    record = layout.values[0]
    work.spend(len(record) // 8, "values")
    for name, ours in record.items():
        if type(ours) is type(value) and is_container(ours) and same(ours, value, work):
            return Weighing([{name}], {"channel"}, met=1)
    return None


def _is_list(layout: Layout) -> bool:
    """Say whether the produced text holds records rather than one object."""
    return layout.row_of is not None and layout.size == layout.row_total


def _weigh_object(layout: Layout, value: dict[Any, Any], work: Work) -> Weighing:
    weighing = Weighing([set()])
    work.spend((len(layout.values[0]) + len(value)) // 4, "values")
    theirs = {str(key): one for key, one in value.items()}
    for name, ours in layout.values[0].items():
        if name not in theirs:
            weighing.kinds.add("key")
            continue
        weighing.met += 1
        weighing.met_names.add(name)
        if same(ours, theirs[name], work):
            weighing.complete[0].add(name)
            continue
        found = difference(ours, theirs[name], work)
        weighing.kinds |= found.kinds
        if name == layout.main:
            weighing.rows = _rows_met(ours, theirs[name], work)
        if name != layout.main or not weighing.rows:
            weighing.extra += found.kept
    return weighing


def _rows_met(ours: Any, theirs: Any, work: Work) -> list[bool]:
    """Say for every row of the main list whether it arrived whole."""
    while isinstance(ours, dict) and isinstance(theirs, dict):
        key = next(
            (k for k, v in ours.items() if isinstance(v, list | dict) and v and k in theirs), None
        )
        if key is None:
            return []
        ours, theirs = ours[key], theirs[key]
    if not isinstance(ours, list) or not isinstance(theirs, list):
        return []
    work.spend(len(ours) + len(theirs), "rows")
    have: dict[Hashable, int] = {}
    for one in theirs:
        text = key_of(one, work)
        have[text] = have.get(text, 0) + 1
    met = []
    for one in ours:
        text = key_of(one, work)
        met.append(have.get(text, 0) > 0)
        if met[-1]:
            have[text] -= 1
    return met


def _weigh_records(layout: Layout, value: Any, work: Work) -> Weighing | None:
    if not isinstance(value, list | tuple) or not all(isinstance(one, dict) for one in value):
        return None
    work.spend(len(value), "rows")
    theirs = [named(record) for record in value]
    names = set(layout.values[0])
    if not any(names & record.keys() for record in theirs[:20]):
        return None
    weighing = Weighing([set() for _ in layout.values])
    work.spend(layout.size // 2, "rows")
    found = Difference()
    for index, record in matched(layout.values, theirs, work):
        ours = layout.values[index]
        if ours == record:
            weighing.met += len(ours)
            weighing.complete[index].update(ours)
            if not weighing.met_names >= ours.keys():
                weighing.met_names.update(ours)
            continue
        work.spend(2 * len(ours), "values")
        for name, one in ours.items():
            if name not in record:
                weighing.kinds.add("key")
                continue
            weighing.met += 1
            weighing.met_names.add(name)
            if same(one, record[name], work):
                weighing.complete[index].add(name)
                continue
            difference(one, record[name], work, found)
    weighing.kinds |= found.kinds
    weighing.extra += found.kept
    if len(theirs) < len(layout.values):
        weighing.kinds.add("row")
    return weighing


def weighed_ranges(produced: str, layout: Layout, weighing: Weighing, work: Work) -> list[Place]:
    """Return the produced text without what was lost: rows, members, or values that changed."""
    if weighing.kinds == {"channel"}:
        only = next(layout.places(0)[name] for name in weighing.complete[0])
        return [(value_start(produced, only), only[1])]
    lost: list[Place] = []
    work.spend((layout.row_total or 0) + len(produced) // 200, "rows")
    rows = layout.rows or []
    listed = _is_list(layout)
    for index, whole in enumerate(weighing.complete):
        if not whole and listed:
            lost.append(_with_separator(rows, index))
            continue
        if len(whole) == len(layout.fields(index)):
            continue
        record = layout.places(index)
        work.spend(2 + len(record) // 2, "fields")
        places = list(record.values())
        for place, name in enumerate(record):
            if name in whole:
                continue
            if name in weighing.met_names and not (name == layout.main and weighing.rows):
                lost.append((value_start(produced, places[place]), places[place][1]))
            elif name == layout.main and weighing.rows:
                lost += [
                    _with_separator(rows, row) for row, met in enumerate(weighing.rows) if not met
                ]
            else:
                lost.append(_with_separator(places, place))
    last = max((end for _, end in lost), default=0)
    if lost and not produced[last:].strip(" \t\r\n]}"):
        # The brackets behind what was lost are no more than its frame.
        lost.append((last, len(produced)))
    return merged(gaps(lost, len(produced)), produced)


def value_start(produced: str, place: Place) -> int:
    """Return where the value of a member begins, behind its key; a CSV cell has none."""
    plain = _KEY.match(produced, place[0])
    if plain is not None:
        return plain.end()
    key = read_at(produced, place[0]) if produced.startswith('"', place[0]) else None
    if key is None or key[1] >= place[1]:
        return place[0]
    return place[1] - len(produced[key[1] : place[1]].lstrip(" \t\r\n:"))


def _with_separator(places: list[Place], index: int) -> Place:
    """Return a place up to the next one, so that the comma between goes with it."""
    start, end = places[index]
    return (start, max(end, places[index + 1][0])) if index + 1 < len(places) else (start, end)


def row_count(layout: Layout, weighing: Weighing) -> int | None:
    """Return how many rows arrived whole, None where rows have no meaning."""
    if layout.row_total is None:
        return None
    if _is_list(layout):
        return sum(
            len(whole) == len(layout.fields(index)) for index, whole in enumerate(weighing.complete)
        )
    if layout.main in weighing.complete[0]:
        return layout.row_total
    return sum(weighing.rows or [])
