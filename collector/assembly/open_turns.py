"""The bounded table of traces whose turns are not over yet, or were over a moment ago.

A group is one trace, or several that carry one turn (a model call each, without a common parent).
After its turns are closed a group stays for a while, so that late spans and second copies find
what they belong to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf

from collector.assembly.footprint import GROUP_SIZE, PLACE_SIZE
from collector.assembly.lengths import Lengths
from collector.assembly.material import Key, Material, key_of
from collector.dialect import AnyOperation, MessageEvent
from scorers.turn import AgentInvocation, Inference, Message, Part, ToolExecution, Turn


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

    `measured` is True once it holds an operation: a trace of something else (requests, queries)
    only keeps the places of its spans, for a while. `first_sequence` and `last_sequence` are the
    lowest and the highest number of the records put into it, 0 where they have none.

    `waiting` is True when its turns were looked at and one of them is unfinished: it is looked at
    again when something arrives that may end it, or at the deadline. `given` names the turns
    already given out; `broken_off` says that the last of them was unfinished: its tool may still
    be running. `released` says that what it gave out is no longer held.

    `roots` are the spans without a parent; `awaited` counts the children of each parent that has
    not come; `calls` are the spans of model calls. Of ids of tool calls, `asked` are those that
    models asked for, `executed` those of tools that ran, and `answered` those of results behind
    the last requester message of a call. `inputs` holds the latest input of each chain of calls,
    by its first message's `id()`.
    """

    key: str
    first_seen: float
    last_seen: float
    traces: set[str] = field(default_factory=set)
    held: dict[object, Held] = field(default_factory=dict)
    parents: dict[Key, Key | None] = field(default_factory=dict)
    roots: set[Key] = field(default_factory=set)
    awaited: dict[Key, int] = field(default_factory=dict)
    entries: set[Key] = field(default_factory=set)
    calls: set[Key] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)
    executed: set[str] = field(default_factory=set)
    answered: set[str] = field(default_factory=set)
    inputs: dict[int, tuple[Message, ...]] = field(default_factory=dict)
    lengths: dict[str | None, Lengths] = field(default_factory=dict)
    look_at: float = inf
    closed_at: float = 0.0
    broken_off: bool = False
    size: int = 0
    first_sequence: int = 0
    last_sequence: int = 0
    measured: bool = False
    changed: bool = True
    waiting: bool = False
    forced: bool = False
    released: bool = False
    given: dict[str, Given] = field(default_factory=dict)
    incomplete: str | None = None

    @property
    def is_open(self) -> bool:
        """Whether something of it may still become a turn."""
        return self.measured and (self.changed or self.waiting)

    @property
    def has_ended(self) -> bool:
        """Whether a root span arrived and no span waits for a parent: nothing more is expected."""
        return bool(self.roots) and not self.awaited

    @property
    def roots_are_calls(self) -> bool:
        """Whether every root span is a model call: then no span says that a turn is over."""
        return self.roots <= self.calls

    def place(self, key: Key, parent: Key | None) -> None:
        """Note where a span stands; what was noted before counts no more."""
        if key in self.parents:
            self._displace(key)
        self.parents[key] = parent
        if self.awaited:
            self.awaited.pop(key, None)
        if parent is None:
            self.roots.add(key)
        elif parent not in self.parents:
            self.awaited[parent] = self.awaited.get(parent, 0) + 1

    def _displace(self, key: Key) -> None:
        before = self.parents[key]
        self.roots.discard(key)
        if before in self.awaited:
            self.awaited[before] -= 1
            if not self.awaited[before]:
                del self.awaited[before]

    def fresh(self, operation: AnyOperation) -> tuple[Message, ...]:
        """Return the messages of an operation's input that no earlier call of its chain had."""
        if not isinstance(operation, Inference | AgentInvocation) or not operation.input:
            return ()
        given = operation.input
        before = self.inputs.get(id(given[0]), ())
        # Readers share the messages that a call repeats: where the last is the same, all are.
        is_same = 0 < len(before) <= len(given) and given[len(before) - 1] is before[-1]
        return given[len(before) :] if is_same else given

    def know(self, operation: AnyOperation) -> list[str]:
        """Note which tool calls an operation asks for, executes or answers. Returns the ids of
        those it asks for."""
        if isinstance(operation, ToolExecution):
            if operation.call_id:
                self.executed.add(operation.call_id)
            return []
        if isinstance(operation, Inference):
            self.calls.add(key_of(operation))
            for message in reversed(self.fresh(operation)):
                if message.role == "user":
                    break
                self.answered.update(p.id for p in message.of_kind("tool_result") if p.id)
            if operation.input:
                self.inputs[id(operation.input[0])] = operation.input
        asked = [part.id for part in asked_for(operation) if part.id]
        self.asked.update(asked)
        return asked

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
        )

    def absorb(self, other: Group) -> None:
        """Take over another group's traces and records."""
        self.traces |= other.traces
        self.held |= other.held
        self.parents |= other.parents
        self.roots |= other.roots
        self.awaited |= other.awaited  # a span and its parent are of one trace
        self.entries |= other.entries
        self.calls |= other.calls
        self.asked |= other.asked
        self.executed |= other.executed
        self.answered |= other.answered
        self.inputs |= other.inputs
        for name, seen in other.lengths.items():
            self.lengths.setdefault(name, Lengths()).merge(seen)
        self.given |= other.given
        self.size += other.size
        self.number(other.first_sequence, other.last_sequence)
        self.first_seen = min(self.first_seen, other.first_seen)
        self.last_seen = max(self.last_seen, other.last_seen)
        self.incomplete = self.incomplete or other.incomplete
        self.measured = self.measured or other.measured
        self.released = self.released or other.released
        self.changed, self.waiting = True, False

    def release(self) -> int:
        """Let go of what was given out; of each record its place and its name stay. Returns the
        bytes that are free again."""
        for identity in self.held:
            self.held[identity] = Held((), 0)
        for name, given in self.given.items():
            self.given[name] = Given(given.spans)
        self.inputs.clear()
        before = self.size
        self.size = GROUP_SIZE + PLACE_SIZE * (len(self.held) + len(self.parents))
        self.released = True
        return before - self.size


def asked_for(operation: AnyOperation) -> Iterator[Part]:
    """Walk over the tool calls that an operation's answer asks for."""
    if isinstance(operation, Inference):
        messages = operation.output or ()
    elif isinstance(operation, MessageEvent) and operation.side == "output":
        messages = (operation.message,)
    else:
        return
    for message in messages:
        yield from message.of_kind("tool_call")


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
