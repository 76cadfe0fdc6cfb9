"""A `Closing`: a group whose turns may be over, and how it becomes the turns it gave out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from collector.assembly.conversations import Conversations
from collector.assembly.material import Key, Material, key_of
from collector.assembly.names import names_of
from collector.assembly.open_turns import Given, Group
from collector.assembly.turns import assemble
from scorers.turn import ClosedBy, ToolExecution, Turn


@dataclass(slots=True)
class Closing:
    """A group whose turns may be over. `waits`: an unfinished last turn goes on waiting.

    `first_sequence` and `sequence` are the lowest and the highest number of the records in it,
    `traces` its trace keys.
    """

    key: str
    material: Material
    closed_by: ClosedBy
    waits: bool
    given: dict[str, Given]
    sequence: int = 0
    first_sequence: int = 0
    traces: tuple[str, ...] = ()

    @property
    def started_ns(self) -> int:
        """When its first operation began."""
        starts = (operation.start_ns for operation in self.material.operations)
        return min(filter(None, starts), default=0)

    def closed(
        self,
        turns: Iterable[Turn] = (),
        given: Mapping[str, Given] | None = None,
        *,
        unfinished: bool = False,
        broken_off: bool = False,
        left_out: int = 0,
    ) -> Closed:
        """Return what this closing gave; without arguments, nothing."""
        return Closed(
            self.key,
            list(turns),
            dict(given or {}),
            unfinished,
            broken_off,
            left_out,
            self.sequence,
            self.first_sequence,
            self.traces,
        )


def closing_of(group: Group, reason: ClosedBy, *, may_wait: bool) -> Closing:
    """Take a group as it is, to be closed: what comes from here on changes it."""
    waits = may_wait and reason != "deadline" and not group.forced
    if reason == "end" and not group.roots_are_calls:
        waits = False
    group.changed = False
    return Closing(
        group.key,
        group.material(),
        reason,
        waits,
        dict(group.given),
        group.last_sequence,
        group.first_sequence,
        tuple(group.traces),
    )


@dataclass(slots=True)
class Closed:
    """What a closing gave: turns that are new or changed. `unfinished`: the last turn waits;
    `broken_off`: it was given out without its end; `left_out` counts tool calls of no turn."""

    key: str
    turns: list[Turn]
    given: dict[str, Given]
    unfinished: bool = False
    broken_off: bool = False
    left_out: int = 0
    sequence: int = 0
    first_sequence: int = 0
    traces: tuple[str, ...] = ()


def close(closing: Closing, conversations: Conversations | None) -> Closed:
    """Assemble a closing's turns. A turn given out before keeps its name, and is left out where
    nothing came since; an unfinished last turn is left out where the closing may wait."""
    turns = assemble(closing.material, closed_by=closing.closed_by, conversations=conversations)
    broken_off = bool(turns) and turns[-1].reply_missing in ("unfinished", "closed_early")
    unfinished = broken_off and closing.waits
    left_out = 0 if turns else len(_tools(closing.material))
    if unfinished:
        turns = turns[:-1]
    changed: list[Turn] = []
    given: dict[str, Given] = {}
    made_of = [_spans(turn) for turn in turns]
    names = names_of([turn.turn_id for turn in turns], made_of, closing.given)
    for turn, spans, name in zip(turns, made_of, names, strict=True):
        named = turn if name == turn.turn_id else replace(turn, turn_id=name)
        if name in closing.given and _is_same(closing.given[name], Given(spans, named)):
            continue
        given[name] = Given(spans, named)
        changed.append(named)
    return closing.closed(
        changed, given, unfinished=unfinished, broken_off=broken_off, left_out=left_out
    )


def _is_same(before: Given, now: Given) -> bool:
    """Whether a turn was given out as it is now, whatever closed it."""
    if before.spans != now.spans or before.turn is None or now.turn is None:
        return False
    return replace(now.turn, closed_by=before.turn.closed_by) == before.turn


def _tools(material: Material) -> set[Key]:
    tools = (o for o in material.operations if isinstance(o, ToolExecution))
    return {key_of(tool) for tool in tools if not tool.supposed}


def _spans(turn: Turn) -> frozenset[Key]:
    trace = turn.trace_ids[0] if turn.trace_ids else ""
    found = {(call.trace_id, call.span_id) for call in turn.inferences}
    found |= {(trace, result.span_id) for result in turn.tool_results if result.span_id}
    if turn.reply_span_id is not None:
        found.add((turn.reply_trace_id or trace, turn.reply_span_id))
    return frozenset(found or {(trace, turn.turn_id)})
