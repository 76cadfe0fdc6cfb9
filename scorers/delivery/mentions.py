"""Evidence from a text that tells some of the values in words of its own: a summary."""

from __future__ import annotations

from typing import Any

from scorers.delivery.evidence import Evidence
from scorers.delivery.renderings import bounded, flat, scalar_text
from scorers.payload.layout import Layout
from scorers.payload.work import Work

# Values that are looked for; each costs one search of the summary.
MOST_VALUES = 5_000
# A summary is shorter than this.
LONGEST = 40_000
# Shorter values are in every text.
SHORTEST = 3


def by_mention(layout: Layout, delivered: str, work: Work) -> Evidence | None:
    """Return the fields whose value the text mentions though not their names, None where it
    mentions nothing. Only a scalar that occurs once in the produced value identifies a field."""
    if len(delivered) > LONGEST:
        return None
    texts: dict[str, list[tuple[int, str, bool]]] = {}
    for index, record in enumerate(layout.values):
        for name, value in record.items():
            top = not isinstance(value, dict | list)
            for text in _scalars(value, work):
                texts.setdefault(text, []).append((index, name, top))
    folded = flat(delivered).lower()
    complete: list[set[str]] = [set() for _ in layout.values]
    size = 0
    work.spend(min(len(texts), MOST_VALUES) * len(folded) // 4_000, "mentions")
    for text, places in list(texts.items())[:MOST_VALUES]:
        if len(places) > 1 or len(text) < SHORTEST or text in ("true", "false"):
            continue
        place = folded.find(text)
        if place < 0 or not bounded(folded, place, place + len(text)):
            continue
        size += len(text)
        index, name, top = places[0]
        if top:
            complete[index].add(name)
    if not size:
        return None
    return Evidence(
        ranges=[],
        noise=delivered,
        parts=[],
        how="mention",
        complete=complete,
        rows=0,
        extra=size,
        valid=False,
    )


def _scalars(value: Any, work: Work) -> list[str]:
    found, waiting = [], [value]
    while waiting:
        one = waiting.pop()
        work.spend(2, "mentions")
        if isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, list | tuple):
            waiting += one
        elif text := scalar_text(one):
            found.append(text)
    return found
