"""What is known of one group of traces: its operations, and which span stands under which."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from collector.dialect import AnyOperation
from collector.stated import Stated
from scorers.turn import AgentInvocation, Operation, ToolExecution

Key = tuple[str, str]
MAX_DEPTH = 2000  # ancestors followed at most: a longer chain is a loop or an attack
MAX_AROUND = 64  # enclosing operations remembered for each span


def key_of(operation: Operation) -> Key:
    """Return what identifies an operation's span: trace id and span id."""
    return (operation.trace_id, operation.span_id)


@dataclass(slots=True)
class Material:
    """Operations in order of arrival, and the parent of every span seen (operation or not).

    `parents` maps a span to its parent, or to None for a root; `entries` are the spans in which a
    process served a request or a message. `incomplete` says why spans of the group are known to be
    missing here, None where none is. `limits` are value length limits that services show, `stated`
    what spans say about the turns in them.
    """

    operations: list[AnyOperation] = field(default_factory=list)
    parents: dict[Key, Key | None] = field(default_factory=dict)
    entries: set[Key] = field(default_factory=set)
    incomplete: str | None = None
    limits: dict[str | None, int] = field(default_factory=dict)
    stated: dict[Key, Stated] = field(default_factory=dict)


class Tree:
    """Where an operation stands: the tool call and the agents around it.

    Built once over a group, linear in its spans; loops of parents end instead of hanging.
    """

    def __init__(
        self,
        operations: Iterable[Operation],
        parents: Mapping[Key, Key | None],
        entries: Iterable[Key] = (),
    ) -> None:
        self._parents = parents
        self._entries = set(entries)
        self._entry: dict[Key, Key | None] = {}
        self._operations = {key_of(operation): operation for operation in operations}
        self._above: dict[Key, tuple[Operation, ...]] = {}
        self._places: dict[int, _Place] = {}

    def above(self, key: Key) -> tuple[Operation, ...]:
        """Return the operations around a span, nearest first."""
        known = self._above.get(key)
        return self._climb(key) if known is None else known

    def _climb(self, key: Key) -> tuple[Operation, ...]:
        path: list[Key] = []
        at: Key | None = key
        seen: set[Key] = set()
        while at is not None and at not in self._above and at not in seen and len(seen) < MAX_DEPTH:
            seen.add(at)
            path.append(at)
            at = self._parents.get(at)
        for member in reversed(path):
            parent = self._parents.get(member)
            if parent is None or parent not in self._above:
                # A root, a parent that never came, or the end of a loop: nothing is known above.
                self._above[member] = ()
                continue
            holder = self._operations.get(parent)
            outer = self._above[parent]
            self._above[member] = outer if holder is None else (holder, *outer[: MAX_AROUND - 1])
        return self._above.get(key, ())

    def entry_around(self, key: Key) -> Key | None:
        """Return the outermost span around one in which a request was served, None without one."""
        if not self._entries:
            return None
        path: list[Key] = []
        at: Key | None = key
        while at is not None and at not in self._entry and len(path) < MAX_DEPTH:
            self._entry[at] = None  # ends loops of parents
            path.append(at)
            at = self._parents.get(at)
        outer = self._entry.get(at) if at is not None else None
        for member in reversed(path):
            if outer is None and member in self._entries:
                outer = member
            self._entry[member] = outer
        return outer

    def leave_entries(self, keys: Iterable[Key]) -> None:
        """Stop taking some spans for one request: several were served in them."""
        self._entries -= set(keys)
        self._entry.clear()

    def tool_around(self, operation: Operation) -> ToolExecution | None:
        """Return the tool call inside which an operation ran, None at the top level."""
        return self._place(operation).tool

    def agents_around(self, operation: Operation) -> tuple[AgentInvocation, ...]:
        """Return the agents around an operation, nearest first, up to the nearest tool call."""
        return self._place(operation).agents

    def run_around(self, operation: Operation) -> Key:
        """Return the run an operation belongs to: the request it was served in, else its outermost
        agent, else its trace."""
        entry = self.entry_around(key_of(operation)) if self._entries else None
        if entry is not None:
            return entry
        agents = self._place(operation).agents
        return key_of(agents[-1]) if agents else (operation.trace_id, "")

    def _place(self, operation: Operation) -> _Place:
        place = self._places.get(id(operation))
        if place is None:
            place = self._places[id(operation)] = _Place(operation, self.above(key_of(operation)))
        return place


class _Place:
    """The nearest tool call around an operation, and the agents within it. It keeps the operation,
    by whose `id()` it is known."""

    __slots__ = ("agents", "operation", "tool")

    def __init__(self, operation: Operation, above: tuple[Operation, ...]) -> None:
        self.operation = operation
        self.tool: ToolExecution | None = None
        agents: list[AgentInvocation] = []
        for holder in above:
            if isinstance(holder, ToolExecution):
                self.tool = holder
                break
            if isinstance(holder, AgentInvocation):
                agents.append(holder)
        self.agents = tuple(agents)
