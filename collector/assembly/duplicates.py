"""Calls that are recorded more than once: a record inside another, or beside it."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise

from collector.assembly.combine import combine, combine_tools, weight
from collector.assembly.material import Key, Tree, key_of
from collector.content import decode
from scorers.turn import AgentInvocation, Inference, Operation, ToolExecution

# Of an agent's run, how many others are looked at that began before it, and after it.
_NEAR = 8


def nested(calls: list[Inference], tree: Tree) -> list[Inference]:
    """Merge a model call recorded inside the record of the same call.

    A record with one record inside is the same call seen twice (framework and SDK). One with
    several inside is a wrapper around retries: the inner ones are the calls.
    """
    inside: dict[Key, list[Inference]] = defaultdict(list)
    for call in calls:
        above = tree.above(key_of(call))
        if above and isinstance(above[0], Inference):
            inside[key_of(above[0])].append(call)
    if not inside:
        return calls
    by_key = {key_of(call): call for call in calls}
    gone: set[Key] = set()
    # Innermost first, so that a chain of three records folds into its outermost one.
    for key in sorted(inside, key=lambda k: -len(tree.above(k))):
        children = inside[key]
        if len(children) == 1:
            child = by_key[key_of(children[0])]
            by_key[key] = combine(by_key[key], child)
            gone.add(key_of(child))
        elif all(child.output is not None or child.input is not None for child in children):
            gone.add(key)
        else:
            for child in children:
                by_key[key] = combine(by_key[key], by_key[key_of(child)])
                gone.add(key_of(child))
    return [by_key[key_of(call)] for call in calls if key_of(call) not in gone]


def siblings(calls: list[Inference]) -> list[Inference]:
    """Merge records side by side of one call: at the same time, with the same response id, or
    written by two instrumentations with the same answer."""
    kept: list[Inference] = []
    seen: dict[tuple[str, ...], list[int]] = defaultdict(list)
    ordered = sorted(calls, key=lambda c: (c.start_ns, -c.end_ns, c.span_id))
    if not any(_same_time(one, other) for one, other in pairwise(ordered)):
        return ordered
    for call in ordered:
        marks = _marks(call)
        twin = None
        for mark in marks:
            for at in seen[mark][-4:]:
                # Scripted models reuse ids: only records that overlap in time are one call.
                if _same_time(kept[at], call) and (
                    mark[0] == "id" or _written_twice(kept[at], call)
                ):
                    twin = at
        if twin is not None:
            kept[twin] = combine(kept[twin], call)
            continue
        for mark in marks:
            seen[mark].append(len(kept))
        kept.append(call)
    return kept


def _same_time(earlier: Inference, later: Inference) -> bool:
    return earlier.end_ns > later.start_ns or earlier.start_ns == later.start_ns


def _marks(call: Inference) -> list[tuple[str, ...]]:
    marks: list[tuple[str, ...]] = []
    if call.response_id:
        marks.append(("id", call.response_id))
    for message in (call.output or ())[:1]:
        asked = tuple(part.id or part.text for part in message.of_kind("tool_call"))
        if asked or message.text.strip():
            marks.append(("answer", *asked, message.text.strip()))
    return marks


def _written_twice(one: Inference, other: Inference) -> bool:
    """Whether two records with one answer, at the same time, can be of one call.

    Ids of tool calls are made anew for each answer. A model asked several times at once may give
    the same text: then only a record that lies within the other's time is the same call.
    """
    if one.response_id and other.response_id:
        return False
    if _two_observers(one, other):
        return True
    unseen = one.input is None or other.input is None
    if not unseen and weight(one.input) != weight(other.input):
        return False
    asked = one.output[0].of_kind("tool_call") if one.output else ()
    if any(part.id for part in asked):
        return True
    return one.start_ns <= other.start_ns and other.end_ns <= one.end_ns


def _two_observers(one: Operation, other: Operation) -> bool:
    """Whether two dialects tell of the same time, or nearly: each instrumentation has its own idea
    of what stands around a call, and callbacks end in the order in which they began."""
    if one.dialect == other.dialect:
        return False
    together = min(one.end_ns, other.end_ns) - max(one.start_ns, other.start_ns)
    shorter = min(one.end_ns - one.start_ns, other.end_ns - other.start_ns)
    return together > 0 and together * 2 > shorter


def one_record_each(tools: list[ToolExecution], tree: Tree) -> list[ToolExecution]:
    """Merge records of one tool call: one inside the other (framework and client), or side by
    side at the same time."""
    by_key = {key_of(tool): tool for tool in tools}
    gone: set[Key] = set()
    inner_tools = [tool for tool in tools if isinstance(_holder(tool, tree), ToolExecution)]
    for tool in sorted(inner_tools, key=lambda t: -len(tree.above(key_of(t)))):
        holder = tree.above(key_of(tool))[0]
        outer = by_key[key_of(holder)]
        inner = by_key[key_of(tool)]
        if inner.tool == outer.tool and _is_same(inner, outer):
            by_key[key_of(holder)] = combine_tools(outer, inner)
            gone.add(key_of(tool))
    latest: dict[tuple[str, ...], ToolExecution] = {}
    left = [by_key[key_of(tool)] for tool in tools if key_of(tool) not in gone]
    for tool in sorted(left, key=lambda t: (t.start_ns, -t.end_ns, t.span_id)):
        marks = [("arguments", tool.tool, tool.arguments or "")]
        if tool.call_id:
            marks.append(("id", tool.tool, tool.call_id))
        known = [latest[mark] for mark in marks if mark in latest]
        twin = next((one for one in known if _side_by_side(one, tool)), None)
        if twin is not None:
            by_key[key_of(twin)] = combine_tools(by_key[key_of(twin)], tool)
            gone.add(key_of(tool))
        for mark in marks:
            latest[mark] = by_key[key_of(twin)] if twin is not None else tool
    return [by_key[key_of(tool)] for tool in left if key_of(tool) not in gone]


def one_run_each(
    agents: Iterable[AgentInvocation], work: Iterable[Operation], tree: Tree
) -> list[AgentInvocation]:
    """Leave out agent runs that a second instrumentation told, whose calls were told by another.

    Nothing is left in such a run once each call is one record, and one that is full took as long.
    """
    found = sorted(agents, key=lambda agent: (agent.start_ns, -agent.end_ns, agent.span_id))
    if len({agent.dialect for agent in found}) < 2:
        return found
    full = {key_of(above) for one in work for above in tree.above(key_of(one))}
    filled = [agent for agent in found if key_of(agent) in full]
    starts = [agent.start_ns for agent in filled]
    kept: list[AgentInvocation] = []
    for agent in found:
        at = bisect_left(starts, agent.start_ns)
        near = filled[max(0, at - _NEAR) : at + _NEAR]
        told = any(one.trace_id == agent.trace_id and _two_observers(one, agent) for one in near)
        if key_of(agent) in full or not told:
            kept.append(agent)
    return kept


def _holder(tool: ToolExecution, tree: Tree) -> Operation | None:
    above = tree.above(key_of(tool))
    return above[0] if above else None


def _side_by_side(one: ToolExecution, other: ToolExecution) -> bool:
    """Whether a tool's span beside another is the same call: the same result at the same time,
    under the same id where both have one (parallel calls each have their own)."""
    if one.call_id and one.call_id == other.call_id and _two_observers(one, other):
        return True
    if other.end_ns > one.end_ns or other.start_ns < one.start_ns or one.parent_id is None:
        return False
    if one.parent_id != other.parent_id or one.result != other.result or one.result is None:
        return False
    if one.call_id and other.call_id:
        return one.call_id == other.call_id
    return bool(one.call_id or other.call_id)


def _is_same(inner: ToolExecution, outer: ToolExecution) -> bool:
    """Whether a tool's span inside a span of that tool is the same call, not another one."""
    if inner.call_id and outer.call_id:
        return inner.call_id == outer.call_id
    if inner.arguments is None or outer.arguments is None:
        return True
    # A framework keeps the model's own text, a client writes JSON anew.
    return bool(decode(inner.arguments) == decode(outer.arguments))
