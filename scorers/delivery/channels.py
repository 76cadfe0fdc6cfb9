"""Evidence from a message that holds one text member of an object, without the object: a client
that forwards `stdout` or the text blocks alone."""

from __future__ import annotations

import re
from typing import Any

from scorers.delivery.evidence import Evidence, Place, merged, sampled
from scorers.delivery.renderings import bounded, flat, scalar_text
from scorers.delivery.values import value_start
from scorers.payload.layout import Layout
from scorers.payload.views import opened
from scorers.payload.work import Work

# A shorter member may stand in a message by chance.
SHORTEST = 16
_WORD = re.compile(r"[^\W_]+")


def by_channel(produced: str, layout: Layout, delivered: str, work: Work) -> Evidence | None:
    """Return the evidence where the delivered text is one member's text, with at most a notice
    around it; None where it is not."""
    if layout.main is not None or layout.size != 1:
        return None
    record = layout.values[0]
    name = _carried(record, delivered, work)
    if name is None:
        return None
    text = str(opened(record[name])).strip()
    at = delivered.find(text)
    places_of = layout.places(0)
    around = delivered[:at] + "\n" + delivered[at + len(text) :]
    words = flat(sampled(around)).lower()
    work.spend(len(record) * (1 + len(words) // 1_000), "channels")
    complete = {
        other for other, value in record.items() if other == name or _told(other, value, words)
    }
    places: list[Place] = [
        (value_start(produced, places_of[one]), places_of[one][1]) for one in complete
    ]
    whole = len(complete) == len(record)
    return Evidence(
        ranges=[(0, len(produced))] if whole else merged(places, produced),
        noise=sampled(around),
        parts=[text],
        how="value",
        complete=[complete],
        kinds=set() if whole else {"channel"},
        valid=True,
    )


def _carried(record: dict[str, Any], delivered: str, work: Work) -> str | None:
    """Name the member whose text is at least half of the delivered text."""
    bare = delivered.strip()
    for name, value in record.items():
        work.spend(1 + len(value) // 100 if isinstance(value, str) else 1, "channels")
        text = opened(value)
        if not isinstance(text, str) or not SHORTEST <= len(text.strip()) <= len(bare):
            continue
        if 2 * len(text.strip()) < len(bare):
            continue
        work.spend(len(bare) // 1_000, "channels")
        if text.strip() in bare:
            return name
    return None


def _told(name: str, value: Any, words: str) -> bool:
    """Say whether what stands around tells a member: its name and its scalar; an empty one has
    nothing to tell."""
    if value in (None, "", [], {}):
        return True
    if isinstance(value, dict | list):
        return False
    text = scalar_text(value)
    at = words.find(text) if text else -1
    while at >= 0 and not bounded(words, at, at + len(text)):
        at = words.find(text, at + 1)
    return at >= 0 and all(part in words for part in _WORD.findall(name.lower()))
