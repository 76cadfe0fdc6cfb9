"""One model call or tool call may be recorded several times; here it becomes one again.

A span and its log events, message events that arrive one by one, a library's span inside a
framework's span, two instrumentations side by side.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from collector.assembly.combine import (
    captures,
    combine,
    combine_agents,
    combine_tools,
    told_once,
)
from collector.assembly.duplicates import nested, one_record_each, one_run_each, siblings
from collector.assembly.material import Key, Material, Tree, key_of
from collector.assembly.pieces import put_together
from collector.assembly.stand_ins import holders, stand_ins
from collector.assembly.supposed import asked_for
from collector.dialect import MessageEvent
from scorers.turn import (
    AgentInvocation,
    Inference,
    Message,
    Operation,
    Part,
    ToolExecution,
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
    operations, parents = put_together(material.operations, material.parents)
    inferences: dict[Key, Inference] = {}
    tools: dict[Key, ToolExecution] = {}
    agents: dict[Key, AgentInvocation] = {}
    events: dict[Key, list[MessageEvent]] = defaultdict(list)
    for operation in asked_for(operations):
        key = key_of(operation)
        if isinstance(operation, MessageEvent):
            events[key].append(operation)
        elif isinstance(operation, Inference):
            known = inferences.get(key)
            inferences[key] = operation if known is None else combine(known, operation)
        elif isinstance(operation, ToolExecution):
            known_tool = tools.get(key)
            tools[key] = operation if known_tool is None else combine_tools(known_tool, operation)
        else:
            known_agent = agents.get(key)
            joined = operation if known_agent is None else combine_agents(known_agent, operation)
            agents[key] = joined
    for key, pieces in events.items():
        built = _from_events(pieces)
        held = agents.get(key) or tools.get(key)
        if held is None:
            known = inferences.get(key)
            inferences[key] = built if known is None else combine(known, built)
        elif isinstance(held, AgentInvocation):
            agents[key] = replace(
                held, input=held.input or built.input, output=held.output or built.output
            )
    # Several tool calls told by one span stand inside of it, under ids of their own.
    inside: dict[Key, Key | None] = {
        key: (tool.trace_id, tool.parent_id)
        for key, tool in tools.items()
        if tool.parent_id and key not in parents
    }
    if inside:
        parents = {**parents, **inside}
    if any(parent is not None and parent not in parents for parent in parents.values()):
        parents = _completed(parents, inferences, agents, tools)
    records: list[Operation] = [*inferences.values(), *tools.values(), *agents.values()]
    tree = Tree(records, parents, material.entries)
    if material.entries:
        tree.leave_entries(_repeated(agents.values(), tree))
    calls = siblings(nested(list(inferences.values()), tree))
    executions = one_record_each(list(tools.values()), tree)
    return Work(
        # Clocks may stand still or be missing: histories grow, and ids break what ties are left.
        inferences=sorted(calls, key=_in_order),
        tools=sorted(executions, key=lambda tool: (tool.start_ns, tool.end_ns, tool.span_id)),
        agents=one_run_each(agents.values(), [*calls, *executions], tree),
        tree=tree,
    )


def _completed(
    parents: Mapping[Key, Key | None],
    inferences: Mapping[Key, Inference],
    agents: Mapping[Key, AgentInvocation],
    tools: dict[Key, ToolExecution],
) -> dict[Key, Key | None]:
    """Return where spans stand, with a place for parents that never came; tool calls whose span is
    missing are added to `tools`."""
    completed = dict(parents)
    missing = stand_ins(inferences.values(), agents.values(), tools.values(), completed)
    for key, (stand_in, place) in missing.items():
        tools[key] = stand_in
        completed[key] = place
    return completed | holders(inferences.values(), agents.values(), tools.values(), completed)


def _in_order(call: Inference) -> tuple[int, int, int, str]:
    return (call.start_ns, len(call.input or ()), call.end_ns, call.span_id)


def _repeated(agents: Iterable[AgentInvocation], tree: Tree) -> list[Key]:
    """Return the requests in which one agent ran several times: a batch, one turn for each."""
    names: dict[Key, list[str | None]] = defaultdict(list)
    for agent in agents:
        entry = tree.entry_around(key_of(agent))
        if entry is not None and not tree.above(key_of(agent)):
            names[entry].append(agent.agent)
    return [entry for entry, found in names.items() if len(set(found)) < len(found)]


def _from_events(events: list[MessageEvent]) -> Inference:
    """Build the model call that a list of message events describes."""
    events = sorted(events, key=lambda event: event.order)
    first = events[0]
    inputs = told_once(event.message for event in events if event.side == "input")
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
        capture=captures(event.capture for event in events),
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
