"""Messages spread over attributes → `Message`s, in the two spellings that are in use."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from collector.content import decode, messages
from collector.spelling.convention import string
from collector.spelling.flattened import Fields, entries
from collector.spelling.repeated import Repeated
from scorers.turn import Message

Items = list[tuple[int, Fields]]
ChatMessage = dict[str, Any]

_repeated = Repeated()
_BLOCKS = frozenset(
    {
        "text", "input_text", "output_text", "image", "image_url", "input_image", "file",
        "document", "audio", "tool_use", "tool_result", "tool-call", "tool-result", "thinking",
        "reasoning",
    }
)  # fmt: skip
_BEDROCK = ("text", "toolUse", "toolResult", "reasoningContent", "image", "document")


def read(
    items: Items, spelled: Callable[[Fields], ChatMessage], *, dropped: int
) -> tuple[Message, ...] | None:
    """Return the messages of a flattened list, None where there is none.

    `spelled` turns the fields of one into a chat message. `dropped` is what the SDK says it
    dropped: of a message that lost its role by that, nobody can say whose words it holds, and it
    is left out.
    """
    found: list[Message] = []
    for _, fields in items:
        one = _repeated.read(fields, spelled.__name__, partial(_messages, spelled, fields))
        found += [message for message in one if message.role != "unknown" or not dropped]
    return tuple(found) if items else None


def _messages(spelled: Callable[[Fields], ChatMessage], fields: Fields) -> tuple[Message, ...]:
    return messages([spelled(fields)], role="unknown") or ()


def openinference(fields: Fields) -> ChatMessage:
    """Return a message of `llm.input_messages.{i}` or `llm.output_messages.{i}`."""
    calls = [_call(call) for _, call in entries(fields, "message.tool_calls")]
    unflattened = fields.get("message.tool_calls")
    if not calls and isinstance(unflattened, list):
        calls = [_call(call) for call in unflattened if isinstance(call, dict)]
    known = {call["id"] for call in calls}
    blocks = [_block(block) for _, block in entries(fields, "message.contents")]
    # Anthropic's calls are listed twice, and so is the text of openai-agents' replies.
    blocks = [one for one in blocks if one["type"] != "tool_use" or one["id"] not in known]
    content = _decoded(fields, "message.")
    if blocks:
        has_text = any(one["type"] == "text" for one in blocks)
        content = blocks if has_text or not content else [content, *blocks]
    results = [_result(item) for key, item in fields.items() if key.startswith("function.")]
    message = _message(fields, "message.", results or content, calls)
    if message["role"] == "tool" and (call_id := string(fields, "tool_call.id")):
        message.setdefault("tool_call_id", call_id)
    if not calls and (name := string(fields, "message.function_call_name")):
        arguments = fields.get("message.function_call_arguments_json")
        message["function_call"] = {"name": name, "arguments": arguments}
    return message


def openllmetry(fields: Fields) -> ChatMessage:
    """Return a message of `gen_ai.prompt.{i}` or `gen_ai.completion.{i}`."""
    calls = [
        {"id": string(call, "id"), "name": string(call, "name"),
         "arguments": call.get("arguments")}
        for _, call in entries(fields, "tool_calls")
    ]  # fmt: skip
    if not calls and (name := string(fields, "function_call.name")):  # up to about 0.2x
        calls = [{"id": None, "name": name, "arguments": fields.get("function_call.arguments")}]
    message = _message(fields, "", _decoded(fields, ""), calls)
    if finish := string(fields, "finish_reason"):
        message["finish_reason"] = finish
    return message


def _message(fields: Fields, start: str, content: Any, calls: list[ChatMessage]) -> ChatMessage:
    role = string(fields, f"{start}role") or ("assistant" if calls else "unknown")
    message: ChatMessage = {"role": role, "content": content}
    for key in ("name", "tool_call_id"):
        if found := string(fields, f"{start}{key}"):
            message[key] = found
    if calls:
        message["tool_calls"] = calls
    return message


def _call(fields: Fields) -> ChatMessage:
    return {
        "id": string(fields, "tool_call.id"),
        "name": string(fields, "tool_call.function.name"),
        "arguments": fields.get("tool_call.function.arguments"),
    }


def _result(item: Any) -> ChatMessage:
    """Return one result of a step: AutoGen's message holds all of them, `function.{j}` as JSON."""
    told = decode(item)
    if not isinstance(told, dict):
        return {"type": "tool_result", "content": item}
    call_id, name = string(told, "call_id"), string(told, "name")
    content = told.get("content")
    return {"type": "tool_result", "tool_use_id": call_id, "name": name, "content": content}


def _block(fields: Fields) -> ChatMessage:
    kind = string(fields, "message_content.type")
    if kind == "tool_use" or "tool_call.function.name" in fields:
        return {"type": "tool_use", **_call(fields)}
    words = fields.get("message_content.text")
    if words is None and kind in (None, "image", "audio", "video", "file", "document"):
        uri = next((item for key, item in fields.items() if key.endswith(".url")), None)
        remote = isinstance(uri, str) and not uri.startswith("data:") and len(uri) < 2000
        return {"type": kind or "file", "name": uri if remote else None}
    if kind == "tool_result":
        call_id = string(fields, "message_content.tool_call_id", "tool_call.id")
        return {"type": kind, "tool_use_id": call_id, "content": words}
    return {"type": kind if kind == "reasoning" else "text", "text": words or ""}


def _decoded(fields: Fields, start: str) -> Any:
    """Return content blocks that were written as JSON; any other text is what somebody wrote.

    A tool's result may be a list that looks like blocks: it is left to those who know results.
    """
    content = fields.get(f"{start}content")
    if fields.get(f"{start}role") in ("tool", "function") or f"{start}tool_call_id" in fields:
        return content
    blocks = decode(content)
    if isinstance(blocks, list) and blocks and all(_is_block(block) for block in blocks):
        return blocks
    return content


def _is_block(block: Any) -> bool:
    if not isinstance(block, dict):
        return False
    return block.get("type") in _BLOCKS or (len(block) == 1 and next(iter(block)) in _BEDROCK)
