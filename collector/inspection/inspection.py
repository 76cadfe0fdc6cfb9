"""`Inspection`: watches a pipeline, and says per service what its telemetry lets it see.

It costs little and holds little: records are counted by the block they came in, what is to be said
about their keys is remembered by their shape, and no value is kept. Taken by the thread of open
turns, told of turns by that which finishes them, read by anybody.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from collector.assembly.closing import Closing
from collector.assembly.material import Key
from collector.dialect import Shape, shape_of
from collector.entry import Entry
from collector.inspection import keys
from collector.inspection.names import short
from collector.inspection.service import Seen
from collector.inspection.structure import service_of, structure, twice
from collector.inspection.visible import blames, facts, tool_spans
from collector.otlp import Batch
from collector.span import Record, Resource, Span

UNKNOWN = "unknown"
MOST_SERVICES = 100
OTHERS = "(other services)"
_MOST_SHAPES = 1024
_MOST_SHAPE_CHARACTERS = 4096
_PENDING = "logfire.span_type"

Counted = tuple[tuple[Any, int], ...]
Turned = tuple[Seen, tuple[str, ...], Counted, Counted]
_MOST_ALIKE = 512


@dataclass(frozen=True, slots=True)
class _ShapeFacts:
    """What the keys of a record say: the unknown ones, and whether it is about GenAI at all."""

    unknown: tuple[str, ...]
    genai: bool
    pending: bool


class Inspection:
    """Counts from two threads; a report sees one moment of all of it.

    `remember` bounds how many turns, groups and spans are kept in mind, so that one that is told
    again with more in it is counted once.
    """

    def __init__(self, *, remember: int = 1000) -> None:
        self._lock = threading.Lock()
        self._remember = remember
        self._services: dict[str | None, Seen] = {}
        self._shapes: dict[Shape, _ShapeFacts] = {}
        self._scopes: OrderedDict[Key, str] = OrderedDict()
        self._turns: OrderedDict[str, Turned] = OrderedDict()
        self._groups: OrderedDict[str, tuple[Seen, Counted]] = OrderedDict()
        self._alike: dict[Counted, Counted] = {}
        self.spans = 0
        self.log_records = 0

    def took(self, batch: Batch, claimed: Sequence[str], left_out: Sequence[str | None]) -> None:
        """Note the records of a batch: which dialect read each, and why it was left out if it
        was."""
        signal = "spans" if batch.signal == "traces" else "log_records"
        with self._lock:
            if signal == "spans":
                self.spans += len(batch.records)
            else:
                self.log_records += len(batch.records)
            start, end = 0, len(batch.records)
            while start < end:
                first = batch.records[start]
                stop = start + 1
                while stop < end and _is_same_block(first, batch.records[stop]):
                    stop += 1
                seen = self._service(first.resource)
                self._block(seen, batch.records[start:stop], claimed[start:stop], signal)
                for reason, count in Counter(filter(None, left_out[start:stop])).items():
                    seen.left_out.add((reason, short(first.scope.name), signal), count)
                start = stop

    def finished(self, closing: Closing, entries: Sequence[Entry]) -> None:
        """Note what a group of traces gave. One that is told again counts as it was last."""
        material = closing.material
        turns = [entry.turn for entry in entries]
        about = structure(closing, turns)
        with self._lock:
            seen = self._named(service_of(material.operations))
            again = self._groups.pop(closing.key, None)
            if again is not None:
                before, counts = again[0], dict(again[1])
                before.structure.subtract(counts)
                # Turns that did not change are not told again.
                for what in ("turns_over_traces", "results_without_span"):
                    about[what] = max(about[what], counts.get(what, 0))
            else:
                for pair, count in twice(closing, self._scopes).items():
                    seen.twice.add(pair, count)
            seen.structure.update(about)
            for limit in material.limits.values():
                seen.length_limits.add(limit)
            _keep(self._groups, closing.key, (seen, self._kept(about)), self._remember)
            with_agent = {each.trace_id for each in material.operations if each.agent}
            for entry in entries:
                self._turn(entry, seen, with_agent)

    def report(self) -> dict[str, Any]:
        """Return everything that was seen and what to do about it, as JSON values."""
        # The table of advice is for who asks: a sidecar that nobody asks need not hold it.
        from collector.inspection.report import report  # noqa: PLC0415

        with self._lock:
            services = list(self._services.values())
            return report(services, spans=self.spans, log_records=self.log_records)

    def _service(self, resource: Resource) -> Seen:
        seen = self._named(resource.text("service.name"))
        version = resource.text("service.version")
        if version:
            seen.versions.add(short(version))
        sdk = resource.text("telemetry.sdk.language"), resource.text("telemetry.sdk.version")
        if any(sdk):
            seen.sdks.add((short(sdk[0]), short(sdk[1])))
        return seen

    def _named(self, name: str | None) -> Seen:
        kept = None if name is None else short(name)
        seen = self._services.get(kept)
        if seen is None:
            if len(self._services) >= MOST_SERVICES and kept != OTHERS:
                return self._named(OTHERS)
            seen = self._services[kept] = Seen(kept)
        return seen

    def _block(
        self, seen: Seen, records: Sequence[Record], claimed: Sequence[str], signal: str
    ) -> None:
        scope = records[0].scope
        name, version = short(scope.name), short(scope.version)
        for dialect, count in Counter(claimed).items():
            seen.dialects[dialect, signal] += count
            seen.scopes.add((name, version, dialect, signal), count)
        unclaimed: Counter[str] = Counter()
        unknown: Counter[tuple[str, str]] = Counter()
        for record, dialect in zip(records, claimed, strict=True):
            about = self._about(record)
            if dialect == UNKNOWN:
                unclaimed[record.name if isinstance(record, Span) else record.event_name] += 1
                seen.unclaimed_genai += about.genai
            elif signal == "spans":
                _keep(self._scopes, (record.trace_id, record.span_id), name, 2 * self._remember)
            for key in about.unknown:
                unknown[key, dialect] += 1
            if record.dropped:
                seen.dropping.add((name, dialect))
            if about.pending and record.attributes.get(_PENDING) == "pending_span":
                seen.pending += 1
        for called, count in unclaimed.items():
            seen.unclaimed.add((short(called), name, signal), count)
        for (key, dialect), count in unknown.items():
            seen.keys.add((short(key), dialect, name, version), count)

    def _about(self, record: Record) -> _ShapeFacts:
        shape = shape_of(record)
        known = self._shapes.get(shape)
        if known is None:
            names = (*shape.keys, *shape.events, shape.event or "")
            known = _ShapeFacts(
                keys.unknown(names), any(map(keys.is_genai, names)), _PENDING in shape.keys
            )
            # Names that no library gives are not worth remembering: senders make them up.
            if sum(map(len, names)) + len(shape.scope) <= _MOST_SHAPE_CHARACTERS:
                if len(self._shapes) >= _MOST_SHAPES:
                    self._shapes.clear()
                self._shapes[shape] = known
        return known

    def _turn(self, entry: Entry, of_group: Seen, with_agent: Collection[str]) -> None:
        turn = entry.turn
        if turn.own_traffic:
            return
        seen = self._named(service_of(turn.inferences)) if turn.inferences else of_group
        again = self._turns.pop(turn.turn_id, None)
        if again is not None:
            before, dialects, told, with_tools = again
            before.dialects_of(dialects).subtract(dict(told))
            for tool, count in with_tools:
                before.tools.add(tool, -count)
        counts = facts(entry, names_agent=any(trace in with_agent for trace in turn.trace_ids))
        seen.dialects_of(turn.dialects).update(counts)
        tools = tool_spans(turn)
        for tool, count in tools.items():
            seen.tools.add(tool, count)
        for blame, count in blames(entry, counts, self._scope_of).items():
            seen.blamed.add(blame, count)
        turned = (seen, turn.dialects, self._kept(counts), self._kept(tools))
        _keep(self._turns, turn.turn_id, turned, self._remember)

    def _kept(self, counts: Counter[Any]) -> Counted:
        """Return counts as they are kept in mind: most turns and groups share theirs."""
        told = tuple(counts.items())
        if len(self._alike) >= _MOST_ALIKE:
            self._alike.clear()
        return self._alike.setdefault(told, told)

    def _scope_of(self, trace: str, span: str) -> str | None:
        return self._scopes.get((trace, span))


def _is_same_block(one: Record, other: Record) -> bool:
    return one.scope is other.scope and one.resource is other.resource


def _keep(kept: OrderedDict[Any, Any], key: Any, value: Any, most: int) -> None:
    """Keep the last `most` of what came."""
    kept[key] = value
    if len(kept) > most:
        kept.popitem(last=False)
