"""Decides when turns are over: at their end marker, after a quiet period, at the deadline.

Holds what is open within its bounds. It knows no clock but the one it is given, and does no
assembling itself: `due` hands out what may be over as `Closing`s, which `close` turns into turns
(in a worker thread, if the caller likes), and `done` books the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import inf
from operator import attrgetter

from collector.assembly.agenda import Agenda
from collector.assembly.closing import Closed, Closing, closing_of
from collector.assembly.copies import completeness, is_better, log_identity, place_of, why_nowhere
from collector.assembly.footprint import GROUP_SIZE
from collector.assembly.links import Links
from collector.assembly.material import Key
from collector.assembly.open_turns import Given, Group, Held
from collector.assembly.replies import may_end
from collector.assembly.retained import Retained, let_go_of_earlier_turns
from collector.assembly.settings import TurnsConfig
from collector.assembly.tool_calls import ToolCalls
from collector.dialect import AnyOperation
from collector.span import Record, Span
from collector.stated import Stated
from scorers.turn import ClosedBy

GROUP_SHARE = 2  # one group may hold this part of all bytes, so that one giant starves nobody
PRESSED = 0.5  # of what may be open: beyond, turns that ended wait less for late spans


@dataclass(slots=True)
class Assembler:
    """The stage between operations and turns. Not thread-safe: one owner calls it.

    Every closing that `due` hands out is to come back by `done` or `again`: until then its group
    counts as open, and is not looked at.
    """

    config: TurnsConfig
    clock: Callable[[], float]
    groups: dict[str, Group] = field(default_factory=dict)
    size: int = 0
    agenda: Agenda = field(init=False)
    _by_trace: dict[str, Group] = field(default_factory=dict)
    _open: dict[str, Group] = field(default_factory=dict)
    _retained: Retained = field(default_factory=Retained)
    _links: Links = field(default_factory=Links)
    _share: int = field(init=False)

    def __post_init__(self) -> None:
        self._share = self.config.max_open_bytes // GROUP_SHARE
        self.agenda = Agenda(self.config, self.groups)

    @property
    def open_count(self) -> int:
        """Groups with something that was not given out yet."""
        return len(self._open)

    def oldest_sequence(self) -> int | None:
        """Return the lowest sequence number of a record whose group is open, None without any:
        of the records before it, everything was given out."""
        numbers = (group.first_sequence for group in self._open.values() if group.first_sequence)
        return min(numbers, default=None)

    def restore(
        self, traces: Iterable[str], given: Mapping[str, frozenset[Key]], settled: int = 0
    ) -> None:
        """Note the turns of a group that were given out before a restart, each with its spans, to
        be called before its records are added again: they keep their names. What comes up to the
        number `settled` was in them, and makes no turn again by itself."""
        group: Group | None = None
        for trace in traces:
            known = self._by_trace.get(trace)
            if group is None:
                group = known or self._new_group(trace)
            elif known is None:
                group.traces.append(trace)
                self._by_trace[trace] = group
            elif known is not group:
                self._join(known, group)
        if group is not None:
            group.given |= {name: Given(spans) for name, spans in given.items()}
            group.settled = max(group.settled, settled)
            group.changed = False

    def add(
        self,
        record: Record,
        operations: tuple[AnyOperation, ...],
        sequence: int = 0,
        stated: Stated | None = None,
    ) -> str | None:
        """Take one record. Returns None when it was kept, else why not.

        `duplicate`: this span or log record is known already (the more complete copy stays);
        `no_trace_id`: it belongs to nothing; `turn_too_large`: its group is full; `late`: the turn
        it may belong to is held no longer. `sequence` numbers what the record came with, `stated`
        is what it says about its turn.
        """
        trace = place_of(record, operations)
        span = record if isinstance(record, Span) else None
        if not trace:
            return why_nowhere(record, operations)
        if not operations and span is None:
            return None  # a log record of something else: nothing to keep
        group = self._by_trace.get(trace) or self._new_group(trace)
        key = (trace, record.span_id)
        if span is not None and not operations and group.calls is None and not group.settled:
            return self._see_other(group, key, span, sequence, stated)
        is_copy = span is not None and key in group.parents
        if operations:
            identity = key if span is not None else log_identity(record, operations)
            reason = self._hold(group, identity, Held(operations, 0, completeness(record)))
        else:
            reason = "duplicate" if is_copy else group.full(self._share)
        group.number(sequence, sequence)
        if reason is not None:
            return "duplicate" if is_copy and reason == "late" else reason
        if span is not None:
            self._grow(group, group.see(key, span, stated))
        group.last_seen = now = self.clock()
        ended = group.has_ended
        waits = group.waiting or group.broken_off
        if 0 < sequence <= group.settled:
            # Stored before a restart: it only waits for late spans.
            self._retained.add(group)
            self.agenda.plan(group)
        elif not waits or ended or any(map(may_end, operations)):
            group.changed, group.waiting = True, False
        elif not group.changed:
            group.waiting = True
        if group.is_open:
            self._retained.drop(group)
            self._open[group.key] = group
        if ended or group.look_at > now + self.config.quiet_period:
            self.agenda.plan(group)
        return "duplicate" if is_copy else None

    def due(self, *, final: ClosedBy | None = None) -> list[Closing]:
        """Return what may be over now, oldest first; everything when `final` says why."""
        now = self.clock()
        self._bound()
        self.agenda.press(self._open.values(), most=self.config.max_open_bytes * PRESSED)
        ready: dict[str, Group] = {}
        for group in list(self.groups.values() if final else self.agenda.due(now)):
            if self.agenda.is_past(group, now):
                self._remove(group)
            elif final or self.agenda.reason(group, now):
                ready[group.key] = group
            else:
                self.agenda.plan(group)
        for group in sorted(ready.values(), key=attrgetter("first_seen"), reverse=True):
            other = self._links.partner(group, self.groups)
            if other is not None:
                self._join(group, other)
                ready[other.key] = other
                del ready[group.key]
        found = []
        for group in sorted(ready.values(), key=attrgetter("first_seen")):
            reason = self.agenda.reason(group, now)
            if final is not None and group.is_open:
                reason = final if final == "shutdown" else ("end" if group.has_ended else "quiet")
            if reason is None:
                self.agenda.plan(group)
            else:
                found.append(closing_of(group, reason, may_wait=final is None))
        # A turn is read with what was said before it: the order is that of the turns themselves.
        return sorted(found, key=lambda closing: closing.started_ns) if len(found) > 1 else found

    def done(self, closed: Closed) -> None:
        """Book what a closing gave; the group stays for late spans, without its turns twice."""
        group = self.groups.get(closed.key)
        if group is None:
            return
        group.given |= closed.given
        group.waiting = closed.unfinished
        group.forced = False
        group.closed_at = self.clock()
        if not closed.unfinished:
            group.began = group.closed_at
        group.broken_off = closed.broken_off and not closed.unfinished
        if not group.changed:
            self.size -= let_go_of_earlier_turns(group)
        if not group.is_open:
            self._open.pop(group.key, None)
            self._retained.add(group)
            self.size -= self._retained.let_go(self.size, self.config.max_open_bytes)
        self.agenda.plan(group)

    def again(self, key: str) -> None:
        """Have a group looked at again: what it gave could not be stored."""
        group = self.groups.get(key)
        if group is not None:
            group.changed = True
            self.agenda.plan(group)

    def _see_other(
        self, group: Group, key: Key, span: Span, sequence: int, stated: Stated | None
    ) -> str | None:
        """Note the place of a span in a trace that holds no operation: most are of this kind, and
        never become anything else."""
        group.number(sequence, sequence)
        is_copy = key in group.parents
        if not is_copy and (reason := group.full(self._share)) is not None:
            return reason
        self._grow(group, group.see(key, span, stated))
        group.changed = True
        group.last_seen = self.clock()
        if group.look_at == inf:
            self.agenda.plan(group)
        return "duplicate" if is_copy else None

    def _new_group(self, trace: str) -> Group:
        now = self.clock()
        group = Group(trace, now, now, size=GROUP_SIZE)
        group.traces.append(trace)
        self.size += GROUP_SIZE
        self._by_trace[trace] = self.groups[trace] = group
        return group

    def _hold(self, group: Group, identity: object, held: Held) -> str | None:
        """Take what a record holds, unless there is a reason not to."""
        known = group.held.get(identity)
        if known is not None and not is_better(held, known):
            return "duplicate"
        if group.gone_ns and all(o.start_ns < group.gone_ns for o in held.operations):
            return "late"
        reason = group.full(self._share) if known is None else None
        if reason is not None:
            return reason
        calls = group.calls
        if calls is None:
            calls = group.calls = ToolCalls()
            group.began = self.clock()
        for operation in held.operations:
            asked, size = calls.note(operation)
            held.size += size
            for call_id in asked:
                self._links.ask(call_id, group.key)
        self._grow(group, held.size - (known.size if known is not None else 0))
        group.held[identity] = held
        return None

    def _grow(self, group: Group, size: int) -> None:
        group.size += size
        self.size += size

    def _join(self, group: Group, other: Group) -> None:
        """Put a group into the one whose model call asked for the tools it was answered with."""
        self.groups.pop(group.key)
        self._retained.drop(group)
        self._retained.drop(other)
        self._links.move(group, other.key)
        other.absorb(group)
        for trace in group.traces:
            self._by_trace[trace] = other
        self._open.pop(group.key, None)
        self._open[other.key] = other

    def _remove(self, group: Group) -> None:
        self.groups.pop(group.key, None)
        self._open.pop(group.key, None)
        self._retained.drop(group)
        self.size -= group.size
        for trace in group.traces:
            self._by_trace.pop(trace, None)
        self._links.forget(group)

    def _bound(self) -> None:
        """Keep within the bounds. What closed turns hold goes first, the longest closed first;
        then groups that are not open, those without a model call first; then the oldest of the
        open ones close early."""
        most = self.config.max_open_bytes
        self.size -= self._retained.let_go(self.size, most)
        if not self._is_over():
            return
        closed = [group for key, group in self.groups.items() if key not in self._open]
        for group in sorted(closed, key=lambda group: (group.measured, group.last_seen)):
            self._remove(group)
            if not self._is_over():
                return
        over = self.size - most
        many = len(self.groups) - self.config.max_open_turns
        for group in sorted(self._open.values(), key=lambda group: group.last_seen):
            if over <= 0 and many <= 0:
                break
            if group.is_open and not group.forced:
                group.forced = True
                group.incomplete = group.incomplete or "closed_early"
                self.agenda.plan(group)
                over, many = over - group.size, many - 1

    def _is_over(self) -> bool:
        config = self.config
        return self.size > config.max_open_bytes or len(self.groups) > config.max_open_turns
