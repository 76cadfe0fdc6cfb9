"""Lists of messages that go on where an earlier one ended.

An agent sends its whole conversation with every model call. What was read of it the call before is
kept for a while, so that only the new end of the list is read, and both calls share the rest.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock

from collector.attributes import Utf8
from collector.content import schema
from collector.content.capture import MARK_LENGTH
from collector.content.schema import Unusual
from scorers.turn import Message

# Conversations, the lists of one that are kept (its agents take turns), and bytes of them all:
# their messages stay in memory with them, which is as much again, or twice.
_MOST_THREADS = 1024
_MOST_LISTS = 6
_MOST_BYTES = 2 * 2**20


@dataclass(slots=True, eq=False)
class _Known:
    """A list without its closing bracket (`raw` from `at` to the last byte), its characters, its
    messages, and whether a mark of redaction may be in it."""

    raw: bytes
    at: int
    length: int
    messages: tuple[Message, ...]
    doubtful: bool


class Continued:
    """Reads lists of messages. Holds the last ones of each conversation within its bounds."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self.size = 0
        self._threads: OrderedDict[str, list[_Known]] = OrderedDict()
        self._lock = Lock()

    def read(self, value: Utf8, thread: str) -> tuple[Message, ...]:
        """Return the messages of a list, and mark it `plain` where nothing else is to be found in
        it. Raises `Unusual` where it is not of the conventions' shape. `thread` names the
        conversation or trace that it belongs to.
        """
        with self._lock:
            before = self._before(value, thread)
            found = _grown(before, value) if before else _first(value)
            self._keep(thread, before, found)
        return _booked(found, value)

    def _before(self, value: Utf8, thread: str) -> _Known | None:
        for known in reversed(self._threads.get(thread, ())):
            if value.raw.startswith(known.raw[known.at : -1], value.at):
                return known
        return None

    def _keep(self, thread: str, before: _Known | None, found: _Known) -> None:
        kept = self._threads.setdefault(thread, [])
        self._threads.move_to_end(thread)
        if before is not None:
            kept.remove(before)
            self.size -= len(before.raw)
        kept.append(found)
        self.size += len(found.raw)
        if len(kept) > _MOST_LISTS:
            self.size -= len(kept.pop(0).raw)
        while self.size > self._most_bytes or len(self._threads) > _MOST_THREADS:
            _, oldest = self._threads.popitem(last=False)
            self.size -= sum(len(known.raw) for known in oldest)


def read_once(value: Utf8) -> tuple[Message, ...]:
    """Return the messages of a list that goes on from no other, as `Continued.read` does."""
    return _booked(_first(value), value)


def _booked(found: _Known, value: Utf8) -> tuple[Message, ...]:
    value.length = found.length + 1
    value.plain = not found.doubtful
    if found.doubtful and value.length < MARK_LENGTH:
        raise Unusual  # a mark of redaction in place of a list, perhaps
    return found.messages


def _grown(before: _Known, value: Utf8) -> _Known:
    rest = value.raw[value.at + len(before.raw) - before.at - 1 :]
    begins = rest[:1]
    if rest == b"]":
        return before
    if begins != b"," or not rest.endswith(b"]"):
        raise Unusual
    more, doubtful = schema.read(b"[" + rest[1:])
    if not more:
        raise Unusual  # a comma with nothing behind it
    return _Known(
        value.raw,
        value.at,
        before.length + len(rest.decode()) - 1,
        before.messages + more,
        before.doubtful or doubtful,
    )


def _first(value: Utf8) -> _Known:
    if not value.raw.endswith(b"]"):
        raise Unusual
    found, doubtful = schema.read(memoryview(value.raw)[value.at :])
    if not found:
        raise Unusual
    return _Known(value.raw, value.at, len(value.bytes.decode()) - 1, found, doubtful)
