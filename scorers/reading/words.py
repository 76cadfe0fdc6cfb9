"""The words of a text: a cheap way to see that a pattern can't match anywhere in it."""

from __future__ import annotations

import re

WORD = re.compile(r"[^\W\d_]+")
# Han, kana and Hangul are written without spaces: there a word may stand within another one.
DENSE = re.compile("[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
# Letters that only ignoring case makes equal to ASCII ones: dotted and dotless i, long s, kelvin.
ODD = re.compile("[\u0130\u0131\u017f\u212a]")
Hint = tuple[tuple[str, ...], ...]


class Words:
    """The different words of one text, in lower case."""

    __slots__ = ("_dense", "_odd", "_words")

    def __init__(self, text: str) -> None:
        low = text.lower()
        ascii_only = text.isascii()
        self._words = frozenset(WORD.findall(low))
        self._odd = not ascii_only and ODD.search(text) is not None
        self._dense = low if not ascii_only and DENSE.search(text) else ""

    def may_hold(self, needed: Hint) -> bool:
        """Whether the text may hold a word of each group."""
        return self._odd or all(map(self._holds, needed))

    def _holds(self, words: tuple[str, ...]) -> bool:
        if not self._words.isdisjoint(words):
            return True
        return bool(self._dense) and any(
            word in self._dense for word in words if not word.isascii()
        )


def hint(*groups: str) -> Hint:
    """Return groups of words in lower case: a pattern needs one of each to match at all."""
    return tuple(tuple(group.split()) for group in groups)
