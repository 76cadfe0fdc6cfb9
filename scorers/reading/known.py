"""What the requester has seen, what only the agent has seen, and who said a word first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import islice

from scorers.turn import Turn

# What lies beyond this is not looked at.
PRIVATE_LIMIT = 8_000_000
REQUESTER_LIMIT = 4_000_000
# Characters of private context that are searched for one reply, over all names: a few tenths of a
# second. A name that is looked for after that counts as not found.
SEARCH_BUDGET = 200_000_000
# A common short name may stand thousands of times inside longer words.
HITS_LIMIT = 200
SERIES_HITS = 2_000
# "K-gate = approval", "**H1**: cold cache", "S4 (the trial)": a name and what it stands for.
DEFINITION = re.compile(
    r"[*_`)]{0,3}\s{0,2}(?:[:=：]|—|–|-\s|\((?=[a-z])|\bis (?:the|a|an)\b|means\b|（)"
    r"\s{0,2}[^\W\d_]"
)


class Known:
    """Looks names up in both contexts. Names are looked up as whole words."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._budget = SEARCH_BUDGET
        self._spent = False
        self._series: dict[str, bool] = {}

    @cached_property
    def requester(self) -> str:
        """Everything the requester has: dialog and files, names included."""
        parts = [said.text for said in self._turn.requester.dialog]
        for file in self._turn.requester.files:
            parts += (file.name, file.text)
        return "\n".join(parts)[:REQUESTER_LIMIT]

    @cached_property
    def folded(self) -> str:
        """The requester's side in lower case."""
        return self.requester.lower()

    @cached_property
    def private(self) -> bool:
        """Whether anything is known of the agent's private context."""
        return any(item.text for item in self._turn.private)

    @cached_property
    def private_length(self) -> int:
        """Characters that only the agent has seen."""
        return sum(len(item.text) for item in self._turn.private)

    @property
    def cut(self) -> bool:
        """Whether private context was left unsearched: it is too long, or there were too many
        names to look up in it."""
        return self.private_length > PRIVATE_LIMIT or self._spent

    @property
    def has_files(self) -> bool:
        """Whether the requester provided files."""
        return bool(self._turn.requester.files)

    @cached_property
    def has_replies(self) -> bool:
        """Whether the agent has told the requester anything before."""
        return any(said.role == "assistant" and said.text for said in self._turn.requester.dialog)

    def to_requester(self, name: str) -> bool:
        """Whether the requester has met a name, in any case."""
        return holds(self.folded, name.lower())

    def family_to_requester(self, family: str) -> bool:
        """Whether the requester has met any name that is numbered in this family."""
        start = self.requester.find(family)
        for _ in range(HITS_LIMIT):
            if start < 0:
                return False
            end = start + len(family)
            after = self.requester[end : end + 1]
            if after.isdigit() and not self.requester[max(0, start - 1) : start].isalnum():
                return True
            start = self.requester.find(family, end)
        return True  # that often: it is an ordinary run of letters to this requester

    def series(self, family: str, fewest: int) -> bool:
        """Whether the private context holds this many different numbers of a family, or may hold
        them in what is not searched."""
        if family not in self._series:
            numbers = (number for text in self._searched() for number in _numbers(text, family))
            seen: set[str] = set()
            for number in islice(numbers, SERIES_HITS):
                if number:
                    seen.add(number)
                if len(seen) >= fewest:
                    break
            self._series[family] = len(seen) >= fewest or self.cut
        return self._series[family]

    def origin(self, name: str) -> str | None:
        """Return the kind of the first private item that holds a name, None where none does."""
        for text, item in zip(self._searched(), self._turn.private, strict=False):
            if holds(text, name) or holds(item.name, name):
                return item.kind
        return None

    def defined(self, name: str, kinds: tuple[str, ...]) -> str | None:
        """Return the kind of the first private item of these kinds that says what a name means."""
        for text, item in zip(self._searched(), self._turn.private, strict=False):
            if item.kind not in kinds:
                continue
            for _, end in islice(_occurrences(text, name), HITS_LIMIT):
                if DEFINITION.match(text, end):
                    return item.kind
        return None

    def _searched(self) -> Iterator[str]:
        """The private texts in order, as long as there is budget."""
        left = PRIVATE_LIMIT
        for item in self._turn.private:
            length = min(len(item.text), left)
            if length > self._budget:
                self._spent = True
                return
            self._budget -= length
            yield item.text if length == len(item.text) else item.text[:length]
            left -= length
            if left <= 0:
                return


def _numbers(text: str, family: str) -> Iterator[str]:
    """The numbers that follow a family's prefix in a text."""
    start = text.find(family)
    while start >= 0:
        end = start + len(family)
        stop = end
        while stop < min(len(text), end + 8) and text[stop].isdigit():
            stop += 1
        if not _joins(text[max(0, start - 1) : start]):
            yield text[end:stop]
        start = text.find(family, max(end, stop))


def holds(text: str, name: str) -> bool:
    """Whether a text holds a name as a whole word."""
    return next(_occurrences(text, name), None) is not None


def _occurrences(text: str, name: str) -> Iterator[tuple[int, int]]:
    """Where a name stands as a whole word, of its first occurrences in longer ones or alone."""
    start = text.find(name) if name else -1
    for _ in range(HITS_LIMIT):
        if start < 0:
            return
        end = start + len(name)
        if not _joins(text[max(0, start - 1) : start]) and not _joins(text[end : end + 1]):
            yield start, end
        start = text.find(name, end)


def _joins(character: str) -> bool:
    """Whether a neighbour makes a name part of a longer one; Han letters do not."""
    return character.isascii() and (character.isalnum() or character == "_")
