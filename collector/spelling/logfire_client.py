"""Requests and answers of model clients as Logfire's first form writes them.

`request_data` is the request as it was sent, `response_data` what Logfire picked out of the
answer: `{"message": …}`, `{"text": …}` of a completion, or the joined pieces of a stream.
"""

from __future__ import annotations

from typing import Any

from collector.content import compact, decode, looks_cut, messages
from collector.spelling.exchange import messages_in
from scorers.turn import Message, Part

Messages = tuple[Message, ...] | None


def request_of(data: Any) -> Messages:
    """Return the messages of a request, None where it holds none."""
    request = decode(data)
    if isinstance(request, str):
        return messages(request) if looks_cut(request) else None
    if not isinstance(request, dict):
        return None
    prompt = request.get("prompt")
    if isinstance(prompt, str) and prompt:
        return (Message("user", (Part("text", prompt),)),)
    return messages_in(request, "user")


def answer_of(data: Any, scope: str) -> Messages:
    """Return the messages of an answer, None where it holds none."""
    answer = decode(data)
    if not isinstance(answer, dict):
        return None
    for key in ("text", "combined_chunk_content"):
        said = answer.get(key)
        if isinstance(said, str):
            # Of a stream, only the text was kept: a call for a tool leaves none.
            return (Message("assistant", (Part("text", said),)),) if said else None
    message = answer.get("message")
    if not isinstance(message, dict):
        return None
    if scope == "logfire.anthropic":
        message = _bare(message)
    return messages([message], role="assistant") or None


def _bare(message: dict[str, Any]) -> dict[str, Any]:
    """Take the arguments of Anthropic's tool calls out of the block they were dumped with."""
    calls = message.get("tool_calls")
    if not isinstance(calls, list):
        return message
    return {**message, "tool_calls": [_call(call) for call in calls if isinstance(call, dict)]}


def _call(call: dict[str, Any]) -> dict[str, Any]:
    function = call.get("function")
    if not isinstance(function, dict):
        return call
    arguments = decode(function.get("arguments"))
    if not isinstance(arguments, dict) or arguments.keys() != {"input"}:
        return call
    return {**call, "function": {**function, "arguments": compact(arguments["input"])}}
