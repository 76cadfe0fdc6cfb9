"""A text without what re-serialising changes, and the way back to the original's offsets.

White space, quotes, backslashes and terminal colours are left out; escaped characters (`\\u00e9`,
`&amp;`) stand as themselves; Python's True, False and None read like JSON's. Two renderings of the
same content at any level of JSON-in-JSON have the same skeleton.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field

# Longer texts are compared as they are, or by their parsed values.
LONGEST = 4_000_000

_PIECE = re.compile(
    r"""\\+u[dD][89abAB][0-9a-fA-F]{2}\\+u[dD][c-fC-F][0-9a-fA-F]{2}"""
    r"""|\\+u[0-9a-fA-F]{4}|\\*\x1b\[[0-9;?]*[ -/]*[@-~]|\\+x[0-9a-fA-F]{2}"""
    r"""|&(?:amp|lt|gt|quot|apos|nbsp|\#39|\#34|\#x27);|\b(?:True|False|None)\b"""
    r"""|\\+[nrtbf/]|[\s"'`\u200b\ufeff]+|\\+"""
)
_ENTITIES = {"&amp;": "&", "&lt;": "<", "&gt;": ">"}
_WORDS = {"True": "true", "False": "false", "None": "null"}
_HEX = re.compile(r"u([0-9a-fA-F]{4})")


@dataclass(slots=True)
class Skeleton:
    """`text` is the skeleton. Piece *i* begins at `starts[i]` in it and at `origins[i]` in the
    original, where it is `spans[i]` long; a piece that is one escaped character is longer there."""

    text: str
    size: int
    starts: list[int] = field(default_factory=list)
    origins: list[int] = field(default_factory=list)
    spans: list[int] = field(default_factory=list)

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Return the range of the original that skeleton characters `start` up to `end` cover."""
        return self._offset(start, last=False), self._offset(end - 1, last=True)

    def _offset(self, at: int, *, last: bool) -> int:
        piece = bisect_right(self.starts, at) - 1
        inner = at - self.starts[piece]
        following = self.starts[piece + 1] if piece + 1 < len(self.starts) else len(self.text)
        if following - self.starts[piece] == self.spans[piece]:
            return self.origins[piece] + inner + (1 if last else 0)
        return self.origins[piece] + (self.spans[piece] if last else 0)


def skeleton(text: str) -> Skeleton:
    """Reduce a text to its skeleton."""
    parts: list[str] = []
    made = Skeleton("", len(text))
    at = length = 0

    def add(part: str, origin: int, span: int) -> None:
        nonlocal length
        if part:
            parts.append(part)
            made.starts.append(length)
            made.origins.append(origin)
            made.spans.append(span)
            length += len(part)

    for match in _PIECE.finditer(text):
        start, end = match.span()
        add(text[at:start], at, start - at)
        add(_plain(match[0]), start, end - start)
        at = end
    add(text[at:], at, len(text) - at)
    made.text = "".join(parts)
    return made


def _plain(piece: str) -> str:
    """Return what an escaped piece stands for in the skeleton; nothing for what is left out."""
    if piece in _WORDS:
        return _WORDS[piece]
    if piece in _ENTITIES:
        return _ENTITIES[piece]
    if piece[0] == "\\":
        units = [int(code, 16) for code in _HEX.findall(piece)]
        if len(units) == 2:
            return chr(0x10000 + ((units[0] - 0xD800) << 10) + (units[1] - 0xDC00))
        if len(units) == 1:
            char = chr(units[0])
            return "" if char.isspace() or char in "\"'`\\\x1b" else char
    return ""
