"""Evidence from a delivered text that renders the produced value another way: YAML, a table, key
and value lines, XML, prose. Each scalar is looked for behind the one before it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from scorers.delivery.evidence import Evidence, Place, merged
from scorers.payload.layout import Layout

# How far behind the last scalar the next one may stand, and scalars that are looked for.
REACH = 2_000
MOST_SCALARS = 200_000
_SPACE = re.compile(r"[\s\\]+")


@dataclass(slots=True)
class _Scalar:
    record: int
    name: str
    text: str
    found: bool = False


def by_rendering(produced: str, layout: Layout, delivered: str) -> tuple[Evidence, float] | None:
    """Look for every scalar of the records in the delivered text, in order; returns the evidence
    and the share of scalars found, None where there are too few to tell."""
    text = _flat(delivered)
    folded = text.lower()
    scalars = list(_scalars(layout, folded))
    if not scalars:
        return None
    at = 0
    start = _first_key(layout, folded)
    at = max(0, start)
    for scalar in scalars:
        end = _find(folded, scalar.text, at)
        if end is not None:
            scalar.found, at = True, end
    share = sum(scalar.found for scalar in scalars) / len(scalars)
    complete = _complete(layout, scalars, folded)
    ranges = _ranges(produced, layout, complete)
    return (
        Evidence(
            ranges=ranges,
            noise="",
            parts=[delivered],
            how="rendering",
            complete=complete,
            valid=share == 1,
        ),
        share,
    )


def _flat(text: str) -> str:
    return _SPACE.sub(" ", text.replace('"', "").replace("'", ""))


def _first_key(layout: Layout, folded: str) -> int:
    places = [folded.find(name.lower()) for name in layout.names()[:20]]
    return min((place for place in places if place >= 0), default=0)


def _scalars(layout: Layout, folded: str) -> Iterator[_Scalar]:
    """Yield the scalars of every record, keys in the order in which the delivered text has them."""
    order: dict[str, int] = {}

    def rank(key: str) -> int:
        if key not in order:
            order[key] = folded.find(_flat(str(key)).lower())
        return order[key]

    count = 0
    for index, record in enumerate(layout.values):
        for name in sorted(record, key=rank):
            for text in _leaves(record[name], rank):
                count += 1
                if count > MOST_SCALARS:
                    return
                yield _Scalar(index, name, text)


def _leaves(value: Any, rank: Any) -> Iterator[str]:
    """Yield the texts of the scalars in a value; empty and null ones have none."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += [one[key] for key in sorted(one, key=rank, reverse=True)]
        elif isinstance(one, list | tuple):
            waiting += reversed(one)
        elif isinstance(one, bool):
            yield str(one).lower()
        elif one is not None and (text := _flat(str(one)).strip().lower()):
            yield text


def _find(folded: str, scalar: str, at: int) -> int | None:
    """Return the offset behind the scalar's next occurrence as a whole word, None if it has none
    within reach."""
    limit = at + REACH + len(scalar)
    for text in _spellings(scalar):
        place = at
        for _ in range(8):
            place = folded.find(text, place, limit)
            if place < 0:
                break
            end = place + len(text)
            if _bounded(folded, place, end):
                return end
            place += 1
    return None


def _spellings(scalar: str) -> tuple[str, ...]:
    if scalar in ("true", "false"):
        return scalar, "yes" if scalar == "true" else "no"
    if scalar.endswith(".0") and scalar[:-2].lstrip("-").isdigit():
        return scalar, scalar[:-2]
    digits = scalar.lstrip("-")
    if len(digits) > 3 and digits.isdigit() and len(digits) < 20:
        return scalar, f"{int(scalar):,}"
    return (scalar,)


def _bounded(text: str, start: int, end: int) -> bool:
    before = text[start - 1] if start else " "
    after = text[end] if end < len(text) else " "
    opens, closes = text[start], text[end - 1]
    if opens.isalnum() and opens.isascii() and before.isalnum():
        return False
    if closes.isdigit() and after == "." and text[end + 1 : end + 2].isdigit():
        return False
    return not (closes.isalnum() and closes.isascii() and after.isalnum())


def _complete(layout: Layout, scalars: list[_Scalar], folded: str) -> list[set[str]]:
    """Return the fields of each record whose scalars were all found and whose name is there."""
    named = {name for name in layout.names() if _named(name, folded)}
    lost = {(scalar.record, scalar.name) for scalar in scalars if not scalar.found}
    return [
        {name for name in record if name in named and (index, name) not in lost}
        for index, record in enumerate(layout.values)
    ]


def _named(name: str, folded: str) -> bool:
    key = _flat(name).strip().lower()
    return key in folded or key.replace("_", " ") in folded or key.replace("_", "") in folded


def _ranges(produced: str, layout: Layout, complete: list[set[str]]) -> list[Place]:
    found: list[Place] = []
    if all(len(w) == len(r) for r, w in zip(layout.records, complete, strict=True)):
        return [(0, len(produced))]
    for index, (record, whole) in enumerate(zip(layout.records, complete, strict=True)):
        if len(whole) == len(record) and layout.rows and len(layout.rows) == len(layout.records):
            found.append(layout.rows[index])
        else:
            found += [record[name] for name in whole]
    return merged(found, produced)


def mentioned(layout: Layout, delivered: str) -> tuple[list[set[str]], int]:
    """Return, per record, the fields whose scalar value a summary mentions though not their names,
    and the characters of all values it mentions. Only values that occur once identify a field."""
    texts: dict[str, list[tuple[int, str, bool]]] = {}
    for index, record in enumerate(layout.values):
        for name, value in record.items():
            top = not isinstance(value, dict | list)
            for text in _leaves(value, lambda _key: 0):
                texts.setdefault(text, []).append((index, name, top))
    folded = _flat(delivered).lower()
    fields: list[set[str]] = [set() for _ in layout.values]
    size = 0
    for text, places in list(texts.items())[:5_000]:
        if len(places) > 1 or len(text) < 3 or text in ("true", "false"):
            continue
        place = folded.find(text)
        if place >= 0 and _bounded(folded, place, place + len(text)):
            size += len(text)
            index, name, top = places[0]
            if top:
                fields[index].add(name)
    return fields, size
