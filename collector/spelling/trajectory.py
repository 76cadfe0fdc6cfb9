"""DSPy's ReAct steps, which it sends as fields of one text: `[[ ## observation_0 ## ]]`.

The steps before, with what the tools returned, stand in the user's message; the next one stands in
the answer. Nobody but the agent wrote them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from scorers.turn import Message, Part

_HEAD = "[[ ## "
_FIELD = re.compile(r"^\[\[ ## (\w{1,80}) ## \]\][ \t]*\n?", re.MULTILINE)
_TRAJECTORY = "trajectory"
_STEP = re.compile(r"(thought|tool_name|tool_args|observation)_(\d{1,6})\Z")
_RESPOND = "\n\nRespond with the corresponding output fields"
_NEXT = "next_tool_name"


def stepwise(said: Iterable[Message]) -> tuple[Message, ...]:
    """Return the messages with the steps of a trajectory as tool calls and results."""
    found: list[Message] = []
    for message in said:
        text = message.text
        if _HEAD not in text or len(message.parts) != 1:
            found.append(message)
        elif message.role == "user":
            found += _steps(message, text)
        else:
            found.append(_next(message, text) if message.role == "assistant" else message)
    return tuple(found)


def _steps(message: Message, text: str) -> list[Message]:
    """Take a user's text apart: what stands before and behind the trajectory is one message."""
    body, respond, tail = text.partition(_RESPOND)
    if _NEXT not in tail:
        return [message]  # the call that draws the conclusion is sent all steps once more
    head, steps = _apart(body)
    if not steps:
        return [message]
    asked = Message("user", (Part("text", head + respond + tail),), message.name)
    return [asked, *(one for step in steps for one in _of_step(step))]


def _apart(body: str) -> tuple[str, list[dict[str, str]]]:
    marks = list(_FIELD.finditer(body))
    names = [mark[1] for mark in marks]
    if _TRAJECTORY not in names:
        return body, []
    at = names.index(_TRAJECTORY)
    steps: dict[int, dict[str, str]] = {}
    for mark, following in zip(marks[at + 1 :], [*marks[at + 2 :], None], strict=False):
        if step := _STEP.match(mark[1]):
            value = body[mark.end() : following.start() if following else len(body)]
            own = steps.setdefault(int(step[2]), {})
            own.setdefault(step[1], value.removesuffix("\n\n") if following else value)
    return body[: marks[at].start()].rstrip(), [steps[number] for number in sorted(steps)]


def _of_step(step: dict[str, str]) -> list[Message]:
    name = step.get("tool_name", "").strip()
    parts = [Part("reasoning", step["thought"])] if step.get("thought") else []
    if not name:
        return [Message("assistant", tuple(parts))] if parts else []
    parts.append(Part("tool_call", step.get("tool_args", ""), None, name))
    asked = Message("assistant", tuple(parts))
    if "observation" not in step:
        return [asked]
    result = Part("tool_result", step["observation"], None, name)
    return [asked, Message("tool", (result,))]


def _next(message: Message, text: str) -> Message:
    """Return the answer that names the next tool as a tool call, any other as what it says."""
    marks = list(_FIELD.finditer(text))
    fields = {
        mark[1]: text[mark.end() : following.start() if following else len(text)].strip()
        for mark, following in zip(marks, [*marks[1:], None], strict=False)
    }
    name = fields.get(_NEXT)
    if not name:
        return message
    thought = fields.get("next_thought")
    parts = [Part("reasoning", thought)] if thought else []
    call = Part("tool_call", fields.get("next_tool_args", ""), None, name)
    return Message(message.role, (*parts, call), message.name, message.finish_reason)
