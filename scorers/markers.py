"""Texts that harnesses leave where they withheld something, and what they say about sizes.

The table beside this module (`marker_table.json`) holds one entry per text that was read in a
harness's source or documentation: harness, kind, the pipeline stage it belongs to, a pattern, a
plain `needle` that must occur for the pattern to match (so that a long text costs one substring
search per entry), an example, and the strategy where the text alone gives it away. `note` finds the
texts of harnesses that are not in the table.

Sizes: the groups `removed`, `total` and `kept` count `unit` (characters where it says nothing).
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from scorers.notes import is_note, notes

LOSS_STAGES = ("deliver", "retain")
# A placeholder or a pointer that stands alone is short; a longer message is content.
LONGEST_NOTICE = 1_200
# Matches of one pattern in one text, and needles without a match after which it is given up.
MOST_SIGHTINGS = 1_000
MOST_MISSES = 100
# Longer texts are not remembered; how near to a range a needle stands whose marker reaches into it.
SHORT = 240
REACH = 64
# The harness of a note that is recognised by its build alone.
UNKNOWN = "(unknown)"


@dataclass(frozen=True, slots=True)
class Marker:
    """One text a harness leaves. `kind` is cut, pointer, page, line_clip, leaf, row_limit, reject,
    mask, evict, summary, synopsis, source, budget, capture or redaction; `whole` says that it
    replaces the whole message; `strategy` is None where its text does not tell."""

    harness: str
    kind: str
    stage: str
    strategy: str | None
    whole: bool
    needle: str
    pattern: re.Pattern[str]
    example: str


@dataclass(frozen=True, slots=True)
class Sighting:
    """A marker in a text, at `start` up to `end`, with the sizes it states (None: not stated)."""

    marker: Marker
    start: int
    end: int
    removed: int | None = None
    total: int | None = None
    unit: str | None = None
    path: str | None = None


@cache
def table() -> tuple[Marker, ...]:
    """Return every known marker."""
    entries = json.loads(files("scorers").joinpath("marker_table.json").read_text("utf-8"))
    return tuple(
        Marker(**{**entry, "pattern": re.compile(entry["pattern"], re.MULTILINE)})
        for entry in entries
    )


@cache
def of_stages(stages: tuple[str, ...]) -> tuple[Marker, ...]:
    """Return the known markers of some stages."""
    return tuple(marker for marker in table() if marker.stage in stages)


def sightings(
    text: str,
    stages: tuple[str, ...] = LOSS_STAGES,
    *,
    start: int = 0,
    end: int | None = None,
    near: tuple[int, int] | None = None,
) -> tuple[Sighting, ...]:
    """Return the known markers in a text from `start` up to `end`, in order; where two overlap, the
    longer one. With `near`, only those are sure to be found that reach into this range of it."""
    end = len(text) if end is None else min(end, len(text))
    if start == 0 and end == len(text) <= SHORT:
        return _in_short(text, stages)
    return _sightings(text, stages, start, end, near or (start, end))


@lru_cache(maxsize=1_024)
def _in_short(text: str, stages: tuple[str, ...]) -> tuple[Sighting, ...]:
    """Placeholders are the same on every turn."""
    return _sightings(text, stages, 0, len(text), (0, len(text)))


def _sightings(
    text: str, stages: tuple[str, ...], start: int, end: int, near: tuple[int, int]
) -> tuple[Sighting, ...]:
    region = text[start:end]
    first, last = max(0, near[0] - start - REACH), max(0, near[1] - start + REACH)
    window = region[first:last]
    found: list[Sighting] = []
    for marker in of_stages(stages):
        if marker.needle in window:
            matches = _matches(marker, region, first, last)
            found += [_sighting(marker, match, start) for match in matches]
    if "deliver" in stages and not _covers(found, text, near):
        other = _unlisted(text, start, end, near)
        found = _disjoint(found)
        starts = [one.start for one in found]
        # What a known text says of itself goes before what its build tells.
        found += [one for one in other if not _overlaps(one, found, starts)]
    return tuple(_disjoint(found))


def _covers(found: list[Sighting], text: str, near: tuple[int, int]) -> bool:
    """Say whether one marker is all that there is in a range but for white space."""
    rest = text[near[0] : near[1]] if found else ""
    first, last = near[1] - len(rest.lstrip()), near[0] + len(rest.rstrip())
    return any(one.start <= first and last <= one.end for one in found)


def _overlaps(one: Sighting, others: list[Sighting], starts: list[int]) -> bool:
    at = bisect_left(starts, one.end)
    return at > 0 and others[at - 1].end > one.start


def _disjoint(found: list[Sighting]) -> list[Sighting]:
    found = sorted(found, key=lambda one: (one.start, -one.end))
    kept: list[Sighting] = []
    for one in found:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


# Markers of no known harness, by the kind of their note.
_NOTES = {
    kind: Marker(
        harness=UNKNOWN,
        kind=kind,
        stage="deliver",
        strategy=strategy,
        whole=False,
        needle="",
        pattern=re.compile(r"(?!)"),
        example="",
    )
    for kind, strategy in (
        ("cut", None),
        ("row_limit", None),
        ("evict", "evict_placeholder"),
        ("pointer", None),
        ("reject", "reject_error"),
    )
}


def _unlisted(text: str, start: int, end: int, near: tuple[int, int]) -> list[Sighting]:
    return [
        Sighting(_NOTES[one.kind], one.start, one.end, one.removed, one.total, one.unit, one.path)
        for one in notes(text, start, end, near)
    ]


def _matches(marker: Marker, text: str, first: int, last: int) -> list[re.Match[str]]:
    """Match around each needle from `first` up to `last` only: patterns never scan a long text."""
    if marker.whole:
        match = marker.pattern.search(text) if len(text) <= LONGEST_NOTICE else None
        return [match] if match else []
    found: list[re.Match[str]] = []
    at = text.find(marker.needle, first, last)
    missed = 0
    while at >= 0 and len(found) < MOST_SIGHTINGS and missed < MOST_MISSES:
        match = marker.pattern.search(text, max(0, at - 600), at + 25_000)
        end = at + len(marker.needle)
        if match and match.end() >= end:
            found.append(match)
            end = match.end()
        else:
            missed += 1
        at = text.find(marker.needle, end, last)
    return found


def _sighting(marker: Marker, match: re.Match[str], offset: int) -> Sighting:
    groups = match.groupdict()
    return Sighting(
        marker,
        match.start() + offset,
        match.end() + offset,
        _count(groups.get("removed")),
        _count(groups.get("total")),
        groups.get("unit"),
        groups.get("path"),
    )


def _count(text: str | None) -> int | None:
    digits = "".join(char for char in text or "" if char.isdigit())
    return int(digits[:18]) if digits else None


# Words that hardly anything but a note uses, in the languages of harnesses' users.
_LOST = (
    r"truncat|\bomitted|elided|clipped|abbreviated|\bsnip\b|cut off|preview only|"
    r"too (?:long|large|big)|exceed\w* (?:the )?(?:max|limit|size)|not shown|withheld|offloaded|"
    r"(?:saved|stored|written|spilled|kept|dumped) (?:to|in|at|as|under) "
    r"(?:\S{0,3}[/\\]|artifact|file)|"
    r"\b(?:full|complete|entire) (?:output|result|content|response|text) "
    r"(?:is |was )?(?:at|in|saved)|"
    r"showing [\d,]{1,16}|"
    r"tronqu|omis\b|coup[ée]e?s?\b|gek(?:ü|ue)rzt|abgeschnitten|ausgelassen|recortad|truncad|"
    r"omitid|обрезан|сокращ[её]н|пропущен|усеч|省略|截断|截斷|切り捨て|切り詰め|잘림|생략|"
    r"اقتطاع|مقتطع"
)
_NOTE = re.compile(_LOST, re.IGNORECASE)
_AMOUNT = re.compile(
    r"(?<![\d,_.])[\d,_.]{0,40}\d\s{0,4}(?:more |additional |other )?"
    r"(?P<unit>(?:tokens?|lines?|bytes?|char(?:acter)?s?|rows?|items?|records?|messages?|[kKMG]i?B|"
    r"Zeichen|Zeilen|caract[eè]res|lignes|l[ií]neas|символ\w*|строк\w*)\b|字符|个字符|文字|글자|行|줄)"
)


_UNITS = {
    **dict.fromkeys(("zeich", "carac", "симво", "字符", "个字符", "文字", "글자"), "chars"),
    **dict.fromkeys(("zeile", "ligne", "línea", "linea", "строк", "行", "줄"), "lines"),
}


def note(text: str) -> bool:
    """Say whether a text that a harness added speaks of something withheld."""
    return is_note(text) or _NOTE.search(text) is not None


def unit(text: str) -> str | None:
    """Return the unit that a harness's note counts in: tokens, lines, bytes, chars, rows, items."""
    for match in _AMOUNT.finditer(text):
        word = _UNITS.get(match["unit"].lower()[:5], match["unit"].lower())
        for name in ("token", "line", "byte", "char", "row", "item", "record"):
            if word.startswith(name):
                return {"record": "rows"}.get(name, name + "s")
        if word.endswith("b"):
            return "bytes"
    return None
