"""A reply as a reader sees it: running text apart from code, addresses and quotations.

Masked characters become spaces, so that every offset stays an offset into the reply.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

URL = re.compile(r"(?:https?|ftp|file)://[^\s<>()\[\]\"'`，。）】]+|\bwww\.[^\s<>()\[\]\"'`]+")
INLINE_CODE = re.compile(r"`[^`\n]{1,300}`")
QUOTED = re.compile(
    r"\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|«[^»\n]{1,300}»|「[^」\n]{1,300}」|『[^』\n]{1,300}』"
    r"|‘[^’\n]{1,300}’|《[^》\n]{1,300}》"
)
TAG = re.compile(r"<[/!]?[A-Za-z][^<>\n]{0,300}>")
# A block quotation, line by line.
BLOCK = re.compile(r"^[ \t]{0,3}>[^\n]*", re.MULTILINE)
FENCE = re.compile(r"^[ \t]{0,8}(```+|~~~+)")


class Passage:
    """A text with its masks, lines and sentences, each computed once and only if asked for."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def unfenced(self) -> str:
        """The text with code blocks and addresses masked; inline code still stands."""
        return URL.sub(_blank, _mask_fences(self.text))

    @cached_property
    def prose(self) -> str:
        """The text with inline code and tags masked as well."""
        return TAG.sub(_blank, INLINE_CODE.sub(_blank, self.unfenced))

    @cached_property
    def own_words(self) -> str:
        """What the writer says: prose without quotations."""
        return QUOTED.sub(_blank, BLOCK.sub(_blank, self.prose))

    @cached_property
    def fenced(self) -> bool:
        """Whether the text holds a code block."""
        return _mask_fences(self.text) != self.text

    def sentences(self) -> Iterator[tuple[int, int]]:
        """Yield start and end of each sentence, table row or list item of the unfenced text."""
        for start, end in self.lines():
            yield from _sentences(self.unfenced, start, end)

    def lines(self) -> Iterator[tuple[int, int]]:
        """Yield start and end of each line that is not blank, code blocks left out."""
        start = 0
        for line in self.unfenced.splitlines(keepends=True):
            if line.strip():
                yield start, start + len(line.rstrip())
            start += len(line)


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut one line at sentence ends; a table row is one sentence."""
    if text[start:end].lstrip().startswith("|"):
        yield start, end
        return
    begin = start
    for position in range(start, end):
        mark = text[position]
        if mark in "。！？" or (
            mark in ".!?" and (position + 1 == end or text[position + 1] in ' \t"”)*')
        ):
            stop = position + 1
            while stop < end and text[stop] in '"”)*」』':
                stop += 1
            if text[begin:stop].strip():
                yield begin, stop
            begin = stop
    if text[begin:end].strip():
        yield begin, end


def _mask_fences(text: str) -> str:
    if "```" not in text and "~~~" not in text:
        return text
    out: list[str] = []
    open_fence: str | None = None
    for line in text.splitlines(keepends=True):
        match = FENCE.match(line)
        if match and (open_fence is None or match.group(1).startswith(open_fence)):
            open_fence = match.group(1)[:3] if open_fence is None else None
            out.append(_blank_line(line))
        else:
            out.append(line if open_fence is None else _blank_line(line))
    return "".join(out)


def _blank_line(line: str) -> str:
    body = line.rstrip("\r\n")
    return " " * len(body) + line[len(body) :]


def _blank(match: re.Match[str]) -> str:
    return " " * (match.end() - match.start())
