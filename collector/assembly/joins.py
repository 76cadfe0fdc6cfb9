"""Which message of which later model call stands for which executed tool call.

By tool call id within the step that asked for it; else by tool name and arguments; else by text
and order. How each join was made is recorded, because order is weaker evidence than an id.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from collector.assembly import anonymous
from collector.assembly.capture import COUNT, LENGTH, CaptureLimits, lost_end
from collector.assembly.placing import Placed, place
from collector.assembly.segment import Segment
from collector.assembly.sides import Sides, cut_on_the_way, sides, text_of, why_not_given
from collector.assembly.steps import Given, Steps
from scorers.turn import Inference, Join, Part, ToolExecution, ToolResult

# What frameworks call the tool with which one agent hands over to another: nothing is executed.
_HANDS_OVER = re.compile(r"(?:transfer|hand_?off)(?:_back)?_to_")
LOOK_AHEAD = 64  # later calls in which a result is looked for


def tool_results(
    segment: Segment,
    tools: Sequence[ToolExecution],
    limits: CaptureLimits,
    incomplete: str | None = None,
    cut_short: str | None = None,
) -> list[ToolResult]:
    """Join a segment's executed tool calls with what its model calls were given.

    Tool calls that have no span of their own, but whose result was delivered, are listed too:
    their produced side is not known. `incomplete` says why spans of the turn are missing,
    `cut_short` why calls that would have followed are.
    """
    if not tools and _was_given_nothing(segment):
        return []
    joiner = _Joiner(Steps(segment), limits, incomplete, cut_short)
    return joiner.join(tools)


def _was_given_nothing(segment: Segment) -> bool:
    """Whether a segment is one call that ends with the request, as all are in a plain chat."""
    if len(segment.calls) > 1:
        return False
    return segment.histories[0].opened_at + 1 >= len(segment.calls[0].input or ())


@dataclass(slots=True)
class _Found:
    """Where a result was delivered: the call's position and the parts that stand for it."""

    at: int
    parts: list[Part]
    join: Join | None


