"""What decorators and frameworks put around a function's arguments and around what it returns.

The request and the reply of an agent's span, and the arguments of a tool's span, stand inside of
`{"args": […], "kwargs": {…}}`, `{"inputs": {"messages": […]}}`, `{"task": "…"}` and the like.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from collector.content import compact, decode, looks_cut, messages, redacted, text
from collector.content.values import NotJson, salvage
from scorers.turn import Message, Part

# `self`, results and other objects that no encoder could write.
_OBJECT = re.compile(r"<[^<>]{1,200} at 0x[0-9a-f]+>|[A-Z]\w{1,80}\((?:\)|\w{1,80}=.*)", re.DOTALL)
# Envelopes nest two or three deep.
_DEPTH = 6
_WRAPPING = ("inputs", "input", "input_args", "start_event", "kwargs", "args", "data")
_REQUEST = (
    "task", "query", "question", "prompt", "request", "message", "user_message", "user_input",
    "user_prompt", "user_query", "text", "content", "new_message", "user_msg", "topic",
)  # fmt: skip
_RETURNING = ("replies", "outputs", "output", "return_values", "update", "data")
_REPLY = (
    "reply", "answer", "response", "final_answer", "final_output", "result", "text", "content",
    "last_message", "raw",
)  # fmt: skip


def request_in(value: Any) -> tuple[Message, ...] | None:
    """Return the messages that a span's input holds, None where it holds none that can be read.

    A text is what the requester said. Of positional arguments, the first that can be read counts;
    of named ones, the one with a telling name, or the only one.
    """
    value, cut = _whole(value)
    return _flagged(_request(value, _DEPTH), cut)


def reply_in(value: Any) -> tuple[Message, ...] | None:
    """Return the messages that a span's output holds, None where it holds none that can be read.

    Of a whole conversation (a graph's state), only what follows the last user message is the
    outcome of this run.
    """
    value, cut = _whole(value)
    found = _reply(value, _DEPTH)
    if found is None:
        return None
    last = max((at for at, one in enumerate(found) if one.role == "user"), default=-1)
    return _flagged(found[last + 1 :] or None, cut)


def arguments_in(value: Any) -> str | None:
    """Return a tool call's arguments as text (JSON where they are several), None without any."""
    if value is None or redacted(value):
        return None
    decoded = decode(value)
    for _ in range(_DEPTH):
        inner = _arguments(decoded)
        if inner is decoded:
            break
        decoded = inner
    if decoded is None:
        return None
    return decoded if isinstance(decoded, str) else compact(decoded)


def encoded(value: Any) -> tuple[Any, bool]:
    """Return the value of an attribute that is always written as JSON, and whether it was cut.

    A text's quotes are part of it there, so that a missing one shows that the end is missing.
    """
    decoded, cut = _whole(value)
    if cut or not isinstance(decoded, str) or decoded is not value or decoded[:1] != '"':
        return decoded, cut
    try:
        return salvage(decoded), True
    except NotJson:
        return decoded, False


def _arguments(value: Any) -> Any:
    """Return what one envelope holds, the value itself where it is none."""
    if not isinstance(value, dict):
        return value
    if "inputs" in value and ("input_str" in value or len(value) == 1):
        return value["inputs"] if value["inputs"] is not None else value.get("input_str")
    if not value or not set(value) - {"sanitize_inputs_outputs"} <= {"args", "kwargs"}:
        return value
    positional, named = value.get("args", []), value.get("kwargs", {})
    if not isinstance(positional, list | tuple) or not isinstance(named, dict):
        return value
    if named and not positional:
        return named
    if positional and not named:
        return positional[0] if len(positional) == 1 else list(positional)
    return {**named, "args": list(positional)} if positional else {}


def _whole(value: Any) -> tuple[Any, bool]:
    """Return the decoded value, and whether its end is missing."""
    if isinstance(value, str) and looks_cut(value):
        try:
            return salvage(value), True
        except NotJson:
            return None, True
    return decode(value), False


def _request(value: Any, depth: int) -> tuple[Message, ...] | None:
    if isinstance(value, str):
        return _said("user", value)
    if depth == 0:
        return None
    if isinstance(value, list | tuple):
        return _listed(value, "user") or next(
            (found for item in value if (found := _request(decode(item), depth - 1))), None
        )
    if not isinstance(value, dict):
        return None
    if _is_conversation(value):
        return messages(value) or None
    system = value.get("system")
    for key in (*_WRAPPING, *_REQUEST):
        if value.get(key) and (found := _request(decode(value[key]), depth - 1)):
            return (*(_said("system", text(system)) or ()), *found) if system else found
    if len(value) == 1 and isinstance(inner := decode(next(iter(value.values()))), dict):
        return _request(inner, depth - 1)  # the input of a pipeline's only component
    # `def answer(anything: str)`: the only text there is.
    texts = [item for item in value.values() if isinstance(item, str) and item]
    return _said("user", texts[0]) if len(texts) == 1 == len(value) else None


def _reply(value: Any, depth: int) -> tuple[Message, ...] | None:
    if isinstance(value, str):
        return _said("assistant", value)
    if depth == 0:
        return None
    if isinstance(value, list | tuple):
        return _listed(value, "assistant") or next(
            (found for item in value if (found := _reply(decode(item), depth - 1))), None
        )
    if not isinstance(value, dict):
        return None
    if _is_conversation(value):
        return messages(value, role="assistant") or None
    for key in (*_RETURNING, *_REPLY):
        if value.get(key) and (found := _reply(decode(value[key]), depth - 1)):
            return found
    if len(value) == 1 and isinstance(inner := decode(next(iter(value.values()))), dict):
        return _reply(inner, depth - 1)
    return None


def _is_conversation(value: dict[str, Any]) -> bool:
    lists = ("messages", "contents", "generations", "choices")
    if any(isinstance(value.get(key), list | tuple) and value[key] for key in lists):
        return True
    content = value.get("content", value.get("parts"))
    return isinstance(value.get("role"), str) and content is not None


def _listed(value: list[Any] | tuple[Any, ...], role: str) -> tuple[Message, ...] | None:
    """Read a list whose items say who speaks; a list of anything else is no conversation."""
    speaking = ("role", "_role", "kwargs", "parts")
    items = [item for item in value if isinstance(item, dict)]
    if not items or len(items) != len(value):
        return None
    if all(any(key in item for key in speaking) or _is_dumped(item) for item in items):
        return messages(list(value), role=role) or None
    return None


def _is_dumped(item: dict[str, Any]) -> bool:
    return isinstance(item.get("type"), str) and ("data" in item or "content" in item)


def _said(role: str, words: str) -> tuple[Message, ...] | None:
    if not words or redacted(words) or _OBJECT.fullmatch(words):
        return None
    return (Message(role, (Part("text", words),)),)


def _flagged(found: tuple[Message, ...] | None, cut: bool) -> tuple[Message, ...] | None:  # noqa: FBT001 - a fact about the value, not an option
    if not cut or found is None:
        return found
    return tuple(
        replace(one, parts=tuple(replace(part, cut_by_capture=True) for part in one.parts))
        for one in found
    )
