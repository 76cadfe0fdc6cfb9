"""A conversation that was recorded as two lists, put back into its order.

The OpenInference processor for Strands files what the assistant said earlier under the model's
output, and joins the results of one step's parallel calls into one message under the last id.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from scorers.turn import Message, Part


def interleaved(heard: Iterable[Message], spoken: Iterable[Message]) -> tuple[Message, ...]:
    """Return what the others said and what the assistant said as one conversation.

    A step with tool calls stands before their results, a reply before the next user's message.
    A call without a result of its own was answered by the result that stands for its step.
    """
    heard, spoken = list(heard), list(spoken)
    step_of = {
        call.id: at
        for at, message in enumerate(spoken)
        for call in message.of_kind("tool_call")
        if call.id
    }
    answered = {part.id for message in heard for part in message.of_kind("tool_result")}
    found: list[Message] = []
    said = 0
    for message in heard:
        steps = [step_of[part.id] for part in message.of_kind("tool_result") if part.id in step_of]
        if steps:
            found += spoken[said : max(steps) + 1]
            said = max(said, max(steps) + 1)
            message = _for_all_calls(message, spoken[max(steps)], answered)  # noqa: PLW2901 - the same message, completed
        elif message.role == "user" and found:
            reply = next(
                (at for at in range(said, len(spoken)) if not spoken[at].of_kind("tool_call")), None
            )
            if reply is not None and any(one.role == "user" for one in found):
                found += spoken[said : reply + 1]
                said = reply + 1
        found.append(message)
    return (*found, *spoken[said:])


def _for_all_calls(message: Message, step: Message, answered: set[str | None]) -> Message:
    results = message.of_kind("tool_result")
    missing = [call for call in step.of_kind("tool_call") if call.id and call.id not in answered]
    more: list[Part] = [replace(results[-1], id=call.id, name=call.name) for call in missing]
    return replace(message, parts=(*message.parts, *more)) if more else message
