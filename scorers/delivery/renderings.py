"""Evidence from a delivered text that renders the produced value another way: YAML, a table, key
and value lines, XML. Each scalar is looked for behind the one before it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from scorers.delivery.evidence import Evidence, Place, sampled
from scorers.delivery.values import Weighing, row_count, weighed_ranges
from scorers.entities import unescape
from scorers.payload.layout import Layout
from scorers.payload.work import Work

# How far behind the last scalar the next one may stand.
REACH = 2_000
# Scalars after which a text that holds hardly any of them is given up.
ENOUGH = 1_000
# The opening of a long text, by which it is given up.
PROBE = 200_000
# Kinds of objects whose keys are looked for in the whole text, then far ahead, then within reach.
FEW_SHAPES = 4
MOST_SHAPES = 64
FAR = 100_000
# Keys of one object whose order is looked up; a wider one is taken to keep its order.
MOST_KEYS = 200
_WORD = re.compile(r"\w+")
_ESCAPED = re.compile(r"(?<!\\)\\++(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|[nrt])")
_FLAT = re.compile(r"[\s\\]+")


@dataclass(slots=True)
class _Search:
    """The delivered text in lower case, without quotes and repeated white space, and how far it
    has been read. `order` remembers, per set of keys, the order in which the text has them."""

    text: str
    work: Work
    at: int = 0
    found: int = 0
    sought: int = 0
    size: int = 0
    order: dict[tuple[str, ...], list[str]] = field(default_factory=dict)

    @property
    def hopeless(self) -> bool:
        """Say whether so little was found that the text is something else."""
        return self.sought > ENOUGH and self.found < 0.05 * self.sought

    def seek(self, scalar: str) -> bool:
        """Look for the next occurrence of a scalar as a whole word, within reach."""
        self.sought += 1
        self.work.spend(4, "renderings")
        return self._meet(scalar) or any(map(self._meet, _spellings(scalar)))

    def _meet(self, text: str) -> bool:
        place, limit = self.at, self.at + REACH + len(text)
        for _ in range(8):
            place = self.text.find(text, place, limit)
            if place < 0:
                return False
            end = place + len(text)
            if bounded(self.text, place, end):
                self.at = end
                self.found += 1
                self.size += len(text)
                return True
            place += 1
        return False

    def ordered(self, value: dict[Any, Any]) -> list[Any]:
        """Return an object's keys in the order in which the text has them from here on."""
        if len(value) > MOST_KEYS:
            return list(value)
        keys = tuple(str(key) for key in value)
        if keys not in self.order:
            places = {key: self._key(flat(str(key)).lower()) for key in value}
            self.order[keys] = sorted(value, key=lambda key: places[key])
        return self.order[keys]

    def _key(self, key: str) -> int:
        limit = len(self.text)
        if len(self.order) >= FEW_SHAPES:
            limit = min(limit, self.at + (FAR if len(self.order) < MOST_SHAPES else REACH))
        self.work.spend(1 + (limit - self.at) // 4_000, "renderings")
        place = self.text.find(key, self.at, limit)
        while place >= 0 and not bounded(self.text, place, place + len(key)):
            self.work.spend(1, "renderings")
            place = self.text.find(key, place + 1, limit)
        return place if place >= 0 else limit


def by_rendering(produced: str, layout: Layout, delivered: str, work: Work) -> Evidence | None:
    """Look for every scalar of the records in the delivered text, in order; None where too few
    are found, or too little of the delivered text is explained by them, to call it a rendering."""
    if len(delivered) > PROBE and not _promising(layout, delivered):
        return None
    work.spend(len(delivered) // 20, "renderings")
    search = _Search(flat(delivered).lower(), work)
    search.at = opening = _first_key(layout, search.text)
    weighing = Weighing([set() for _ in layout.values])
    words = _WORD.findall(search.text)
    known = set(words)
    named = {name for name in layout.names() if _named(name, known)}
    for index, record in enumerate(layout.values):
        for name in search.ordered(record):
            if search.hopeless:
                return None
            search.size += len(name) if name in named else 0
            rows = _rows_of(record[name]) if name == layout.main else None
            if rows is None:
                whole = _seek_all(search, record[name])
            else:
                weighing.rows = [_seek_all(search, row) for row in rows]
                whole = all(weighing.rows)
            if whole and name in named:
                weighing.complete[index].add(name)
    if not search.found or not _explains(search, words):
        return None
    noise = sampled(search.text[:opening]) + "\n" + sampled(search.text[search.at :])
    return Evidence(
        ranges=_ranges(produced, layout, weighing, work),
        noise=noise,
        parts=[delivered],
        how="rendering",
        complete=weighing.complete,
        rows=row_count(layout, weighing),
        valid=search.found == search.sought,
    )


def _promising(layout: Layout, delivered: str) -> bool:
    """Say whether the opening of a long text holds any of the first scalars."""
    search = _Search(flat(delivered[:PROBE]).lower(), Work())
    search.at = _first_key(layout, search.text)
    for record in layout.values:
        for name in search.ordered(record):
            value = record[name]
            rows = (_rows_of(value) if name == layout.main else None) or [value]
            for row in rows:
                if search.sought > ENOUGH:
                    return not search.hopeless
                if isinstance(row, dict | list):
                    row = list(islice(_leaves(row), ENOUGH))  # noqa: PLW2901 - its opening
                _seek_all(search, row)
    return True


def _leaves(value: Any) -> Iterator[Any]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += reversed(list(islice(one.values(), ENOUGH)))
        elif isinstance(one, list):
            waiting += reversed(one[:ENOUGH])
        else:
            yield one


def _explains(search: _Search, words: list[str]) -> bool:
    if search.found >= 0.8 * search.sought:
        return True
    return search.found >= 4 and search.size >= 0.35 * sum(map(len, words))


def _ranges(produced: str, layout: Layout, weighing: Weighing, work: Work) -> list[Place]:
    if all(len(layout.fields(i)) == len(one) for i, one in enumerate(weighing.complete)):
        return [(0, len(produced))]
    return weighed_ranges(produced, layout, weighing, work)


def _rows_of(value: Any) -> list[Any] | None:
    """Return the elements of the main list, through nested objects."""
    for _ in range(5):
        if isinstance(value, list):
            return value
        if not isinstance(value, dict):
            return None
        lists = [one for one in value.values() if isinstance(one, list) and one]
        if len(value) == 1:
            value = next(iter(value.values()))
        elif len(lists) == 1 and len(lists) == len(value):
            value = lists[0]
        else:
            return None
    return None


def flat(text: str) -> str:
    """Drop quotes, resolve escapes and entities, and collapse white space."""
    text = _ESCAPED.sub(_resolved, unescape(text).replace('"', "").replace("'", ""))
    return _FLAT.sub(" ", text)


def _resolved(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    return chr(int(code, 16)) if code else " "


def _first_key(layout: Layout, folded: str) -> int:
    places = [folded.find(flat(name).lower()) for name in layout.names()[:20]]
    return min((place for place in places if place >= 0), default=0)


def _seek_all(search: _Search, value: Any) -> bool:
    """Look for every scalar inside a value; say whether all of them were found."""
    whole = True
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += [one[key] for key in reversed(search.ordered(one))]
        elif isinstance(one, list | tuple):
            waiting += reversed(one)
        else:
            text = scalar_text(one)
            if text:
                whole = search.seek(text) and whole
    return whole


def scalar_text(value: Any) -> str:
    """Return how a scalar would read; empty for null and for empty strings, which renderings drop
    or spell in many ways."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return str(value).lower()
    if "&" in value or "\\" in value:
        return flat(value).strip().lower()
    return " ".join(value.replace('"', "").replace("'", "").split()).lower()


def _spellings(scalar: str) -> tuple[str, ...]:
    """Return how else a scalar may be spelled."""
    if scalar in ("true", "false"):
        return ("yes" if scalar == "true" else "no",)
    if scalar.endswith(".0") and scalar[:-2].lstrip("-").isdigit():
        return (scalar[:-2],)
    digits = scalar.lstrip("-")
    if 3 < len(digits) < 20 and digits.isdigit() and digits.isascii():
        return (f"{int(scalar):,}",)
    return ()


def bounded(text: str, start: int, end: int) -> bool:
    """Say whether a range of a text is a whole word or number."""
    before = text[start - 1] if start else " "
    after = text[end] if end < len(text) else " "
    opens, closes = text[start], text[end - 1]
    if opens.isalnum() and opens.isascii() and before.isalnum():
        return False
    if closes.isdigit() and after == "." and text[end + 1 : end + 2].isdigit():
        return False
    return not (closes.isalnum() and closes.isascii() and after.isalnum())


def _named(name: str, words: set[str]) -> bool:
    """Say whether a field's name stands in the text, also as separate words ("Due date")."""
    key = flat(name).strip().lower()
    parts = _WORD.findall(key)
    return all(part in words for part in parts) or all(
        part in words for word in parts for part in word.split("_") if part
    )
