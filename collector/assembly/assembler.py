"""Decides when turns are over: at their end marker, after a quiet period, at the deadline.

Holds what is open within its bounds. It knows no clock but the one it is given, and does no
assembling itself: `due` hands out what may be over as `Closing`s, which `close` turns into turns
(in a worker thread, if the caller likes), and `done` books the result.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from collector.assembly.combine import weight
from collector.assembly.conversations import Conversations
from collector.assembly.lengths import Lengths
from collector.assembly.links import Links
from collector.assembly.material import Key, Material, key_of, root_ended
from collector.assembly.open_turns import Given, Group, Held, asked_for
from collector.assembly.settings import TurnsConfig
from collector.assembly.turns import assemble
from collector.dialect import AnyOperation, MessageEvent
from collector.span import Record, Span
from scorers.turn import ClosedBy, ToolExecution, Turn

GROUP_SHARE = 4  # one group may hold this part of all bytes, so that one giant starves nobody
ENTRY_KINDS = frozenset({2, 5})  # server and consumer: a request or a message was taken in
_HTTP_NAME = re.compile(r"(?:GET|POST|PUT|PATCH|DELETE) /")
BROKEN_OFF_PATIENCE = 6  # times the lingering of a turn whose tool may still be running
LINK_SIZE = 256  # bytes that a span without operations costs: only its place in the trace is kept


@dataclass(frozen=True, slots=True)
class Closing:
    """A group whose turns may be over. `waits`: an unfinished last turn goes on waiting."""

    key: str
    material: Material
    closed_by: ClosedBy
    waits: bool
    given: dict[str, Given]
    traces: tuple = ()
    first_sequence: int = 0
    sequence: int = 0

    @property
    def started_ns(self) -> int:
        """When its first operation began."""
        starts = (operation.start_ns for operation in self.material.operations)
        return min(filter(None, starts), default=0)


@dataclass(frozen=True, slots=True)
class Closed:
    """What a closing gave: turns that are new or changed. `unfinished`: the last turn waits;
    `broken_off`: it was given out without its end; `left_out` counts tool calls of no turn."""

    key: str
    turns: list[Turn]
    given: dict[str, Given]
    unfinished: bool = False
    broken_off: bool = False
    left_out: int = 0
    traces: tuple = ()
    first_sequence: int = 0
    sequence: int = 0


@dataclass(slots=True)
class Assembler:
    """The stage between operations and turns. Not thread-safe: one owner calls it."""

    config: TurnsConfig
    clock: Callable[[], float]
    groups: dict[str, Group] = field(default_factory=dict)
    size: int = 0
    _by_trace: dict[str, Group] = field(default_factory=dict)
    _links: Links = field(default_factory=Links)

    @property
    def open_count(self) -> int:
        """Groups with something that was not given out yet."""
        return sum(group.is_open for group in self.groups.values())

    def oldest_sequence(self) -> int | None:
        """TEMP."""
        return min((g.first_sequence for g in self.groups.values() if g.is_open), default=None)

    def restore(self, traces, given, settled=0):
        """TEMP."""
        for trace in traces:
            if trace not in self._by_trace:
                now = self.clock()
                group = Group(trace, now, now)
                group.traces.add(trace)
                self._by_trace[trace] = self.groups[trace] = group
                group.changed = False
            group = self._by_trace[trace]
            group.settled = settled
            group.given = {n: Given(k, 0) for n, k in given.items()}

    def add(
        self, record: Record, operations: tuple[AnyOperation, ...], sequence: int = 0
    ) -> str | None:
        """Take one record. Returns None when it was kept, else why not.

        `duplicate`: this span or log record is known already (the more complete copy stays);
        `no_trace_id`: it belongs to nothing; `turn_too_large`: its group is full.
        """
        trace = record.trace_id or _conversation(operations)
        if not trace:
            return "no_trace_id"
        if not operations and not isinstance(record, Span):
            return None  # a log record of something else: nothing to keep
        size = record.size if operations else LINK_SIZE
        now = self.clock()
        group = self._by_trace.get(trace)
        if group is None:
            group = Group(trace, now, now)
            group.traces.add(trace)
            self._by_trace[trace] = self.groups[trace] = group
        identity, rank = _identity(record, operations)
        known = group.held.get(identity)
        if known is not None and not _is_better(rank, operations, known):
            return "duplicate"
        if group.size + size > self.config.max_open_bytes // GROUP_SHARE:
            group.incomplete = "turn_too_large"
            return "turn_too_large"
        group.held[identity] = Held(rank, operations, size)
        grown = size - (known.size if known else 0)
        group.size += grown
        self.size += grown
        if isinstance(record, Span):
            parent = record.parent_id
            group.parents[(trace, record.span_id)] = (trace, parent) if parent else None
            service = record.resource.text("service.name")
            group.lengths.setdefault(service, Lengths()).add(record)
            if record.kind in ENTRY_KINDS or _HTTP_NAME.match(record.name):
                group.entries.add((trace, record.span_id))
        group.last_seen = now
        group.measured = group.measured or bool(operations)
        group.first_sequence = group.first_sequence or sequence
        group.last_sequence = sequence
        if not (sequence and sequence <= group.settled):
            group.changed, group.waiting = True, False
        for operation in operations:
            for part in asked_for(operation):
                if part.id:
                    self._links.ask(part.id, group.key)
        return "duplicate" if known is not None else None

    def due(self, *, final: ClosedBy | None = None) -> list[Closing]:
        """Return what may be over now, oldest first; everything when `final` says why."""
        now = self.clock()
        self._bound()
        self._forget(now)
        ready = [g for g in self.groups.values() if final or self._reason(g, now)]
        for group in sorted(ready, key=lambda g: g.first_seen, reverse=True):
            self._link(group)
        found: list[Closing] = []
        for group in sorted(self.groups.values(), key=lambda g: g.first_seen):
            reason = self._reason(group, now)
            if final is not None and group.is_open:
                ended = root_ended(group.parents)
                reason = final if final == "shutdown" else ("end" if ended else "quiet")
            if reason is None:
                continue
            waits = final is None and reason != "deadline" and not group.forced
            if reason == "end" and not group.roots_are_calls:
                waits = False
            group.changed = False
            found.append(
                Closing(
                    group.key,
                    group.material(),
                    reason,
                    waits,
                    dict(group.given),
                    tuple(group.traces),
                    group.first_sequence,
                    group.last_sequence,
                )
            )
        # A turn is read with what was said before it: the order is that of the turns themselves.
        return sorted(found, key=lambda closing: closing.started_ns)

    def done(self, closed: Closed) -> None:
        """Book what a closing gave; the group stays for late spans, without its turns twice."""
        group = self.groups.get(closed.key)
        if group is None:
            return
        group.given |= closed.given
        group.waiting = closed.unfinished
        group.forced = False
        group.closed_at = self.clock()
        group.broken_off = closed.broken_off

    def again(self, key: str) -> None:
        """Have a group looked at again: what it gave could not be stored."""
        group = self.groups.get(key)
        if group is not None:
            group.changed = True

    def _reason(self, group: Group, now: float) -> ClosedBy | None:
        if not group.is_open:
            return None
        if group.forced or now - group.first_seen >= self.config.deadline:
            # A session's trace may outlive the deadline: what came since the last look still
            # gets its quiet period, so that a turn is not cut in the middle.
            fresh = bool(group.given) and now - group.last_seen < self.config.quiet_period
            if group.forced or not fresh:
                return "deadline"
        if not group.changed:
            return None
        quiet = now - group.last_seen
        if quiet >= self.config.settle and root_ended(group.parents):
            return "end"
        return "quiet" if quiet >= self.config.quiet_period else None

    def _link(self, group: Group) -> None:
        """Join a group with the one whose model call asked for the tools it was answered with."""
        if group.key not in self.groups:
            return
        other = self._links.partner(group, self.groups)
        if other is None:
            return
        self.groups.pop(group.key)
        self._links.move(group, other.key)
        other.absorb(group)
        for trace in group.traces:
            self._by_trace[trace] = other

    def _bound(self) -> None:
        """Keep within the bounds: closed groups go first, then the oldest close early."""
        over = self.size - self.config.max_open_bytes
        many = len(self.groups) - self.config.max_open_turns
        if over <= 0 and many <= 0:
            return
        # Traces without a model call first, then closed turns, then the oldest of the open ones.
        for group in sorted(self.groups.values(), key=lambda g: (g.measured, g.last_seen)):
            if (over > 0 or many > 0) and not group.is_open:
                over, many = over - group.size, many - 1
                self._remove(group)
        for group in sorted(self.groups.values(), key=lambda g: g.last_seen):
            if (over > 0 or many > 0) and not group.forced:
                over, many = over - group.size, many - 1
                group.forced = True
                group.incomplete = group.incomplete or "closed_early"

    def _forget(self, now: float) -> None:
        for group in list(self.groups.values()):
            patience = self.config.linger if group.measured else self.config.quiet_period
            if group.broken_off:
                patience *= BROKEN_OFF_PATIENCE
            if not group.is_open and now - max(group.last_seen, group.closed_at) >= patience:
                self._remove(group)

    def _remove(self, group: Group) -> None:
        self.groups.pop(group.key, None)
        self.size -= group.size
        for trace in group.traces:
            self._by_trace.pop(trace, None)
        self._links.forget(group)


def close(closing: Closing, conversations: Conversations | None) -> Closed:
    """Assemble a closing's turns. A turn given out before keeps its name, and is left out where
    nothing came since; an unfinished last turn is left out where the closing may wait."""
    turns = assemble(closing.material, closed_by=closing.closed_by, conversations=conversations)
    broken_off = bool(turns) and turns[-1].reply_missing in ("unfinished", "closed_early")
    unfinished = broken_off and closing.waits
    tools = {key_of(o) for o in closing.material.operations if isinstance(o, ToolExecution)}
    left_out = len(tools) if not turns else 0
    if unfinished:
        turns = turns[:-1]
    changed: list[Turn] = []
    given: dict[str, Given] = {}
    for turn, name in zip(turns, _names(turns, closing.given), strict=True):
        made_of = Given(_spans(turn), hash(replace(turn, turn_id="", closed_by="end")))
        if closing.given.get(name) == made_of:
            continue
        given[name] = made_of
        changed.append(turn if name == turn.turn_id else replace(turn, turn_id=name))
    return Closed(
        closing.key,
        changed,
        given,
        unfinished,
        broken_off,
        left_out,
        closing.traces,
        closing.first_sequence,
        closing.sequence,
    )


def _names(turns: Sequence[Turn], given: Mapping[str, Given]) -> list[str]:
    """Return a name for each turn, no two alike: that of a turn given out before with which it
    shares spans, else its own. Of several turns that became one the last counts; of one that
    became several, the one with most of its spans keeps its name."""
    order = {name: number for number, name in enumerate(given)}
    owners = {span: name for name, before in given.items() for span in before.spans}
    shared = Counter(
        (at, owners[span])
        for at, turn in enumerate(turns)
        for span in _spans(turn)
        if span in owners
    )
    names: dict[int, str] = {}
    taken: set[str] = set()
    for at, name in sorted(shared, key=lambda pair: (-order[pair[1]], -shared[pair])):
        if at not in names and name not in taken:
            names[at] = name
            taken.add(name)
    for at, turn in enumerate(turns):
        name = turn.turn_id
        while at not in names and name in taken:
            name = hashlib.sha256(name.encode()).hexdigest()[:32]
        taken.add(names.setdefault(at, name))
    return [names[at] for at in range(len(turns))]


def _spans(turn: Turn) -> frozenset[Key]:
    trace = turn.trace_ids[0] if turn.trace_ids else ""
    found = {(call.trace_id, call.span_id) for call in turn.inferences}
    found |= {(trace, result.span_id) for result in turn.tool_results if result.span_id}
    if turn.reply_span_id is not None:
        found.add((turn.reply_trace_id or trace, turn.reply_span_id))
    return frozenset(found or {(trace, turn.turn_id)})


def _conversation(operations: Iterable[AnyOperation]) -> str:
    """Return the group of records outside any trace: their conversation."""
    for operation in operations:
        if operation.conversation_id:
            return f"conversation {operation.conversation_id}"
    return ""


def _identity(
    record: Record, operations: tuple[AnyOperation, ...]
) -> tuple[object, tuple[int, int, int]]:
    """Return what makes two records the same one, and how complete this copy is: by what it
    tells, then by how long it took, then by its attributes."""
    told = sum(map(_told, operations))
    if isinstance(record, Span):
        duration = max(record.end_ns - record.start_ns, 0)
        named = len(record.attributes) + len(record.events)
        return (record.trace_id, record.span_id), (told, duration, named)
    return (record.span_id, record.time_ns, record.event_name, hash(operations)), (0, 0, 0)


def _is_better(
    rank: tuple[int, int, int], operations: tuple[AnyOperation, ...], known: Held
) -> bool:
    if rank != known.rank or operations == known.operations:
        return rank > known.rank
    # Copies that differ and are equally complete: any rule will do that does not ask who was first.
    return repr(operations) > repr(known.operations)


def _told(operation: AnyOperation) -> int:
    if isinstance(operation, ToolExecution):
        return len(operation.result or "") + len(operation.arguments or "")
    if isinstance(operation, MessageEvent):
        return weight((operation.message,))
    return weight(operation.input) + weight(operation.output) + 2
