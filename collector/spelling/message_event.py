"""The GenAI conventions' older events, one for each message of a model call.

`gen_ai.system.message`, `.user.message`, `.assistant.message`, `.tool.message` went in and
`gen_ai.choice` came out. They arrive as log records, as span events, or as a JSON list in an
attribute of the span (semantic-conventions up to 1.36).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from collector.content import decode, looks_cut, messages, replaced
from collector.content.capture import scrubbed
from scorers.turn import Message

CHOICE = "gen_ai.choice"
_SPEAKERS = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
    CHOICE: "assistant",
}
NAMES = tuple(_SPEAKERS)
# Logfire's name for what it can't say as an event: the item itself stands beside it.
_UNKNOWN = "gen_ai.unknown"
_EVENT_OF: dict[Any, str] = {"model": "assistant"}
Messages = tuple[Message, ...] | None


@dataclass(frozen=True, slots=True)
class Told:
    """What one event tells. `off` is True where the content was left out when it was recorded."""

    side: Literal["input", "output"]
    message: Message
    choice: int = 0
    off: bool = False


def tell(name: str, fields: Any, *, encoded: bool = False) -> tuple[Told, ...]:
    """Return the messages of one event (several where one holds the results of several tools).

    `fields` is its body, or its attributes; None where content is off. `encoded` says that content
    lists are JSON texts, as they must be in attributes of a span event.
    """
    speaker = _SPEAKERS.get(name)
    if speaker is None:
        return ()
    if encoded and isinstance(fields, Mapping) and "gen_ai.event.content" in fields:
        fields = decode(fields["gen_ai.event.content"])  # Azure AI Inference: one JSON text
    if not isinstance(fields, Mapping):
        fields = {"content": fields} if fields else {}
    side: Literal["input", "output"] = "output" if name == CHOICE else "input"
    index = fields.get("index")
    choice = index if isinstance(index, int) and not isinstance(index, bool) else 0
    finish = fields.get("finish_reason")
    item, off = _item(fields, speaker, encoded=encoded)
    content = item.get("content")
    if encoded and isinstance(content, str) and content.startswith("[{") and looks_cut(content):
        read = messages(content, role=item["role"]) or (Message(item["role"]),)
    else:
        read = messages([item], role=speaker) or (Message(item["role"]),)
    if off:
        read = (Message(read[0].role, tuple(p for p in read[0].parts if p.kind == "tool_call")),)
    reason = finish if isinstance(finish, str) and finish else None
    return tuple(
        Told(side, replace(message, finish_reason=message.finish_reason or reason), choice, off)
        for message in read
    )


def told_in(raw: Any) -> tuple[Messages, Messages, bool]:
    """Return what a list of events in one attribute tells: the messages that went in, those that
    came out, and whether their content is off. What the assistant says last came out."""
    events = decode(raw)
    if not isinstance(events, list | tuple):
        return messages(raw), None, False
    told = [one for event in events if isinstance(event, Mapping) for one in _told(event)]
    given = [one.message for one in told if one.side == "input"]
    made = [one.message for one in told if one.side == "output"]
    return tuple(given) or None, tuple(made) or None, any(one.off for one in told)


def is_empty(said: Sequence[Message]) -> bool:
    """Say whether messages hold parts and none of their contents: content is off."""
    parts = [part for message in said for part in message.parts]
    return bool(parts) and not any(part.text or part.kind == "file" for part in parts)


def calls_only(said: Messages) -> Messages:
    """Return the messages with nothing but the names and ids of tool calls, which stay where
    content is off."""
    if said is None:
        return None
    return tuple([replace(message, parts=message.of_kind("tool_call")) for message in said])


def _told(event: Mapping[Any, Any]) -> tuple[Told, ...]:
    name, role = event.get("event.name"), event.get("role")
    if name == _UNKNOWN and isinstance(event.get("data"), Mapping):
        asks = str(event["data"].get("type", "")).startswith("input_")
        read = messages([event["data"]], role="user" if asks else "assistant") or ()
        return tuple(Told("input", message) for message in read)
    if not isinstance(name, str):
        # Logfire's events of Google's client are their bodies only.
        if not isinstance(role, str) and "message" not in event:
            return ()
        name = CHOICE if "message" in event else f"gen_ai.{_EVENT_OF.get(role, role)}.message"
        event = _without_none(event)
    return tell(name, event)


def _without_none(event: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Leave out the fields of Gemini's parts that say nothing: the others tell what a part is."""
    content = event.get("content")
    parts = content.get("parts") if isinstance(content, Mapping) else None
    if not isinstance(parts, list) or not isinstance(content, Mapping):
        return event
    stated = [
        {key: value for key, value in part.items() if value is not None}
        if isinstance(part, Mapping)
        else part
        for part in parts
    ]
    return {**event, "content": {**content, "parts": stated}}


def _item(fields: Mapping[str, Any], speaker: str, *, encoded: bool) -> tuple[dict[str, Any], bool]:
    """Return an event's message in the shape of a chat message, and whether its content is off."""
    inner: Any = fields.get("message", fields) if speaker == "assistant" else fields
    if (isinstance(inner, str) and encoded) or not isinstance(inner, Mapping):
        inner = {"content": inner}
    content = inner.get("content")
    if isinstance(content, Mapping) and "parts" in content:  # Gemini: {"role": …, "parts": […]}
        inner, content = content, content["parts"]
    item = {key: value for key, value in inner.items() if isinstance(key, str)}
    item.pop("message", None)
    said = item.get("role")
    item["role"] = said if isinstance(said, str) and said else speaker
    if speaker == "tool":
        item["role"] = "tool"
        item.setdefault("tool_call_id", item.get("id"))
    if encoded and isinstance(content, str):
        item["content"] = _blocks(content)
    calls = item.get("tool_calls")
    if encoded and isinstance(calls, str):
        calls = item["tool_calls"] = decode(calls)
    return item, _is_off(item, calls)


def _is_off(item: Mapping[str, Any], calls: Any) -> bool:
    content = item.get("content")
    if content is not None or item.get("parts") is not None:
        # What is scrubbed for one word of it stands among messages that are told.
        return isinstance(content, str) and replaced(content) and not scrubbed(content)
    if not isinstance(calls, list | tuple) or not calls:
        return "function_call" not in item
    # With content off the names and ids of the calls are kept and their arguments are not.
    return not any(_has_arguments(call) for call in calls)


def _has_arguments(call: Any) -> bool:
    if not isinstance(call, Mapping):
        return False
    function = call.get("function")
    inner = function if isinstance(function, Mapping) else call
    return any(inner.get(key) is not None for key in ("arguments", "args", "input"))


def _blocks(content: str) -> Any:
    """Return the content blocks that a text encodes; the text itself where it encodes none."""
    decoded = decode(content)
    if isinstance(decoded, list) and decoded and all(isinstance(item, dict) for item in decoded):
        return decoded
    return content
