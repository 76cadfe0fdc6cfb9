"""Tool calls whose span is missing although something ran inside them.

A tool's span ends, and arrives, after those of the sub-agent it runs; it may also be lost. Until it
is there, the sub-agent's calls would look as if they talked to the requester.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from collector.assembly.material import Key, key_of
from collector.assembly.repetition import Messages, repeated
from scorers.turn import AgentInvocation, Inference, Operation, Part, ToolExecution

MOST_ORPHANS = 100  # missing parents of a group that are looked at one by one


@dataclass(frozen=True, slots=True)
class _Asked:
    call: Inference
    part: Part
    answered_ns: int | None
    is_seen: bool


def stand_ins(
    calls: Iterable[Inference],
    agents: Iterable[AgentInvocation],
    tools: Iterable[ToolExecution],
    parents: Mapping[Key, Key | None],
) -> dict[Key, tuple[ToolExecution, Key | None]]:
    """Return, for each missing parent of calls or agents that ran while another call of the trace
    waited for a tool without a span, a tool execution in its place and the parent of that.

    A parent that the asking call misses too is the agent's own, and stands for no tool. Linear.
    """
    calls = list(calls)
    orphans: dict[Key, list[Operation]] = defaultdict(list)
    for operation in (*calls, *agents):
        parent = parents.get(key_of(operation))
        if parent is not None and parent not in parents:
            orphans[parent].append(operation)
    if len(orphans) == 0:
        return {}
    waiting = _waiting(calls, tools)
    found: dict[Key, tuple[ToolExecution, Key | None]] = {}
    for missing, inside in sorted(orphans.items(), key=lambda item: item[1][0].start_ns):
        start = min(operation.start_ns for operation in inside)
        end = max(operation.end_ns for operation in inside)
        for asked in waiting.get(missing[0], []):
            place = parents.get(key_of(asked.call))
            around = not asked.is_seen or asked.call.start_ns < start
            still = asked.answered_ns is None or asked.answered_ns >= end
            if place != missing and around and still:
                waiting[missing[0]].remove(asked)
                found[missing] = (_stand_in(missing, asked, start, end), place)
                break
    return found


def holders(
    calls: Iterable[Inference],
    agents: Iterable[AgentInvocation],
    tools: Iterable[ToolExecution],
    parents: Mapping[Key, Key | None],
) -> dict[Key, Key]:
    """Return, for each missing parent of calls or agents that ran within the time of one tool call
    of the trace, that tool call: the span of the agent between them is missing.

    A parent that the tool call misses too is their common agent. Of several the shortest counts.
    """
    executed: dict[str, list[ToolExecution]] = defaultdict(list)
    for tool in tools:
        if tool.end_ns > tool.start_ns > 0:
            executed[tool.trace_id].append(tool)
    spans: dict[Key, tuple[int, int]] = {}
    for operation in (*calls, *agents) if executed else ():
        parent = parents.get(key_of(operation))
        if parent is not None and parent not in parents:
            start, end = spans.get(parent, (operation.start_ns, operation.end_ns))
            spans[parent] = (min(start, operation.start_ns), max(end, operation.end_ns))
    found: dict[Key, Key] = {}
    for missing, (start, end) in list(spans.items())[:MOST_ORPHANS]:
        around = [
            tool
            for tool in executed.get(missing[0], [])
            if tool.start_ns <= start
            and end <= tool.end_ns
            and parents.get(key_of(tool)) != missing
        ]
        if around:
            shortest = min(around, key=lambda tool: tool.end_ns - tool.start_ns)
            found[missing] = key_of(shortest)
    return found


def _waiting(calls: Iterable[Inference], tools: Iterable[ToolExecution]) -> dict[str, list[_Asked]]:
    """Return the tool calls of each trace that were asked for and have no span, in order."""
    executed = {(tool.trace_id, tool.call_id) for tool in tools if tool.call_id}
    unnamed = {tool.trace_id for tool in tools if not tool.call_id}
    answered: dict[tuple[str, str], int] = {}
    asked: dict[tuple[str, str], tuple[Inference, Part]] = {}
    told: dict[tuple[str, str], tuple[Inference, Part]] = {}
    read: dict[str, Messages] = {}
    for call in calls:
        trace, given = call.trace_id, call.input or ()
        for message in given[repeated(given, read.get(trace, ())) :]:
            for part in message.parts:
                if part.kind == "tool_result":
                    answered.setdefault((trace, part.id or ""), call.start_ns)
                elif part.kind == "tool_call":
                    # The call that asked may be missing too: then a later input repeats it.
                    told.setdefault((trace, part.id or ""), (call, part))
        read[trace] = given
        for message in (call.output or ())[:1]:
            for part in message.of_kind("tool_call"):
                asked.setdefault((trace, part.id or ""), (call, part))
    found: dict[str, list[_Asked]] = defaultdict(list)
    for name, (call, part) in (told | asked).items():
        if part.id and name not in executed and call.trace_id not in unnamed:
            known = name in asked
            found[call.trace_id].append(_Asked(call, part, answered.get(name), known))
    return found


def _stand_in(missing: Key, asked: _Asked, start_ns: int, end_ns: int) -> ToolExecution:
    return ToolExecution(
        trace_id=missing[0],
        span_id=missing[1],
        start_ns=start_ns,
        end_ns=end_ns,
        dialect=asked.call.dialect,
        service=asked.call.service,
        tool=asked.part.name or "unknown",
        call_id=asked.part.id,
        arguments=asked.part.text or None,
    )
