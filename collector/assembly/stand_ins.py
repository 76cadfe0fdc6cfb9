"""Tool calls whose span is missing although something ran inside them.

A tool's span ends, and arrives, after those of the sub-agent it runs; it may also be lost. Until it
is there, the sub-agent's calls would look as if they talked to the requester.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from collector.assembly.material import Key, key_of
from scorers.turn import AgentInvocation, Inference, Operation, Part, ToolExecution


@dataclass(frozen=True, slots=True)
class _Asked:
    call: Inference
    part: Part
    answered_ns: int | None


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
            around = asked.call.end_ns <= start or asked.call.start_ns < start
            still = asked.answered_ns is None or asked.answered_ns >= end
            if place != missing and around and still:
                waiting[missing[0]].remove(asked)
                found[missing] = (_stand_in(missing, asked, start, end), place)
                break
    return found


def _waiting(calls: Iterable[Inference], tools: Iterable[ToolExecution]) -> dict[str, list[_Asked]]:
    """Return the tool calls of each trace that were asked for and have no span, in order."""
    executed = {(tool.trace_id, tool.call_id) for tool in tools if tool.call_id}
    unnamed = {tool.trace_id for tool in tools if not tool.call_id}
    answered: dict[tuple[str, str], int] = {}
    asked: list[tuple[Inference, Part]] = []
    for call in calls:
        for message in call.input or ():
            for part in message.of_kind("tool_result"):
                if part.id:
                    answered.setdefault((call.trace_id, part.id), call.start_ns)
        for message in (call.output or ())[:1]:
            asked += [(call, part) for part in message.of_kind("tool_call") if part.id]
    found: dict[str, list[_Asked]] = defaultdict(list)
    for call, part in asked:
        name = (call.trace_id, part.id or "")
        if name not in executed and call.trace_id not in unnamed:
            found[call.trace_id].append(_Asked(call, part, answered.get(name)))
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
