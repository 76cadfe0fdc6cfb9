"""Names that senders make up, counted in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import Any, Generic, TypeVar

MOST_CHARACTERS = 120
CUT = "…"

Name = TypeVar("Name", bound=Hashable)


def short(name: Any) -> str:
    """Return a name as it is kept: a text, on one line, and not longer than names are."""
    text = name if isinstance(name, str) else "" if name is None else str(name)[:MOST_CHARACTERS]
    if len(text) > MOST_CHARACTERS:
        text = text[: MOST_CHARACTERS - 1] + CUT
    return text if text.isprintable() else "".join(c if c.isprintable() else "�" for c in text)


class Names(Generic[Name]):
    """Counts names; beyond `most` the rarest make room, and what they counted goes to `others`.

    Up to four times as many are held for a while, so that one that is frequent and comes late is
    not taken for a rare one.
    """

    __slots__ = ("_most", "counts", "others")

    def __init__(self, most: int) -> None:
        self._most = most
        self.counts: Counter[Name] = Counter()
        self.others = 0

    def add(self, name: Name, count: int = 1) -> None:
        """Count a name."""
        self.counts[name] += count
        if len(self.counts) > 4 * self._most:
            kept = self.counts.most_common(self._most)
            self.others += self.counts.total() - sum(number for _, number in kept)
            self.counts = Counter(dict(kept))

    @property
    def total(self) -> int:
        """All that was counted."""
        return self.counts.total() + self.others

    def top(self) -> tuple[list[tuple[Name, int]], int]:
        """Return the most frequent names with their counts, equal ones in their own order, and
        how much was counted besides."""
        there = [item for item in self.counts.items() if item[1] > 0]
        ordered = sorted(there, key=lambda item: (-item[1], str(item[0])))
        shown = ordered[: self._most]
        return shown, self.total - sum(number for _, number in shown)
