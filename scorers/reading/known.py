"""What the requester has seen, what only the agent has seen, and who said a word first."""

from __future__ import annotations

from functools import cached_property

from scorers.turn import Turn

# Looking for a name in a text this long takes a few milliseconds; what lies beyond is not looked
# at, and the reader says so.
PRIVATE_LIMIT = 8_000_000
REQUESTER_LIMIT = 4_000_000
# A common short name may stand thousands of times inside longer words.
HITS_LIMIT = 200


class Known:
    """Looks names up in both contexts. Names are looked up as whole words."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn

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

    def origin(self, name: str) -> str | None:
        """Return the kind of the first private item that holds a name, None where none does."""
        left = PRIVATE_LIMIT
        for item in self._turn.private:
            text = item.text[:left]
            if holds(text, name) or holds(item.name, name):
                return item.kind
            left -= len(text)
            if left <= 0:
                break
        return None


def holds(text: str, name: str) -> bool:
    """Whether a text holds a name as a whole word."""
    if not name:
        return False
    start = text.find(name)
    for _ in range(HITS_LIMIT):
        if start < 0:
            return False
        end = start + len(name)
        if not _joins(text[max(0, start - 1) : start]) and not _joins(text[end : end + 1]):
            return True
        start = text.find(name, end)
    return False


def _joins(character: str) -> bool:
    """Whether a neighbour makes a name part of a longer one; Han letters do not."""
    return character.isascii() and (character.isalnum() or character == "_")
