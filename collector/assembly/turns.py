"""Operations of a group of traces → turns. Pure: no clock, no store, no randomness."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from collector.assembly.arenas import arenas
from collector.assembly.capture import CaptureLimits
from collector.assembly.conversations import Conversations
from collector.assembly.drafts import Draft, drafts_of
from collector.assembly.harness_text import requester_words
from collector.assembly.material import Material
from collector.assembly.merge import merge
from collector.assembly.private import private_context
from collector.assembly.replies import Reply, reply_of, stopped_by
from collector.assembly.requester import Asked, asked
from collector.assembly.results import Results
from collector.assembly.segment import Segment, asks_for_tools
from collector.assembly.surroundings import Surroundings, surroundings
from collector.assembly.threads import segments
from scorers.turn import ClosedBy, RequesterContext, Said, ToolResult, Turn

# Environments in which evaluators run their own model calls: Tellback never judges a judge.
OWN_ENVIRONMENTS = frozenset({"langfuse-llm-as-a-judge", "tellback-judge"})

# Where we stopped looking, what nobody had read by then is not known to be unread.
_CUT_SHORT = {"deadline": "closed_at_deadline", "shutdown": "closed_at_shutdown"}


def assemble(
    material: Material, *, closed_by: ClosedBy = "end", conversations: Conversations | None = None
) -> list[Turn]:
    """Turn a group's operations into turns, oldest first.

    `conversations` supplies what was said before where the telemetry does not repeat it, and is
    told what is said now.
    """
    work = merge(material)
    limits = CaptureLimits.of([*work.inferences, *work.tools, *work.agents], material.limits)
    results = Results(work, limits, material.incomplete, _CUT_SHORT.get(closed_by))
    outer = [call for call in work.inferences if work.tree.tool_around(call) is None]
    known = conversations.asides if conversations is not None else {}
    parts = segments(outer, work.tree, work.tools, known)
    if conversations is not None:
        conversations.note_asides(_asides(parts))
    drafts: list[Draft] = []
    for arena in arenas(parts, work.agents, results.top_level, work.tree):
        drafts += drafts_of(arena)
    if len(drafts) > 1:
        drafts.sort(key=lambda draft: draft.started_ns)
    times: Counter[str] = Counter()
    turns: list[Turn] = []
    around = surroundings(drafts, material.stated, material.parents)
    for draft, said in zip(drafts, around, strict=True):
        turn = _turn(draft, results, times, closed_by, material.incomplete, said)
        turns.append(_with_past(turn, conversations))
    return turns


def _turn(
    draft: Draft,
    results: Results,
    times: Counter[str],
    closed_by: ClosedBy,
    incomplete: str | None,
    said: Surroundings,
) -> Turn:
    segment = draft.segment
    inside = results.tools_inside(draft.tools)
    tools = [*draft.tools, *inside]
    operations = draft.operations
    calls = [*draft.calls, *results.calls_inside(tools)]
    everything = [*operations, *calls, *tools]
    trace_ids = tuple(dict.fromkeys(operation.trace_id for operation in everything))
    reply = reply_of(segment, draft.arena.speaker if draft.alone else None)
    if draft.only_asked:
        reply = Reply(None, "unfinished")
    requester = asked(draft, said.files)
    told = [one.text for one in requester.context.dialog]
    last = segment.calls[-1] if segment else None
    return Turn(
        turn_id=_turn_id(trace_ids[0], requester, draft, times),
        trace_ids=trace_ids,
        requester=requester.context,
        private=private_context(calls, tools, [*told, reply.text or ""], said.memory),
        request=requester.request,
        request_missing=requester.missing,
        reply=reply.text,
        reply_missing=(incomplete if reply.missing == "unfinished" else None) or reply.missing,
        reply_trace_id=reply.trace_id,
        reply_span_id=reply.span_id,
        conversation_id=_first([o.conversation_id for o in operations]) or said.conversation_id,
        agent=_agent(draft) or said.agent or _first([o.service for o in everything]),
        agent_version=_first([o.agent_version for o in operations])
        or said.agent_version
        or _first([o.service_version for o in operations]),
        environment=_first([o.environment for o in everything]),
        model=(last.model if last else None) or _first([call.model for call in calls]),
        dialects=tuple(sorted({o.dialect for o in everything})),
        started_ns=draft.started_ns,
        ended_ns=max([o.end_ns for o in everything], default=0),
        inferences=tuple(calls),
        tool_results=_read_by_models(results.of(draft), reply.text),
        tool_turns=sum(asks_for_tools(call) for call in segment.calls) if segment else 0,
        model_calls=len(calls),
        tool_errors=sum([tool.failed for tool in tools]),
        input_tokens=_total([call.usage.input_tokens for call in calls]),
        output_tokens=_total([call.usage.output_tokens for call in calls]),
        closed_by=closed_by,
        stopped=stopped_by(operations, replied=bool(reply.text)),
        own_traffic=not OWN_ENVIRONMENTS.isdisjoint([o.environment for o in everything]),
    )


def _asides(parts: Iterable[Segment]) -> Iterator[str]:
    seen: set[int] = set()  # by `id()`: what every later call repeats is told once
    for part in parts:
        for call, history in zip(part.calls, part.histories, strict=True):
            for at in history.asides:
                message = (call.input or ())[at]
                if id(message) not in seen:
                    seen.add(id(message))
                    yield requester_words(message.text)


def _read_by_models(found: tuple[ToolResult, ...], reply: str | None) -> tuple[ToolResult, ...]:
    """Leave out the result that became the reply (`final_answer`, tools that return directly):
    the requester read it, and no model was to."""
    said = (reply or "").strip()
    return tuple(
        result
        for result in found
        if result.calls_after or not said or (result.produced or "").strip() != said
    )


def _agent(draft: Draft) -> str | None:
    """Name the agent that was asked: the first one to run, agents before workflows."""
    agents = draft.arena.agents if draft.alone else []
    named = [agent for agent in agents if agent.agent]
    for kind in ("agent", "workflow"):
        roots = [agent for agent in draft.arena.roots if agent.kind == kind and agent in named]
        for agent in (*roots, *(agent for agent in named if agent.kind == kind)):
            return agent.agent
    return _first([c.agent for c in draft.calls]) or _first([tool.agent for tool in draft.tools])


def _first(values: Iterable[str | None]) -> str | None:
    for value in values:
        if value:
            return value
    return None


def _total(counts: Iterable[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _turn_id(trace_id: str, requester: Asked, draft: Draft, times: Counter[str]) -> str:
    """Name a turn so that the same telemetry, seen again, names the same turn."""
    anchor = requester.request
    if anchor is None:
        first = draft.calls[:1] or draft.arena.agents[:1] or draft.tools[:1]
        anchor = f"span {first[0].span_id}" if first else ""
    base = f"{trace_id}\n{len(requester.context.dialog)}\n{anchor}"
    times[base] += 1
    named = f"{base}\n{times[base]}".encode("utf-8", "replace")
    return hashlib.sha256(named).hexdigest()[:32]


def _with_past(turn: Turn, conversations: Conversations | None) -> Turn:
    """Add what was said before where the telemetry does not repeat it; remember what is said."""
    if conversations is None or turn.own_traffic:
        return turn
    dialog = turn.requester.dialog
    current = dialog[-1:] if turn.request is not None else ()
    shown = dialog[: len(dialog) - len(current)]
    past = conversations.before(turn.conversation_id, turn.turn_id, turn.started_ns)
    if len(past) > len(shown):
        turn = replace(turn, requester=RequesterContext((*past, *current), turn.requester.files))
    said = turn.requester.dialog
    if turn.reply:
        said = (*said, Said("assistant", turn.reply))
    if turn.request is not None:
        conversations.remember(turn.conversation_id, turn.turn_id, turn.started_ns, said)
    return turn
