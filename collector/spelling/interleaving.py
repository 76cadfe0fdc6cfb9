"""A conversation that was recorded as two lists, put back into its order.

Versions of the OpenInference processor for Strands file what the assistant said earlier under the
model's output.
"""

from __future__ import annotations

from collections.abc import Iterable

from scorers.turn import Message


def interleaved(heard: Iterable[Message], spoken: Iterable[Message]) -> tuple[Message, ...]:
    """Return what the others said and what the assistant said as one conversation.

    A step with tool calls stands before their results, a reply before the next user's message.
    """
    heard, spoken = list(heard), list(spoken)
    step_of = {
        call.id: at
        for at, message in enumerate(spoken)
        for call in message.of_kind("tool_call")
        if call.id
    }
    found: list[Message] = []
    said = 0
    for message in heard:
        steps = [step_of[part.id] for part in message.of_kind("tool_result") if part.id in step_of]
        if steps:
            found += spoken[said : max(steps) + 1]
            said = max(said, max(steps) + 1)
        elif message.role == "user" and found:
            reply = next(
                (at for at in range(said, len(spoken)) if not spoken[at].of_kind("tool_call")), None
            )
            if reply is not None and any(one.role == "user" for one in found):
                found += spoken[said : reply + 1]
                said = reply + 1
        found.append(message)
    return (*found, *spoken[said:])
