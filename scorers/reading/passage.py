"""A reply as a reader sees it: running text apart from code, addresses and quotations.

Masked characters become spaces, so that every offset stays an offset into the reply.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from scorers.identifiers import Token, tokens
from scorers.reading.words import Words

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
OPENING_QUOTES = '"“«「『‘《'
SENTENCE_END = re.compile(r"(?:[。！？]|[.!?](?=[ \t\"”)*]|\Z))[\"”)*」』]*")


class Passage:
    """A text with its masks, lines and sentences, each computed once and only if asked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._tokens: dict[str, list[Token]] = {}

    @cached_property
    def unfenced(self) -> str:
        """The text with code blocks and addresses masked; inline code still stands."""
        return without_urls(_mask_fences(self.text))

    @cached_property
    def prose(self) -> str:
        """The text with inline code and tags masked as well."""
        text = self.unfenced
        if "`" in text:
            text = INLINE_CODE.sub(_blank, text)
        return TAG.sub(_blank, text) if "<" in text else text

    @cached_property
    def own_words(self) -> str:
        """What the writer says: prose without quotations."""
        text = self.prose
        if ">" in text:
            text = BLOCK.sub(_blank, text)
        if any(mark in text for mark in OPENING_QUOTES):
            text = QUOTED.sub(_blank, text)
        return text

    @cached_property
    def fenced(self) -> bool:
        """Whether the text holds a code block."""
        return _mask_fences(self.text) != self.text

    @cached_property
    def words(self) -> Words:
        """The words of the unfenced text, and so those of the prose and of the own words."""
        return Words(self.unfenced)

    def tokens(self, text: str) -> list[Token]:
        """Return the tokens of the unfenced text, the prose or the own words: often the same."""
        if text not in self._tokens:
            self._tokens[text] = tokens(text)
        return self._tokens[text]

    @cached_property
    def sentences(self) -> list[tuple[int, int]]:
        """Start and end of each sentence, table row or list item of the unfenced text."""
        text = self.unfenced
        return [found for start, end in self.lines() for found in _sentences(text, start, end)]

    def lines(self) -> Iterator[tuple[int, int]]:
        """Yield start and end of each line that is not blank, code blocks left out."""
        start = 0
        for line in self.unfenced.splitlines(keepends=True):
            if line.strip():
                yield start, start + len(line.rstrip())
            start += len(line)


def without_urls(text: str) -> str:
    """Return a text with its addresses masked."""
    return URL.sub(_blank, text) if "://" in text or "www." in text else text


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut one line at sentence ends; a table row is one sentence."""
    if text[start:end].lstrip().startswith("|"):
        yield start, end
        return
    begin = start
    for match in SENTENCE_END.finditer(text, start, end):
        yield begin, match.end()
        begin = match.end()
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
