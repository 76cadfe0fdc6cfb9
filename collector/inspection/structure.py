"""How the spans of one group of traces hang together, as things to count for a service."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from collector.assembly.closing import Closing
from collector.assembly.material import Key
from collector.dialect import MessageEvent
from scorers.turn import Inference, Operation, ToolExecution, Turn

Scopes = Mapping[Key, str]


def service_of(operations: Sequence[Operation]) -> str | None:
    """Return the service that most operations are of."""
    counts = Counter(operation.service for operation in operations)
    return counts.most_common(1)[0][0] if counts else None


def structure(closing: Closing, turns: Sequence[Turn]) -> Counter[str]:
    """Return what is to be said about a group: 1 for each thing that is so, and some counts."""
    operations, parents = closing.material.operations, closing.material.parents
    tools = [each for each in operations if isinstance(each, ToolExecution)]
    calls = any(isinstance(each, Inference | MessageEvent) for each in operations)
    orphans = sum(
        parent is not None and parent != key and parent not in parents
        for key, parent in parents.items()
    )
    roots = sum(parent is None for parent in parents.values())
    found: Counter[str] = Counter()
    found["groups"] = 1
    found["traces"] = len(set(closing.traces))
    if orphans:
        found["groups_with_orphans"] = 1
        found["orphans"] = orphans
    if parents and not roots:
        found["groups_without_root"] = 1
    if tools and not calls:
        found["tool_traces"] = 1
        found["tools_alone"] = len(tools)
    found["turns_over_traces"] = sum(len(set(turn.trace_ids)) > 1 for turn in turns)
    results = [result for turn in turns for result in turn.tool_results]
    found["results_without_span"] = sum(r.produced_missing == "no_tool_span" for r in results)
    return +found


def twice(closing: Closing, scopes: Scopes) -> Counter[tuple[str, str]]:
    """Count model calls and tool calls that two instrumentations recorded, by their scopes."""
    found: Counter[tuple[str, str]] = Counter()
    parents = closing.material.parents
    calls: dict[Key, Inference] = {}
    tools: dict[tuple[str, str], set[str]] = {}
    for each in closing.material.operations:
        key = (each.trace_id, each.span_id)
        if isinstance(each, Inference):
            calls[key] = each
        elif isinstance(each, ToolExecution) and each.call_id and key in scopes:
            tools.setdefault((each.trace_id, each.call_id), set()).add(scopes[key])
    for key, call in calls.items():
        outer = _call_around(key, parents, calls)
        if outer is not None and _overlap(calls[outer], call):
            _count(found, scopes.get(outer), scopes.get(key))
    by_response: dict[tuple[str, str], Key] = {}
    for key, call in calls.items():
        if not call.response_id:
            continue
        other = by_response.setdefault((call.trace_id, call.response_id), key)
        around = _call_around(key, parents, calls), _call_around(other, parents, calls)
        if other not in (key, around[0]) and key != around[1] and _overlap(calls[other], call):
            _count(found, scopes.get(other), scopes.get(key))
    for recorded in tools.values():
        if len(recorded) > 1:
            first, second, *_ = sorted(recorded)
            _count(found, first, second)
    return found


def _call_around(
    key: Key, parents: Mapping[Key, Key | None], calls: Mapping[Key, Inference]
) -> Key | None:
    """Return the model call right around another one, over at most a few spans of other kinds."""
    at = parents.get(key)
    for _ in range(4):
        if at is None or at in calls:
            return at
        at = parents.get(at)
    return None


def _overlap(one: Inference, other: Inference) -> bool:
    return one.start_ns <= other.end_ns and other.start_ns <= one.end_ns


def _count(found: Counter[tuple[str, str]], one: str | None, other: str | None) -> None:
    if one is not None and other is not None and one != other:
        found[min(one, other), max(one, other)] += 1
