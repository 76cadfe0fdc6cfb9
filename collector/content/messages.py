"""Lists of messages, in any provider's or framework's shape → `Message`s."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from collector.attributes import Utf8
from collector.content import schema
from collector.content.capture import MARK_LENGTH, redacted
from collector.content.continued import Continued, read_once
from collector.content.parts import call_part, make, parts_of, result_part, string
from collector.content.pyobject import chat_message, object_message
from collector.content.pyrepr import fields
from collector.content.roles import KNOWN_ROLES, ROLES, constructed
from collector.content.schema import Unusual
from collector.content.values import NotJson, decode, opens_container, parse, salvage
from collector.content.wrappers import listed
from scorers.turn import Message, Part

# Items of a Responses list that are messages by themselves, and who speaks in them.
_ITEM_ROLES = {
    "function_call": "assistant",
    "custom_tool_call": "assistant",
    "reasoning": "assistant",
    "function_call_output": "tool",
    "custom_tool_call_output": "tool",
}
_DEPTH = 6


_continued = Continued()


def messages(
    value: Any, *, role: str = "user", thread: str | None = None
) -> tuple[Message, ...] | None:
    """Return the messages that a value holds, None where it holds none that can be read.

    Takes the GenAI conventions' messages with parts, chat messages (OpenAI, LangChain, Vercel),
    content blocks (Anthropic, Bedrock, Gemini), Responses items, one message, a list of parts, or
    a text; as JSON text or decoded. `role` is who speaks where the value does not say.

    Tool results always come out in messages of role tool, apart from what else their message
    held. Of a list that is cut off, the complete messages and the last partial one are kept, the
    latter's parts flagged `cut_by_capture`.

    A `Utf8` that belongs to a `thread` (the name of its conversation or trace) is read only from
    where an earlier list of the thread ended.
    """
    if isinstance(value, Utf8):
        try:
            return _continued.read(value, thread) if thread else read_once(value)
        except Unusual:
            value = value.text
    if value is None or value == "" or redacted_whole(value):
        return None
    if not isinstance(value, str):
        return _found(value, role)
    if value.startswith("[{"):
        try:
            return schema.read(value)[0]
        except Unusual:
            pass
    if not opens_container(value) and value.lstrip()[:1] != '"':
        return (Message(role, (make("text", value),)),)
    try:
        return _found(decode(parse(value, nan=True)), role)
    except NotJson:
        return _salvaged(value, role)


def redacted_whole(value: Any) -> bool:
    """Say whether a value is nothing but a mark of redaction."""
    return isinstance(value, str) and len(value) < MARK_LENGTH and redacted(value)


def _salvaged(value: str, role: str) -> tuple[Message, ...] | None:
    try:
        partial = salvage(value)
    except NotJson:
        if (told := listed(value)) is not None:
            return _sound(told[0], role, cut=told[1])
        # A text that only starts like JSON ("[note] …") is what somebody wrote.
        if value.lstrip()[:2] in ('{"', "[{", '["', "[["):
            return None
        return (Message(role, (make("text", value),)),)
    return _sound(partial, role, cut=True)


def _sound(value: Any, role: str, *, cut: bool) -> tuple[Message, ...] | None:
    """Return the messages of a list; where it is cut, those before the end, and half of the last
    one."""
    found = _flat(value, role, _DEPTH)
    if not found:
        return None
    if not cut:
        return tuple(message for item in found for message in _read(item, role))
    *complete, last = found
    # Who speaks stands first in some dialects and last in others: no guess for a partial message.
    whole = [message for item in complete for message in _read(item, role)]
    known = isinstance(last, dict) and bool(_says_role(last))
    for message in _read(last, role if known else "unknown"):
        if message.role in KNOWN_ROLES:
            flagged = tuple(_flag(part) for part in message.parts)
            whole.append(Message(message.role, flagged, message.name, message.finish_reason))
    return tuple(whole) or None


def _flag(part: Part) -> Part:
    return Part(part.kind, part.text, part.id, part.name, cut_by_capture=True)


def _found(value: Any, role: str) -> tuple[Message, ...] | None:
    items = _flat(value, role, _DEPTH)
    if items is None:
        return None
    return tuple(message for item in items for message in _read(item, role))


def _flat(value: Any, role: str, depth: int) -> list[Any] | None:
    """Return the message-like items of a container, oldest first."""
    value = decode(value)
    if depth == 0 or value is None or isinstance(value, bool | int | float | bytes):
        return None
    if isinstance(value, dict):
        return _inside(value, role, depth)
    if isinstance(value, str):
        return [{"role": role, "content": value}]
    if not isinstance(value, list | tuple):
        return None
    if value and all(_is_part(item) for item in value):
        return [{"role": role, "content": list(value)}]
    flat: list[Any] = []
    for item in value:
        decoded = _decoded(item)
        if isinstance(decoded, list | tuple):
            flat.extend(_flat(decoded, role, depth - 1) or ())
        elif isinstance(decoded, dict | str):
            flat.append(decoded)
    return flat


def _decoded(item: Any) -> Any:
    if not isinstance(item, str):
        return item
    if opens_container(item):
        return decode(item)
    # The second is Python's repr of Agno's messages.
    return chat_message(item) or fields(item, "role") or item


def _inside(value: dict[str, Any], role: str, depth: int) -> list[Any] | None:
    for key in ("messages", "contents", "generations", "choices"):
        if isinstance(value.get(key), list | tuple | str):
            inner = _flat(value[key], role, depth - 1) or []
            system = value.get("system") or value.get("systemInstruction")
            return [{"role": "system", "content": system}, *inner] if system else inner
    return [value]


def _is_part(item: Any) -> bool:
    """Say whether an item of a list is a piece of one message, not a message."""
    if not isinstance(item, dict) or _says_role(item):
        return False
    if any(key in item for key in ("message", "kwargs", "parts")):
        return False
    # LangChain's {"type": "human", "data": {…}} is a message.
    return not isinstance(item.get("data"), dict)


def _says_role(item: dict[str, Any]) -> str | None:
    given = item.get("role", item.get("_role"))
    if isinstance(given, str) and given:
        return ROLES.get(given.lower(), given.lower())
    kind = item.get("type", item.get(""))  # a repr names its class
    if not isinstance(kind, str):
        return None
    if kind.lower() in ROLES and "" in item:
        return ROLES[kind.lower()]
    if kind in _ITEM_ROLES and ("call_id" in item or "summary" in item):
        return _ITEM_ROLES[kind]
    # LangChain names who speaks in `type`; `tool` alone is also a type of tool definitions.
    if "content" in item and kind.lower() in ("human", "ai", "aimessagechunk", "system", "tool"):
        return ROLES.get(kind.lower(), kind.lower())
    return None


def _read(item: Any, role: str) -> list[Message]:
    if isinstance(item, str):
        return [Message(role, (make("text", item),))]
    if not isinstance(item, dict):
        return []
    if ("_role" in item and "_content" in item) or item.get("") == "ChatMessage":
        item = object_message(item)
    item, finish = _unwrapped(item)
    # An empty role is nobody's: it must not make the requester say what they did not.
    nobody = item.get("role") == "" and role == "user"
    said = _says_role(item) or ("unknown" if nobody else role)
    parts = _parts(item)
    call_id = next(
        (found for key in ("tool_call_id", "tool_use_id") if (found := string(item.get(key)))), None
    )
    name = string(item.get("name"))
    if not any(part.kind == "tool_result" for part in parts) and (call_id or said == "tool"):
        content = item.get("content", item.get("parts"))
        parts = _as_result(parts, content, call_id, name)
        said = "tool"
    finish = string(item.get("finish_reason")) or finish
    return _apart(said, parts, name, finish)


def _unwrapped(item: dict[str, Any]) -> tuple[dict[str, Any], str | None]:
    """Return the message inside of a choice, a generation or a constructor."""
    finish = None
    for _ in range(_DEPTH):
        finish = string(item.get("finish_reason")) or string(item.get("finishReason")) or finish
        info = item.get("generation_info")
        if isinstance(info, dict):
            finish = string(info.get("finish_reason")) or finish
        inner = next(
            (item[key] for key in ("message", "kwargs", "data") if isinstance(item.get(key), dict)),
            None,
        )
        if inner is None or "role" in item or "parts" in item:
            break
        # {"type": "human", "data": {…}}: the type may stand outside only.
        kind = item.get("type")
        speaker = constructed(item)
        if speaker is not None and "type" not in inner and "role" not in inner:
            item = {"role": speaker, **inner}
        else:
            item = {"type": kind, **inner} if isinstance(kind, str) and "data" in item else inner
    return item, finish


def _parts(item: dict[str, Any]) -> list[Part]:
    kind = item.get("type")
    if isinstance(kind, str) and kind in _ITEM_ROLES and "role" not in item:
        return parts_of([item])
    parts: list[Part] = []
    for key in ("reasoning_content", "reasoning"):
        thought = item.get(key)
        if isinstance(thought, str) and thought:
            parts.append(make("reasoning", thought))
            break
    parts += parts_of(item["parts"] if isinstance(item.get("parts"), list) else item.get("content"))
    refusal = item.get("refusal")
    if isinstance(refusal, str) and refusal and not any(part.kind == "text" for part in parts):
        parts.append(make("text", refusal))  # what the requester got in place of content
    calls = item.get("tool_calls") or item.get("toolCalls")
    if not calls and isinstance(item.get("additional_kwargs"), dict):
        calls = item["additional_kwargs"].get("tool_calls")
    known = {part.id for part in parts if part.kind == "tool_call"}
    for call in calls if isinstance(calls, list | tuple) else ():
        part = call_part(decode(call))
        if part and (part.id is None or part.id not in known):
            parts.append(part)
    old = item.get("function_call")
    if isinstance(old, dict) and not calls and (part := call_part(old)):
        parts.append(part)
    if parts and any(part.kind == "tool_call" for part in parts):
        # Chat APIs send an empty content beside tool calls.
        parts = [part for part in parts if part.kind != "text" or part.text]
    return parts


def _as_result(
    parts: list[Part], content: Any, call_id: str | None, name: str | None
) -> list[Part]:
    """Turn the text of a tool's message into the tool's result."""
    prose = [part for part in parts if part.kind in ("text", "other")]
    rest = [part for part in parts if part.kind not in ("text", "other")]
    joined = content if isinstance(content, str) else "\n".join(part.text for part in prose)
    if not prose and content is None and not rest:
        return []
    result = result_part(joined, call_id=call_id, name=name)
    if any(part.cut_by_capture for part in prose):
        result = _flag(result)
    return [result, *rest]


def _apart(role: str, parts: list[Part], name: str | None, finish: str | None) -> list[Message]:
    """Part tool results from what else their message holds: the role names only one of them."""
    results = [part.kind == "tool_result" for part in parts]
    if not any(results):
        return [Message(role, tuple(parts), name, finish)]
    if all(results) or role == "tool":
        return [Message("tool", tuple(parts), name, finish)]
    split = []
    for is_result, run in groupby(parts, key=lambda part: part.kind == "tool_result"):
        split.append(Message("tool" if is_result else role, tuple(run), name, finish))
    return split
