"""Marks of redaction inside of texts: whether one side was masked and the other was not.

A text that was masked on both sides alike, or whose marks the tool itself wrote, is compared as any
other. One that was masked on one side only differs for the instrumentation's sake: that is no loss.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

LONGEST_MARK = 240
# Marks whose surroundings are looked for in the other text, and how much of these.
MOST_MARKS = 64
CONTEXT = 24
LEAST_CONTEXT = 8

# Only instrumentation writes these.
_SURE = (
    "[Scrubbed due to '",
    "__REDACTED__",
    "<elided>",
    "redacted-by-litellm",
    "<fully masked due to failed mask function>",
    "@@@langfuseMedia:",
    "mlflow-attachment://",
)
# The Collector's redaction processor writes this one, and so do tools and harnesses.
_STARS = "****"
_MARK = re.compile(
    r"\[Scrubbed due to '[^'\]]{1,80}'\]|__REDACTED__|<elided>|redacted-by-litellm|"
    r"<fully masked due to failed mask function>|@@@langfuseMedia:[^@\s]{1,200}@@@|"
    r"mlflow-attachment://[^\s\"\\]{1,200}|(?<!\*)\*{4}(?!\*)"
)
_HIDDEN = re.compile(
    r"^\W*(?:\[Scrubbed due to '[^']*'\]|__REDACTED__|\[REDACTED\]|<redacted>|\[filtered\]|"
    r"<elided>|<not serializable>|redacted-by-litellm|"
    r"<fully masked due to failed mask function>|@@@langfuseMedia:[^@\s]*@@@|"
    r"mlflow-attachment://[^\s\"]*)\W*$|^\s*\*{4}\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Masked:
    """One side masked. `missing` counts what is not there besides what the marks stand for."""

    reason: str
    missing: int = 0


def is_mark(text: str) -> bool:
    """Say whether a text is nothing but a mark in place of content."""
    return len(text) <= LONGEST_MARK and _HIDDEN.match(text) is not None


def masked(produced: str, delivered: str) -> Masked | None:
    """Say which of two sides was masked by the instrumentation; None where none was alone."""
    if not _has_mark(produced) and not _has_mark(delivered):
        return None
    ours, theirs = _marks(produced), _marks(delivered)
    told = [one.group() for one in ours], [one.group() for one in theirs]
    if told[0] == told[1]:
        return None
    if ours and _is_filled(produced, ours, delivered):
        return Masked("produced_redacted")
    if theirs and _is_filled(delivered, theirs, produced):
        return Masked("delivered_redacted")
    if _differs(produced, ours, delivered):
        return Masked("produced_redacted", _shortened(produced, ours, delivered))
    if any(one.group() != _STARS for one in theirs) and _differs(delivered, theirs, produced):
        return Masked("delivered_redacted")
    return None


def _has_mark(text: str) -> bool:
    return _STARS in text or any(mark in text for mark in _SURE)


def _marks(text: str) -> list[re.Match[str]]:
    found: list[re.Match[str]] = []
    for one in _MARK.finditer(text):
        found.append(one)
        if len(found) == MOST_MARKS:
            break
    return found


def _is_filled(masked: str, marks: list[re.Match[str]], other: str) -> bool:
    """Say whether the other text is this one with something else in place of (some) marks."""
    if len(marks) == MOST_MARKS:
        return False
    at, start = 0, 0
    for number, mark in enumerate(marks):
        piece = masked[start : mark.start()]
        found = other.find(piece, at)
        if found < 0 or (number == 0 and found > 0):
            return False
        at, start = found + len(piece), mark.end()
    last = masked[start:]
    return len(other) - len(last) >= at and other.endswith(last)


def _differs(text: str, marks: list[re.Match[str]], other: str) -> bool:
    """Say whether something else stands in the other text where this one has a mark."""
    for mark in marks:
        if mark.group() != _STARS and mark.group() not in other:
            return True
        before = text[max(0, mark.start() - CONTEXT) : mark.start()]
        at = other.find(before) if len(before) >= LEAST_CONTEXT else -1
        if at >= 0 and not other.startswith(mark.group(), at + len(before)):
            return True
    return False


def _shortened(masked: str, marks: list[re.Match[str]], delivered: str) -> int:
    """Return how many characters outside of marks were withheld for certain: 0 where none."""
    first = marks[0].start()
    head = min(first, len(delivered))
    if head < CONTEXT or not delivered.startswith(masked[:head]):
        return 0
    outside = len(masked) - sum(one.end() - one.start() for one in marks)
    return max(0, outside - len(delivered))
