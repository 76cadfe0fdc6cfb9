"""Two records of one call become one: each gives what the other leaves out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar

from collector.spelling.counterpart import JOINED, joined, lacks_ids, with_ids
from scorers.turn import AgentInvocation, Capture, Inference, Message, Part, ToolExecution, Usage

Run = TypeVar("Run", bound=AgentInvocation)


def captures(found: Iterable[Capture]) -> Capture:
    """Add up what the instrumentation did to several records."""
    lengths: list[int] = []
    broken: list[str] = []
    dropped, hidden = 0, None
    for capture in found:
        lengths += capture.lengths
        broken += capture.broken
        dropped += capture.dropped
        hidden = hidden or capture.hidden
    return Capture(tuple(lengths), tuple(broken), dropped, hidden)


def weight(messages: tuple[Message, ...] | None) -> int:
    """Return how much some messages hold, to tell copies apart; -1 where there are none."""
    if messages is None:
        return -1
    return sum(len(part.text) + 1 for message in messages for part in message.parts)


def _richer(
    one: tuple[Message, ...] | None, other: tuple[Message, ...] | None
) -> tuple[Message, ...] | None:
    if weight(other) > weight(one):
        return _identified(other, one)
    return _identified(one, other)


def _identified(
    said: tuple[Message, ...] | None, other: tuple[Message, ...] | None
) -> tuple[Message, ...] | None:
    """Give tool calls and results without ids those that the other record has for the same ones."""
    if not said or not other or not lacks_ids(said):
        return said
    pairs = zip(joined(said), joined(other), strict=False)
    if any(one.id and two.id and one.id != two.id for one, two in pairs):
        return said
    return with_ids(said, other)


def told_once(said: Iterable[Message]) -> tuple[Message, ...]:
    """Leave out tool calls and results that one call's messages tell again, under the same id.

    AWS's instrumentation writes each result as a tool's message, and once more as the user's.
    """
    seen: set[tuple[str, str, str]] = set()
    kept: list[Message] = []
    for message in said:
        parts: list[Part] = []
        for part in message.parts:
            mark = (part.kind, part.id or "", part.text)
            if part.id is None or part.kind not in JOINED or mark not in seen:
                parts.append(part)
            seen.add(mark)
        if len(parts) == len(message.parts):
            kept.append(message)
        elif parts:
            kept.append(replace(message, parts=tuple(parts)))
    return tuple(kept)


def combine(one: Inference, other: Inference) -> Inference:
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
    capture = captures((one.capture, other.capture))
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


def combine_tools(one: ToolExecution, other: ToolExecution) -> ToolExecution:
    """Join two records of one tool call: what the tool itself returned is the longer text."""
    result, capture = one.result, one.capture
    if len(other.result or "") > len(one.result or "") or one.result is None:
        result, capture = other.result, other.capture
    if result is None:
        capture = captures((one.capture, other.capture))
    return replace(
        one,
        tool=one.tool or other.tool,
        call_id=one.call_id or other.call_id,
        arguments=one.arguments or other.arguments,
        result=result,
        capture=capture,
        failed=one.failed or other.failed,
        conversation_id=one.conversation_id or other.conversation_id,
        **_sizes(one, other),
    )


def combine_agents(one: Run, other: AgentInvocation) -> Run:
    """Join two records of one agent's run; `one` keeps its place in the trace."""
    capture = captures((one.capture, other.capture))
    if one.input is not None or other.input is not None:
        capture = replace(capture, hidden=None)
    return replace(
        one,
        start_ns=min(filter(None, (one.start_ns, other.start_ns)), default=0),
        end_ns=max(one.end_ns, other.end_ns),
        agent=one.agent or other.agent,
        conversation_id=one.conversation_id or other.conversation_id,
        input=_richer(one.input, other.input),
        output=_richer(one.output, other.output),
        capture=capture,
    )


def _sizes(one: ToolExecution, other: ToolExecution) -> dict[str, Any]:
    """Return the sizes that two records state, in one's unit or, without any there, the other's."""
    ours = one.produced_size is not None or one.delivered_size is not None
    if ours and one.size_unit != other.size_unit:
        return {}
    pairs = ((one.produced_size, other.produced_size), (one.delivered_size, other.delivered_size))
    produced, delivered = (first if first is not None else second for first, second in pairs)
    unit = one.size_unit if ours else other.size_unit
    return {"produced_size": produced, "delivered_size": delivered, "size_unit": unit}
