"""The bounded table of traces whose turns are not over yet, or were over a moment ago.

A group is one trace, or several that carry one turn (a model call each, without a common parent).
After its turns are closed a group stays for a while, so that late spans and second copies find
what they belong to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from collector.assembly.lengths import Lengths
from collector.assembly.material import Key, Material
from collector.dialect import AnyOperation, MessageEvent
from scorers.turn import Inference, Part, ToolExecution


@dataclass(slots=True)
class Held:
    """What one record gave: its operations, its size, and how complete the record was."""

    rank: tuple[int, int, int]
    operations: tuple[AnyOperation, ...]
    size: int


@dataclass(frozen=True, slots=True)
class Given:
    """A turn as it was given out: the spans it was made of, and a hash of what it said."""

    spans: frozenset[Key]
    content: int


@dataclass(slots=True, eq=False)
class Group:
    """One group of traces. Times are the clock's seconds, `size` bytes on the wire.

    `measured` is True once it holds an operation: a trace of something else (requests, queries)
    only keeps the places of its spans, for a while.

    `waiting` is True when its turns were looked at and one of them is unfinished: it is looked at
    again when something arrives, or at the deadline. `given` names the turns already given out;
    `broken_off` says that the last of them was unfinished: its tool may still be running.
    """

    key: str
    first_seen: float
    last_seen: float
    traces: set[str] = field(default_factory=set)
    held: dict[object, Held] = field(default_factory=dict)
    parents: dict[Key, Key | None] = field(default_factory=dict)
    entries: set[Key] = field(default_factory=set)
    lengths: dict[str | None, Lengths] = field(default_factory=dict)
    closed_at: float = 0.0
    broken_off: bool = False
    size: int = 0
    measured: bool = False
    changed: bool = True
    waiting: bool = False
    forced: bool = False
    given: dict[str, Given] = field(default_factory=dict)
    incomplete: str | None = None
    first_sequence: int = 0
    last_sequence: int = 0
    settled: int = 0

    @property
    def is_open(self) -> bool:
        """Whether something of it may still become a turn."""
        return self.measured and (self.changed or self.waiting)

    def operations(self) -> Iterator[AnyOperation]:
        """Walk over the operations in order of arrival."""
        for held in self.held.values():
            yield from held.operations

    def material(self) -> Material:
        """Return what is known of the group, as assembly takes it."""
        return Material(
            list(self.operations()),
            dict(self.parents),
            set(self.entries),
            self.incomplete,
            {name: seen.limit for name, seen in self.lengths.items() if seen.limit},
        )

    def requested(self) -> set[str]:
        """Return the ids of all tool calls that the group's model calls asked for."""
        return {
            part.id for operation in self.operations() for part in asked_for(operation) if part.id
        }

    @property
    def roots_are_calls(self) -> bool:
        """Whether every root span is a model call: then no span says that a turn is over."""
        calls = {
            (operation.trace_id, operation.span_id)
            for operation in self.operations()
            if isinstance(operation, Inference)
        }
        return all(key in calls for key, parent in self.parents.items() if parent is None)

    def absorb(self, other: Group) -> None:
        """Take over another group's traces and records."""
        self.traces |= other.traces
        self.held |= other.held
        self.parents |= other.parents
        self.entries |= other.entries
        for name, seen in other.lengths.items():
            self.lengths.setdefault(name, Lengths()).merge(seen)
        self.given |= other.given
        self.size += other.size
        self.first_seen = min(self.first_seen, other.first_seen)
        self.last_seen = max(self.last_seen, other.last_seen)
        self.incomplete = self.incomplete or other.incomplete
        self.measured = self.measured or other.measured
        self.changed, self.waiting = True, False


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


def answered_ids(group: Group) -> set[str]:
    """Return ids of tool results that stand behind the last requester message of a call."""
    found: set[str] = set()
    for operation in group.operations():
        if not isinstance(operation, Inference):
            continue
        for message in reversed(operation.input or ()):
            if message.role == "user":
                break
            found |= {part.id for part in message.of_kind("tool_result") if part.id}
    return found


def executed_ids(group: Group) -> set[str]:
    """Return the call ids of the tools that were executed in a group."""
    return {
        operation.call_id
        for operation in group.operations()
        if isinstance(operation, ToolExecution) and operation.call_id
    }


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
