"""The bounded table of traces whose turns are not over yet, or were over a moment ago.

A group is one trace, or several that carry one turn (a model call each, without a common parent).
After its turns are closed a group stays for a while, so that late spans and second copies find
what they belong to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf

from collector.assembly.footprint import PLACE_SIZE
from collector.assembly.lengths import Lengths
from collector.assembly.material import Key, Material
from collector.assembly.tool_calls import ToolCalls
from collector.dialect import AnyOperation
from collector.span import Span
from collector.stated import Stated
from scorers.turn import Inference, Turn

ENTRY_KINDS = frozenset({2, 5})  # server and consumer: a request or a message was taken in
MOST_RECORDS = 20_000  # of one group: assembling a trace of a million tiny spans would take minutes
_HTTP_NAME = re.compile(r"(?:GET|POST|PUT|PATCH|DELETE) /")


@dataclass(slots=True)
class Held:
    """What one record gave, the bytes it adds, and how complete it is beside what it tells: how
    long the span took, and how many attributes and events it has."""

    operations: tuple[AnyOperation, ...]
    size: int
    completeness: tuple[int, int] = (0, 0)


@dataclass(slots=True)
class Given:
    """A turn as it was given out, and the spans it was made of. `turn` is None where only its name
    and its spans are known."""

    spans: frozenset[Key]
    turn: Turn | None = None


@dataclass(slots=True, eq=False)
class Group:
    """One group of traces. Times are the clock's seconds, `size` bytes in memory.

    A trace of something else (requests, queries) only keeps the places of its spans, for a while;
    `calls`, what model calls and tools tell about each other, is there once it holds an operation.
    `first_sequence` and `last_sequence` are the lowest and the highest number of the records put
    into it, 0 where they have none; turns of those up to `settled` were given out before a restart.

    `began` is when its first operation came that was not given out: the deadline counts from there.
    `waiting` is True when its turns were looked at and one of them is unfinished: it is looked at
    again when something arrives that may end it, or at the deadline. `given` names the turns
    already given out; `broken_off` says that the last of them was unfinished: its tool may still
    be running. What began before `gone_ns` was given out and is held no longer.

    `roots` counts the spans without a parent; `awaited` counts the children of each parent that has
    not come. `stated` is what spans say about the turn they stand in or around.
    """

    key: str
    first_seen: float
    last_seen: float
    size: int = 0
    traces: list[str] = field(default_factory=list)
    held: dict[object, Held] = field(default_factory=dict)
    parents: dict[Key, Key | None] = field(default_factory=dict)
    roots: int = 0
    awaited: dict[Key, int] = field(default_factory=dict)
    entries: list[Key] = field(default_factory=list)
    lengths: dict[str | None, Lengths] = field(default_factory=dict)
    stated: dict[Key, Stated] = field(default_factory=dict)
    given: dict[str, Given] = field(default_factory=dict)
    calls: ToolCalls | None = None
    look_at: float = inf
    began: float = 0.0
    closed_at: float = 0.0
    first_sequence: int = 0
    last_sequence: int = 0
    settled: int = 0
    broken_off: bool = False
    changed: bool = True
    waiting: bool = False
    forced: bool = False
    gone_ns: int = 0
    incomplete: str | None = None

    @property
    def measured(self) -> bool:
        """Whether it ever held an operation."""
        return self.calls is not None

    @property
    def is_open(self) -> bool:
        """Whether something of it may still become a turn."""
        return self.calls is not None and (self.changed or self.waiting)

    @property
    def has_ended(self) -> bool:
        """Whether a root span arrived and no span waits for a parent: nothing more is expected."""
        return self.roots > 0 and not self.awaited

    @property
    def roots_are_calls(self) -> bool:
        """Whether every root span is a model call: then no span says that a turn is over."""
        models = self.calls.models if self.calls is not None else set()
        return sum(self.parents.get(key, key) is None for key in models) == self.roots

    def full(self, share: int) -> str | None:
        """Say why nothing more can be put into it, None where something can. `share` is the bytes
        that one group may hold."""
        if self.size < share and len(self.held) < MOST_RECORDS:
            return None
        self.incomplete = "turn_too_large"
        return "turn_too_large"

    def see(self, key: Key, span: Span, stated: Stated | None = None) -> int:
        """Note where a span stands, what its attributes show, and what it states about its turn.
        Returns the bytes that this adds."""
        size = 0 if key in self.parents else PLACE_SIZE
        self.place(key, (key[0], span.parent_id) if span.parent_id else None)
        service = span.resource.text("service.name")
        lengths = self.lengths.get(service)
        if lengths is None:
            lengths = self.lengths[service] = Lengths()
        lengths.add(span)
        if span.kind in ENTRY_KINDS or _HTTP_NAME.match(span.name):
            self.entries.append(key)
        # What an operation has itself need not be kept twice.
        if stated is None or (key in self.held and not (stated.files or stated.memory)):
            return size
        known = self.stated.get(key)
        self.stated[key] = stated
        return size + stated.size - (known.size if known is not None else 0)

    def place(self, key: Key, parent: Key | None) -> None:
        """Note where a span stands; what was noted before counts no more."""
        if key in self.parents:
            self._displace(key)
        self.parents[key] = parent
        if self.awaited:
            self.awaited.pop(key, None)
        if parent is None:
            self.roots += 1
        elif parent not in self.parents:
            self.awaited[parent] = self.awaited.get(parent, 0) + 1

    def _displace(self, key: Key) -> None:
        before = self.parents[key]
        if before is None:
            self.roots -= 1
        elif before in self.awaited:
            self.awaited[before] -= 1
            if not self.awaited[before]:
                del self.awaited[before]

    def number(self, first: int, last: int) -> None:
        """Note the sequence numbers of records that were put in."""
        if first:
            self.first_sequence = min(self.first_sequence or first, first)
            self.last_sequence = max(self.last_sequence, last)

    def operations(self) -> Iterator[AnyOperation]:
        """Walk over the operations in order of arrival."""
        for held in self.held.values():
            yield from held.operations

    def material(self) -> Material:
        """Return what is known of the group, as assembly takes it."""
        return Material(
            [operation for held in self.held.values() for operation in held.operations],
            dict(self.parents),
            set(self.entries),
            self.incomplete,
            {name: limit for name, seen in self.lengths.items() if (limit := seen.limit)},
            dict(self.stated),
        )

    def absorb(self, other: Group) -> None:
        """Take over another group's traces and records."""
        self.traces += other.traces
        self.held |= other.held
        self.parents |= other.parents
        self.roots += other.roots
        self.awaited |= other.awaited  # a span and its parent are of one trace
        self.entries += other.entries
        if self.calls is not None and other.calls is not None:
            self.calls.absorb(other.calls)
        self.calls = self.calls or other.calls
        for name, seen in other.lengths.items():
            self.lengths.setdefault(name, Lengths()).merge(seen)
        self.given |= other.given
        self.stated |= other.stated
        self.size += other.size
        self.number(other.first_sequence, other.last_sequence)
        self.first_seen = min(self.first_seen, other.first_seen)
        self.last_seen = max(self.last_seen, other.last_seen)
        self.began = min(self.began, other.began)
        self.incomplete = self.incomplete or other.incomplete
        self.gone_ns = max(self.gone_ns, other.gone_ns)
        self.changed, self.waiting = True, False

    def let_go(self, before_ns: int) -> int:
        """Let go of what ended by a time, and of the turns that began before it: they were given
        out. The places of the spans stay. Returns the bytes that are free again."""
        freed = 0
        for identity, held in list(self.held.items()):
            if all(operation.end_ns <= before_ns for operation in held.operations):
                del self.held[identity]
                freed += held.size
        for name, given in list(self.given.items()):
            if given.turn is None or given.turn.started_ns < before_ns:
                del self.given[name]
        if self.calls is not None:
            self.calls.inputs.clear()
        self.gone_ns = max(self.gone_ns, before_ns)
        self.size -= freed
        return freed


def opening(group: Group) -> str | None:
    """Return the first user-role text of the group's model calls, None when none is recorded."""
    for operation in group.operations():
        if isinstance(operation, Inference):
            for message in operation.input or ():
                if message.role == "user" and message.text:
                    return message.text
    return None


def conversation_ids(group: Group) -> set[str]:
    """Return the conversations that the group's operations name."""
    return {o.conversation_id for o in group.operations() if o.conversation_id}
