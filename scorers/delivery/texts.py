"""Evidence from the two texts: verbatim runs, or runs of their skeletons."""

from __future__ import annotations

import re
from itertools import pairwise

from scorers import markers
from scorers.anchors import DENSE
from scorers.delivery.evidence import Evidence, Place, merged, sampled
from scorers.glance import holds
from scorers.overlap import SHORTEST, Run, align, common_prefix, common_suffix, gaps
from scorers.payload.skeleton import Skeleton, skeleton

# A joint of bare dots is a sign of a cut that says nothing: not a marker, and not content either.
_DOTS = re.compile(r"(?<!\.)(?:\.{3}|\.{6}|…)(?!\.)")
# Stands in for a known marker while texts are aligned, so that no run reaches into it.
_FILLERS = "\ufdd0\ufdd1\ufdd2\ufdd3"
# Stands in for a line break of a marker.
NEWLINE = "\ufdd4"
# Of texts longer than this only the part that differs, and what is this near to it, is looked at;
# how much of that at most. Characters that are searched for the markers found.
LONG = 20_000
NEAR = 2_000
# The most dots that stand together, and a character before and behind them.
NEAR_DOTS = 8
DENSEST = 6_000_000
SEARCHES = 200_000_000
BLANKS = _FILLERS + NEWLINE + " \t\r\n"


def without_markers(delivered: str, produced: str) -> tuple[str, tuple[markers.Sighting, ...]]:
    """Blank out the known markers that are not the tool's own text; offsets stay as they are."""
    strange = _strange_part(produced, delivered)
    found = _own(produced, delivered, strange)
    filler = next((char for char in _FILLERS if char not in produced), "\ufdd0")
    parts, at = [], 0
    for one in found:
        start, end = one.start, one.end
        while start > at and one.start - start < 2 and delivered[start - 1] == "\n":
            start -= 1
        while end < len(delivered) and end - one.end < 2 and delivered[end] == "\n":
            end += 1
        parts += [delivered[at:start], _blank(delivered[start:end], filler)]
        at = end
    parts.append(delivered[at:])
    blanked = "".join(parts)
    # Dots that the produced text has not stand where the texts differ, or across its edges.
    first, last = max(0, strange[0] - NEAR_DOTS), strange[1] + NEAR_DOTS
    part = blanked[first:last]
    if ("..." in part or "…" in part) and "..." not in produced and "…" not in produced:
        part = _DOTS.sub(lambda match: filler * len(match[0]), part)
        blanked = blanked[:first] + part + blanked[last:]
    return blanked, found


def _strange_part(produced: str, delivered: str) -> Place:
    """Return the range of the delivered text between what opens and what ends as the produced one
    does."""
    start = common_prefix(produced, delivered)
    most = min(len(produced), len(delivered)) - start
    end = len(delivered) - common_suffix(produced, delivered, len(produced), len(delivered), most)
    return start, end


def _own(produced: str, delivered: str, strange: Place) -> tuple[markers.Sighting, ...]:
    """Return the known markers that the produced text has not. What opens and ends as that does is
    its own, so that only the `strange` part between is searched."""
    start, end = 0, len(delivered)
    if len(delivered) > LONG:
        start, end = max(0, strange[0] - NEAR), min(end, strange[1] + NEAR)
        if end - start > DENSEST:
            return _sampled(produced, delivered, start, end)
    found = markers.sightings(delivered, start=start, end=end, near=strange)
    return _strange(produced, found, delivered)


def _sampled(produced: str, delivered: str, start: int, end: int) -> tuple[markers.Sighting, ...]:
    """Look for markers at both ends of a text that is too long to be searched for each."""
    found = markers.sightings(delivered, start=start, end=start + DENSEST // 2)
    found += markers.sightings(delivered, start=end - DENSEST // 2, end=end)
    return _strange(produced, found, delivered)


def _strange(
    produced: str, found: tuple[markers.Sighting, ...], delivered: str
) -> tuple[markers.Sighting, ...]:
    """Leave out the markers that stand in the produced text. Of many different ones in a long text
    only some are looked for; the others count as the harness's where those do."""
    known: dict[str, bool] = {}
    strange = []
    left = SEARCHES
    for one in found:
        text = delivered[one.start : one.end].strip()
        if text not in known:
            if left <= 0:
                text = one.marker.needle
            left -= len(produced)
            known.setdefault(text, holds(produced, text))
        if not known[text]:
            strange.append(one)
    return tuple(strange)


def _blank(text: str, filler: str) -> str:
    return NEWLINE.join(filler * len(part) for part in text.split("\n"))


def by_text(produced: str, blanked: str) -> Evidence:
    """Align the texts as they are. `blanked` is the delivered text without known markers."""
    found = _of_runs(produced, blanked, align(produced, blanked))
    found.sampled = found.unexplained > DENSE
    return found


def _of_runs(produced: str, blanked: str, runs: tuple[Run, ...]) -> Evidence:
    ranges = [(run.produced, run.produced + run.length) for run in runs]
    places = [(run.delivered, run.delivered + run.length) for run in runs]
    return _evidence(produced, blanked, ranges, places, "text")


def by_ends(produced: str, blanked: str) -> Evidence:
    """Align the openings and the ends alone."""
    return _of_runs(produced, blanked, align(produced, blanked, ends_only=True))


def is_all(ends: Evidence, blanked: str) -> bool:
    """Say whether no run can stand between or beside the ends: only blanks of markers do."""
    white = len(blanked) - sum(map(len, ends.parts)) - sum(map(blanked.count, _FILLERS + NEWLINE))
    return not ends.unexplained and white < SHORTEST


def by_skeleton(produced: str, blanked: str) -> Evidence:
    """Align the texts without what re-serialising changes."""
    ours, theirs = skeleton(produced), skeleton(blanked)
    runs = align(ours.text, theirs.text)
    ranges = [_widened(produced, ours, run) for run in runs]
    places = [theirs.origin(run.delivered, run.delivered + run.length) for run in runs]
    return _evidence(produced, blanked, ranges, places, "skeleton")


def _widened(produced: str, ours: Skeleton, run: Run) -> Place:
    """Map a skeleton run back; quotes and brackets beside it that the skeleton leaves out belong
    to it, since nothing shows that they were lost."""
    start, end = ours.origin(run.produced, run.produced + run.length)
    while start > 0 and produced[start - 1] in "\"'`\\":
        start -= 1
    while end < len(produced) and produced[end] in "\"'`\\":
        end += 1
    return start, end


def _evidence(
    produced: str, delivered: str, ranges: list[Place], places: list[Place], how: str
) -> Evidence:
    """Gather what runs at `ranges` of the produced and `places` of the delivered text show."""
    ordered = sorted(places)
    noise, unexplained = noise_of(delivered, ordered)
    return Evidence(
        ranges=merged(ranges, produced),
        noise=noise,
        parts=[delivered[start:end] for start, end in ordered],
        how=how,
        seams=[sampled(delivered[a[1] : b[0]]) for a, b in pairwise(ordered)],
        unexplained=unexplained,
    )


def noise_of(delivered: str, places: list[Place]) -> tuple[str, int]:
    """Return what of the delivered text stands outside `places`, without the blanks of known
    markers, long stretches sampled; and how many characters that is."""
    parts, size = [], 0
    for start, end in gaps(places, len(delivered)):
        part = delivered[start:end].strip(BLANKS)
        if part:
            size += len(part)
            parts.append(sampled(part))
    return "\n".join(parts), size
