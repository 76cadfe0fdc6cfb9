"""Messages that come again: each call tells the whole conversation, attribute by attribute."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any

from scorers.turn import Message

Messages = tuple[Message, ...]

# Characters of the fields that are kept, and messages.
_MOST_CHARACTERS = 4 * 2**20
_MOST_MESSAGES = 16_384


class Repeated:
    """What was read of the fields of messages, the last ones within bounds."""

    def __init__(self, most_characters: int = _MOST_CHARACTERS) -> None:
        self._most_characters = most_characters
        self.size = 0
        self._read: OrderedDict[Hashable, tuple[int, Messages]] = OrderedDict()
        self._lock = Lock()

    def read(self, fields: dict[str, Any], kind: str, read: Callable[[], Messages]) -> Messages:
        """Return the messages of such fields, read only once. `kind` is how they are spelled."""
        if not all(value.__class__ is str for value in fields.values()):
            return read()  # a list can't be looked up, and True would be 1
        key = (kind, *fields.items())
        with self._lock:
            known = self._read.get(key)
            if known is not None:
                self._read.move_to_end(key)
                return known[1]
            found = read()
            size = sum(map(len, fields.values()))
            self._read[key] = (size, found)
            self.size += size
            while self.size > self._most_characters or len(self._read) > _MOST_MESSAGES:
                self.size -= self._read.popitem(last=False)[1][0]
            return found
