"""Calls and results of a conversation whose ids an instrumentation mixed up or left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scorers.turn import Message, Part


def answered_together(said: Sequence[Message]) -> tuple[Message, ...]:
    """Give calls without a result the one that their step got under another call's id.

    The OpenInference processor for Strands joins the results of one step's parallel calls into
    one message, and keeps only the last id.
    """
    answered = {part.id for message in said for part in message.of_kind("tool_result")}
    found: list[Message] = []
    step: tuple[Part, ...] = ()
    for at, message in enumerate(said):
        if message.role == "assistant":
            step = message.of_kind("tool_call")
        results = message.of_kind("tool_result")
        last = at + 1 == len(said) or said[at + 1].role != "tool"
        if results and last and results[-1].id in {call.id for call in step}:
            more = [
                replace(results[-1], id=call.id, name=call.name)
                for call in step
                if call.id and call.id not in answered
            ]
            found.append(replace(message, parts=(*message.parts, *more)))
        else:
            found.append(message)
    return tuple(found)


def called_as_answered(said: Sequence[Message]) -> tuple[Message, ...]:
    """Give calls the ids under which their results stand, where the two differ.

    Traceloop's openai-agents instrumentation names earlier calls by the id of the Responses item
    (`fc_…`) and their results by that of the call (`call_…`). Within one step, both come in the
    same order.
    """
    renamed: dict[str, str] = {}
    calls: list[str] = []
    results: list[str] = []
    for message in said:
        if message.role != "tool" and results:
            renamed |= _pairs(calls, results)
            calls, results = [], []
        calls += [part.id for part in message.of_kind("tool_call") if part.id]
        results += [part.id for part in message.of_kind("tool_result") if part.id]
    renamed |= _pairs(calls, results)
    return tuple(_renamed(message, renamed) for message in said) if renamed else tuple(said)


def _pairs(calls: list[str], results: list[str]) -> dict[str, str]:
    if len(calls) != len(results) or set(calls) & set(results):
        return {}
    return dict(zip(calls, results, strict=True))


def _renamed(message: Message, renamed: dict[str, str]) -> Message:
    parts = tuple(
        replace(part, id=renamed.get(part.id or "", part.id)) if part.kind == "tool_call" else part
        for part in message.parts
    )
    return replace(message, parts=parts)
