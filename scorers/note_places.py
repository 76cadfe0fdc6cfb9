"""Where notes may stand in a text: lines of their own, and pieces of a line behind dots."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scorers.note_phrases import INLINE


def in_lines(pattern: re.Pattern[str], text: str, first: int, last: int) -> Iterator[re.Match[str]]:
    """Match a pattern of a line at the beginning of each line from `first` up to `last`."""
    at = first
    if first and text[first - 1] != "\n":
        at = text.find("\n", first, last) + 1 or last
    while at < last:
        match = pattern.match(text, at, last)
        if match is not None:
            yield match
        at = text.find("\n", at, last) + 1 or last


def inline(text: str, first: int, last: int) -> Iterator[re.Match[str]]:
    """Match pieces within a line."""
    if text.find("...", first, last) < 0 and text.find("…", first, last) < 0:
        return iter(())
    return INLINE.finditer(text, first, last)
