"""One model call or tool call may be recorded several times; here it becomes one again.

A span and its log events, message events that arrive one by one, a library's span inside a
framework's span, two instrumentations side by side.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from collector.assembly.material import Key, Material, Tree, key_of
from collector.dialect import MessageEvent
from scorers.turn import (
    AgentInvocation,
    Capture,
    Inference,
    Message,
    Part,
    ToolExecution,
    Usage,
)


@dataclass(slots=True)
class Work:
    """The operations of a group, each once, and the tree they stand in."""

    inferences: list[Inference]
    tools: list[ToolExecution]
    agents: list[AgentInvocation]
    tree: Tree


def merge(material: Material) -> Work:
    """Return each call once. Pure; linear in the operations but for sorting."""
    inferences: dict[Key, Inference] = {}
    tools: dict[Key, ToolExecution] = {}
    agents: dict[Key, AgentInvocation] = {}
    events: dict[Key, list[MessageEvent]] = defaultdict(list)
    for operation in material.operations:
        key = key_of(operation)
        if isinstance(operation, MessageEvent):
            events[key].append(operation)
        elif isinstance(operation, Inference):
            known = inferences.get(key)
            inferences[key] = operation if known is None else _combine(known, operation)
        elif isinstance(operation, ToolExecution):
            known_tool = tools.get(key)
            tools[key] = operation if known_tool is None else _combine_tools(known_tool, operation)
        else:
            agents.setdefault(key, operation)
    for key, pieces in events.items():
        built = _from_events(pieces)
        held = agents.get(key) or tools.get(key)
        if held is None:
            known = inferences.get(key)
            inferences[key] = built if known is None else _combine(known, built)
        elif isinstance(held, AgentInvocation):
            agents[key] = replace(
                held, input=held.input or built.input, output=held.output or built.output
            )
    tree = Tree([*inferences.values(), *tools.values(), *agents.values()], material.parents)
    calls = _siblings(_nested(list(inferences.values()), tree))
    executions = _nested_tools(list(tools.values()), tree)
    return Work(
        inferences=sorted(calls, key=lambda call: (call.start_ns, call.end_ns)),
        tools=sorted(executions, key=lambda tool: (tool.start_ns, tool.end_ns)),
        agents=sorted(agents.values(), key=lambda agent: (agent.start_ns, -agent.end_ns)),
        tree=tree,
    )


def _from_events(events: list[MessageEvent]) -> Inference:
    """Build the model call that a list of message events describes."""
    events = sorted(events, key=lambda event: event.order)
    first = events[0]
    inputs = tuple(event.message for event in events if event.side == "input")
    return Inference(
        trace_id=first.trace_id,
        span_id=first.span_id,
        parent_id=first.parent_id,
        name=first.name,
        start_ns=min(event.start_ns for event in events),
        end_ns=max(event.end_ns for event in events),
        dialect=first.dialect,
        agent=next((event.agent for event in events if event.agent), None),
        conversation_id=next((e.conversation_id for e in events if e.conversation_id), None),
        service=first.service,
        service_version=first.service_version,
        environment=first.environment,
        capture=_captures(event.capture for event in events),
        input=inputs or None,
        output=_choices(events),
    )


def _choices(events: list[MessageEvent]) -> tuple[Message, ...] | None:
    """Join the pieces of each streamed choice; a piece with a finish reason ends its message."""
    pieces: dict[int, list[Message]] = defaultdict(list)
    for event in events:
        if event.side == "output":
            pieces[event.choice].append(event.message)
    joined: list[Message] = []
    for index in sorted(pieces):
        group = pieces[index]
        if len(group) == 1:
            joined.append(group[0])
            continue
        text = "".join(part.text for message in group for part in message.of_kind("text"))
        others = [p for message in group for p in message.parts if p.kind != "text"]
        parts = ([Part("text", text)] if text else []) + others
        finish = next((m.finish_reason for m in reversed(group) if m.finish_reason), None)
        joined.append(Message(group[0].role, tuple(parts), finish_reason=finish))
    return tuple(joined) or None


def _captures(captures: Iterable[Capture]) -> Capture:
    lengths: list[int] = []
    broken: list[str] = []
    dropped, hidden = 0, None
    for capture in captures:
        lengths += capture.lengths
        broken += capture.broken
        dropped += capture.dropped
        hidden = hidden or capture.hidden
    return Capture(tuple(lengths), tuple(broken), dropped, hidden)


def _weight(messages: tuple[Message, ...] | None) -> int:
    if messages is None:
        return -1
    return sum(len(part.text) + 1 for message in messages for part in message.parts)


def _richer(
    one: tuple[Message, ...] | None, other: tuple[Message, ...] | None
) -> tuple[Message, ...] | None:
    return other if _weight(other) > _weight(one) else one


def _combine(one: Inference, other: Inference) -> Inference:
    """Join two records of one call; `one` keeps its place in the trace."""
    usage = Usage(
        *(
            first if first is not None else second
            for first, second in zip(
                (
                    one.usage.input_tokens,
                    one.usage.output_tokens,
                    one.usage.cache_read_tokens,
                    one.usage.cache_write_tokens,
                ),
                (
                    other.usage.input_tokens,
                    other.usage.output_tokens,
                    other.usage.cache_read_tokens,
                    other.usage.cache_write_tokens,
                ),
                strict=True,
            )
        )
    )
    given = _richer(one.input, other.input)
    made = _richer(one.output, other.output)
    seen = given is not None or made is not None
    capture = _captures((one.capture, other.capture))
    if seen and not (one.capture.hidden and other.capture.hidden):
        capture = replace(capture, hidden=None)  # one of the two records shows what the other hides
    return replace(
        one,
        parent_id=one.parent_id or other.parent_id,
        start_ns=min(filter(None, (one.start_ns, other.start_ns)), default=0),
        end_ns=max(one.end_ns, other.end_ns),
        agent=one.agent or other.agent,
        agent_version=one.agent_version or other.agent_version,
        conversation_id=one.conversation_id or other.conversation_id,
        provider=one.provider or other.provider,
        model=one.model or other.model,
        response_id=one.response_id or other.response_id,
        input=given,
        output=made,
        tools=one.tools if one.tools is not None else other.tools,
        usage=usage,
        finish_reasons=one.finish_reasons or other.finish_reasons,
        error=one.error or other.error,
        utility=one.utility or other.utility,
        capture=capture,
    )


def _combine_tools(one: ToolExecution, other: ToolExecution) -> ToolExecution:
    """Join two records of one tool call: what the tool itself returned is the longer text."""
    result, capture = one.result, one.capture
    if len(other.result or "") > len(one.result or "") or one.result is None:
        result, capture = other.result, other.capture
    return replace(
        one,
        tool=one.tool or other.tool,
        call_id=one.call_id or other.call_id,
        arguments=one.arguments or other.arguments,
        result=result,
        capture=capture,
        failed=one.failed or other.failed,
        conversation_id=one.conversation_id or other.conversation_id,
    )


def _nested(calls: list[Inference], tree: Tree) -> list[Inference]:
    """Merge a model call recorded inside the record of the same call.

    A record with one record inside is the same call seen twice (framework and SDK). One with
    several inside is a wrapper around retries: the inner ones are the calls.
    """
    by_key = {key_of(call): call for call in calls}
    inside: dict[Key, list[Inference]] = defaultdict(list)
    for call in calls:
        above = tree.above(key_of(call))
        if above and isinstance(above[0], Inference) and key_of(above[0]) in by_key:
            inside[key_of(above[0])].append(call)
    gone: set[Key] = set()
    # Innermost first, so that a chain of three records folds into its outermost one.
    for key in sorted(inside, key=lambda k: -len(tree.above(k))):
        children = inside[key]
        if len(children) == 1:
            child = by_key[key_of(children[0])]
            by_key[key] = _combine(by_key[key], child)
            gone.add(key_of(child))
        elif all(child.output is not None or child.input is not None for child in children):
            gone.add(key)
        else:
            for child in children:
                by_key[key] = _combine(by_key[key], by_key[key_of(child)])
                gone.add(key_of(child))
    return [by_key[key_of(call)] for call in calls if key_of(call) not in gone]


def _siblings(calls: list[Inference]) -> list[Inference]:
    """Merge records side by side of one call: the same response id at the same time."""
    kept: list[Inference] = []
    by_response: dict[str, list[int]] = defaultdict(list)
    for call in sorted(calls, key=lambda c: (c.start_ns, -c.end_ns)):
        twin = None
        if call.response_id:
            for at in by_response[call.response_id][-4:]:
                # Scripted models reuse ids: only records that overlap in time are one call.
                if kept[at].end_ns > call.start_ns or kept[at].start_ns == call.start_ns:
                    twin = at
        if twin is not None:
            kept[twin] = _combine(kept[twin], call)
            continue
        if call.response_id:
            by_response[call.response_id].append(len(kept))
        kept.append(call)
    return kept


def _nested_tools(tools: list[ToolExecution], tree: Tree) -> list[ToolExecution]:
    """Merge a tool call recorded inside the record of the same call (framework and client)."""
    by_key = {key_of(tool): tool for tool in tools}
    gone: set[Key] = set()
    for tool in sorted(tools, key=lambda t: -len(tree.above(key_of(t)))):
        above = tree.above(key_of(tool))
        holder = above[0] if above else None
        if not isinstance(holder, ToolExecution):
            continue
        outer = by_key[key_of(holder)]
        inner = by_key[key_of(tool)]
        if inner.tool == outer.tool and _is_same(inner, outer):
            by_key[key_of(holder)] = _combine_tools(outer, inner)
            gone.add(key_of(tool))
    return [by_key[key_of(tool)] for tool in tools if key_of(tool) not in gone]


def _is_same(inner: ToolExecution, outer: ToolExecution) -> bool:
    """Whether a tool's span inside a span of that tool is the same call, not another one."""
    if inner.call_id and outer.call_id:
        return inner.call_id == outer.call_id
    unknown = inner.arguments is None or outer.arguments is None
    return unknown or inner.arguments == outer.arguments
