"""Whether a pair of texts itself proves that the instrumentation, not the harness, cut a side."""

from __future__ import annotations

import re

from scorers import markers
from scorers.delivery.masks import is_mark
from scorers.payload.json_text import MISSING, json_cost, read

# A message that stands for an empty result is shorter than this.
LONGEST_EMPTY = 240
# The OpenAI Agents SDK's trace exporter shortens a field at 100 000 bytes of JSON, which are
# fewer once it is decoded.
EXPORTER_LIMITS = range(90_000, 100_100)
# Less agreement at the start than this proves nothing.
SHORTEST_PREFIX = 24
# Steps of parsing that the question is worth.
MOST_PARSED = 300_000

# What stands for nothing: ADK writes `{}` for content that it does not record.
_NOTHING = frozenset({"", "{}", "[]", '""', "null", "None"})
_CAPTURE_END = re.compile(r"(?:\.\.\. ?\[truncated(?:, \d+ chars)?\]|\.\.\.|…)\s*$")


def capture_cut(produced: str, delivered: str) -> str | None:
    """Return why a side can't be seen, None where the pair proves nothing of the kind."""
    ours, theirs = produced.strip(), delivered.strip()
    if ours in _NOTHING:
        return "produced_empty" if len(theirs) > LONGEST_EMPTY else None
    if not theirs:
        return "delivered_empty"
    if is_mark(theirs) and not is_mark(ours):
        return "delivered_redacted"
    if is_mark(ours) and not is_mark(theirs):
        return "produced_redacted"
    if len(theirs) > len(ours):
        return "produced_cut_by_capture" if _continues(produced, ours, theirs) else None
    if _exporter_marker(theirs) and theirs not in ours:
        return "delivered_cut_by_capture"
    return None


def _continues(produced: str, ours: str, theirs: str) -> bool:
    """Say whether the longer delivered text is the produced one, going on where that was cut."""
    end = _CAPTURE_END.search(ours, max(0, len(ours) - LONGEST_EMPTY))
    if end is not None and end.start() >= SHORTEST_PREFIX and not theirs.startswith(ours):
        return theirs.startswith(ours[: end.start()]) and not markers.note(
            theirs[end.start() :][:200]
        )
    if len(ours) < SHORTEST_PREFIX or not theirs.startswith(ours):
        return False
    rest = theirs[len(ours) :]
    torn = ours[-1].isalnum() and rest[0].isalnum()
    if torn or _is_completed(ours, theirs):
        return True
    # Cut exactly at a limit somebody typed, and much longer: no harness adds that much.
    size = len(produced)
    round_limit = size >= 128 and (size % 1_000 == 0 or size & (size - 1) == 0)
    return round_limit and len(rest) > max(LONGEST_EMPTY, size // 4)


def _is_completed(ours: str, theirs: str) -> bool:
    """Say whether the longer text is JSON and its opening is not."""
    if json_cost(theirs) > MOST_PARSED or (ours[0], ours[-1]) in (("{", "}"), ("[", "]")):
        return False
    return read(ours) is MISSING and read(theirs) is not MISSING


def _exporter_marker(text: str) -> bool:
    """Say whether a text ends as a known trace exporter's shortened attribute."""
    short = len(text) <= EXPORTER_LIMITS.stop
    if short and text.endswith("... [truncated]") and _bytes(text) in EXPORTER_LIMITS:
        return True
    end = text[-LONGEST_EMPTY:]
    if not any(marker.needle in end for marker in markers.of_stages(("observe",))):
        return False
    found = markers.sightings(text, ("observe",), start=max(0, len(text) - LONGEST_EMPTY))
    return any(one.marker.kind == "capture" and one.end == len(text) for one in found)


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