class _Joiner:
    def __init__(
        self, steps: Steps, limits: CaptureLimits, incomplete: str | None, cut_short: str | None
    ) -> None:
        self._steps = steps
        self._limits = limits
        self._incomplete = incomplete
        self._cut_short = cut_short
        self._used: set[int] = set()  # id() of the delivered parts that are accounted for
        self._unclear_until = -1  # the last call that may hold a result without showing whose
        self._hidden = _why_not_seen(steps.calls, limits)

    def join(self, tools: Sequence[ToolExecution]) -> list[ToolResult]:
        placed = place(tools, self._steps)
        known = {one.call_id for one in placed if one.call_id is not None}
        unclear = self._steps.unreadable | self._steps.strangers(known)
        self._unclear_until = max(unclear, default=-1)
        nameless = self._anonymous(placed)
        results = [self._result(one, nameless.get(id(one))) for one in placed]
        return [*results, *self._without_span()]

    def _anonymous(self, placed: Sequence[Placed]) -> dict[int, Given]:
        """Pair results without an id, where there are any."""
        nameless: dict[int, list[Given]] = {}
        for step, new in enumerate(self._steps.new):
            given = [one for one in new if one.part.id is None]
            if given:
                nameless[step] = given
        if not nameless:
            return {}
        order = {
            id(part): (step, at)
            for step, parts in enumerate(self._steps.asked)
            for at, part in enumerate(parts)
        }
        here: dict[int, list[Placed]] = defaultdict(list)
        for one in sorted(placed, key=lambda one: _order(one, order)):
            here[one.step].append(one)
        found: dict[int, Given] = {}
        for step, given in nameless.items():
            waiting = [one for one in here[step] if not self._by_id(one)]
            found |= anonymous.pair(waiting, given)
        self._used |= {id(given.part) for given in found.values()}
        return found

    def _by_id(self, one: Placed) -> _Found | None:
        """Find the first call after the tool had ended that holds its result under its id."""
        call_id = one.call_id
        if call_id is None or one.superseded:
            return None
        until = min(one.step + LOOK_AHEAD, len(self._steps.calls))
        ended = min(max(self._steps.ended(one.tool.end_ns), one.step), until)
        for at in (*range(ended, until), *range(one.step, ended)):
            given = self._steps.find(call_id, one.step, at)
            if given:
                return _Found(at, [each.part for each in given], one.join or "id")
        return None

    def _result(self, one: Placed, nameless: Given | None) -> ToolResult:
        found = self._by_id(one)
        if found is None and nameless is not None:
            found = _Found(one.step, [nameless.part], "order")
        if found is not None:
            self._used |= {id(part) for part in found.parts}
        calls_after = len(self._steps.calls) - one.step
        call = self._steps.calls[found.at] if found is not None else None
        seen = sides(one.tool, call, found.parts if found is not None else [], self._limits)
        delivered_missing = None if found is not None else self._why_missing(one)
        if delivered_missing is not None or found is not None:
            calls_after = max(calls_after, 1)
        return ToolResult(
            tool=one.tool.tool,
            call_id=one.call_id,
            arguments=one.tool.arguments,
            produced=seen.produced,
            delivered=text_of(found.parts) if found is not None else None,
            calls_after=calls_after,
            failed=one.tool.failed,
            join=found.join if found is not None else None,
            produced_missing=seen.produced_missing,
            delivered_missing=delivered_missing,
            capture_cut=seen.capture_cut,
            produced_cut=seen.produced_cut,
            span_id=one.tool.span_id,
            produced_size=one.tool.produced_size,
            delivered_size=self._delivered_size(one),
            size_unit=one.tool.size_unit,
            dialect=seen.dialect if found is not None else self._dialect(one, seen),
        )

    def _dialect(self, one: Placed, seen: Sides) -> str:
        """Name the dialect of the calls that don't show a result, else of its tool's span."""
        if seen.produced_missing or one.step >= len(self._steps.calls):
            return seen.dialect
        return self._steps.calls[one.step].dialect

    def _delivered_size(self, one: Placed) -> int | None:
        """Return how much can have been delivered at most, where anything says so: a result is no
        longer than the whole input of the call that read it."""
        tool = one.tool
        if tool.delivered_size is not None or tool.size_unit != "tokens":
            return tool.delivered_size
        reader = self._steps.calls[one.step] if one.step < len(self._steps.calls) else None
        return reader.usage.input_tokens if reader is not None else None

    def _why_missing(self, one: Placed) -> str | None:
        """Say why a result can't be seen; None where it can, and was dropped or never read."""
        if one.superseded:
            return "superseded"
        nobody_read = one.step >= len(self._steps.calls)
        if self._incomplete or nobody_read:
            return self._incomplete or self._cut_short
        reason = self._hidden[one.step]
        if reason is not None and not (reason == COUNT and self._would_show(one)):
            return reason
        if self._broke_off(one.step):
            return LENGTH
        nameless = one.join is None and not one.tool.call_id
        # An anonymous result of its step that was joined with nothing may be this one.
        doubtful = any(
            given.part.id is None and id(given.part) not in self._used
            for given in self._steps.new[one.step]
        )
        return "no_join" if nameless or doubtful or self._unclear_until >= one.step else None

    def _broke_off(self, step: int) -> bool:
        """Say whether a text without an id, in which a result may stand, was cut by an SDK."""
        call = self._steps.calls[step]
        return any(
            given.part.id is None
            and (given.part.cut_by_capture or self._limits.is_at_limit(call, [given.part]))
            for given in self._steps.new[step]
        )

    def _would_show(self, one: Placed) -> bool:
        """Say whether a call that lost its oldest messages shows the request for a result: then it
        would show the result too, which stands behind it."""
        call = self._steps.calls[one.step]
        if one.call_id is None or lost_end(call):
            return False
        return any(
            part.id == one.call_id
            for message in call.input or ()
            for part in message.of_kind("tool_call")
        )

    def _without_span(self) -> list[ToolResult]:
        """List what was delivered although no executed tool call stands for it."""
        results: list[ToolResult] = []
        if all(id(given.part) in self._used for new in self._steps.new for given in new):
            return results
        seen: set[tuple[str | None, str | None, str, int]] = set()
        for at, new in enumerate(self._steps.new):
            groups: dict[tuple[str | None, int], list[Part]] = {}
            marks = {(g.part.id, g.part.name, g.part.text, g.ordinal): g for g in new}
            for number, given in enumerate(new):
                mark = (given.part.id, given.part.name, given.part.text, given.ordinal)
                if id(given.part) in self._used or mark in seen:
                    continue  # in `seen`: the same input sent once more, a retry of the model call
                own = number if given.part.id is None else -1
                groups.setdefault((given.part.id, own), []).append(given.part)
            seen.update(marks)
            results += [self._delivered_only(at, own, parts) for (_, own), parts in groups.items()]
        return results

    def _delivered_only(self, at: int, number: int, parts: list[Part]) -> ToolResult:
        call = self._steps.calls[at]
        call_id = parts[0].id
        calls = self._steps.asked[at]
        asked = next((part for part in calls if call_id and part.id == call_id), None)
        if number >= 0 and len(calls) == len(self._steps.new[at]):
            asked = calls[number]  # as many as were asked for: they come in that order
        name = asked.name if asked is not None else None
        tool = name or next((part.name for part in parts if part.name), None) or "unknown"
        absent = "handed_over" if _HANDS_OVER.match(tool) else "no_tool_span"
        return ToolResult(
            tool=tool,
            call_id=call_id,
            arguments=(asked.text or None) if asked is not None else None,
            delivered=text_of(parts),
            calls_after=len(self._steps.calls) - at,
            produced_missing=call.capture.hidden or absent,
            capture_cut=cut_on_the_way(call, parts, self._limits),
            dialect=call.dialect,
        )


def _order(one: Placed, order: dict[int, tuple[int, int]]) -> tuple[int, int, int, int, str]:
    step, at = order.get(id(one.request), (one.step, 1 << 30))
    return (step, at, one.tool.start_ns, one.tool.end_ns, one.tool.span_id)


def _why_not_seen(calls: Sequence[Inference], limits: CaptureLimits) -> list[str | None]:
    """Say for each call why it shows no messages, or why none from it on does; else None.

    What the call right behind a tool hides, a later one that shows its own may have left out:
    it may be another agent's.
    """
    reasons: list[str | None] = []
    later: str | None = None
    shown = False
    for call in reversed(calls):
        reason = None
        if not call.input:
            reason = why_not_given(call)
        elif call.capture.dropped:
            reason = COUNT
        elif limits.hides_messages(call):
            reason = LENGTH
        else:
            reason = call.capture.hidden
        shown = shown or reason is None
        later = reason or later
        reasons.append(reason or (None if shown else later))
    return reasons[::-1]
