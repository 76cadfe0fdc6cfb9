"""Tools' messages whose role is the tool's name: Langfuse's callback for LangChain.js."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from collector.content.roles import KNOWN_ROLES
from scorers.turn import Message, Part


def answered_by_name(said: Iterable[Message]) -> tuple[Message, ...]:
    """Return the messages with those that speak as a tool of the step before as its result.

    Each answers the first call of that name that has no answer yet.
    """
    found: list[Message] = []
    waiting: list[Part] = []
    for message in said:
        if message.role == "assistant":
            waiting = list(message.of_kind("tool_call"))
        if message.role in KNOWN_ROLES:
            found.append(message)
            continue
        # Who speaks is told in lower case.
        call = next((one for one in waiting if (one.name or "").lower() == message.role), None)
        if call is None or not all(part.kind == "text" for part in message.parts):
            found.append(message)
            continue
        waiting.remove(call)
        parts = tuple(
            replace(part, kind="tool_result", id=call.id, name=call.name) for part in message.parts
        )
        found.append(replace(message, role="tool", parts=parts))
    return tuple(found)
