"""One piece of a message, in any provider's or framework's shape → `Part`s."""

from __future__ import annotations

from typing import Any

from collector.content.blocks import block_text, text, unwrap_tool_result
from collector.content.capture import shortened
from collector.content.values import compact
from collector.content.wrappers import wrapped
from scorers.turn import Part, PartKind

_REASONING = ("reasoning", "thinking", "redacted_thinking", "summary_text", "thought")
_CALLS = ("tool_call", "tool_use", "tool-call", "function_call", "custom_tool_call", "function")
_RESULTS = (
    "tool_call_response", "tool_result", "tool-result", "tool-error",
    "function_call_output", "custom_tool_call_output", "tool-output",
)  # fmt: skip
_SERVER_CALLS = ("server_tool_call", "server_tool_use", "mcp_tool_use")
_SERVER_RESULTS = ("server_tool_call_response", "mcp_tool_result", "web_search_tool_result")
_FILES = (
    "audio", "blob", "document", "file", "image", "image_url", "input_audio",
    "input_file", "input_image", "media", "uri", "video",
)  # fmt: skip
_FILE_KEYS = ("image", "document", "video", "inline_data", "inlineData", "file_data", "fileData")
_TEXTS = ("text", "input_text", "output_text")
_ID_KEYS = ("id", "call_id", "tool_call_id", "tool_use_id", "toolUseId", "toolCallId")
_RESULT_KEYS = ("response", "result", "output", "content", "value")
_ARGUMENT_KEYS = ("arguments", "args", "input")


def make(kind: PartKind, content: str, *, id: str | None = None, name: str | None = None) -> Part:  # noqa: A002 - as the conventions call it
    """Return a part, marked as cut where the instrumentation's own mark stands in it."""
    return Part(kind, content, id, name, shortened(content))


def parts_of(content: Any) -> list[Part]:
    """Return the parts of a message's content: a text, one block, or a list of blocks."""
    if content is None:
        return []
    if isinstance(content, str):
        return [make("text", content)]
    if isinstance(content, list | tuple):
        return [part for item in content for part in _part(item)]
    return _part(content)


def call_part(call: Any) -> Part | None:
    """Return a tool call of a message's `tool_calls` list, None where it names no tool."""
    if not isinstance(call, dict):
        return None
    function = call.get("function")
    inner = function if isinstance(function, dict) else call
    name = _name(inner) or _name(call)
    if name is None:
        return None
    return make("tool_call", _arguments(inner), id=_id(call), name=name)


def result_part(content: Any, *, call_id: str | None = None, name: str | None = None) -> Part:
    """Return a tool's result as a part."""
    result, found = unwrap_tool_result(content)
    return make("tool_result", result, id=call_id or found, name=name)


def string(value: Any) -> str | None:
    """Return a non-empty text, None for anything else."""
    return value if isinstance(value, str) and value else None


def _part(item: Any) -> list[Part]:
    if isinstance(item, str):
        return [make("text", item)]
    if not item:
        return []
    if not isinstance(item, dict):
        return [make("other", compact(item))]
    kind = item.get("type")
    kind = kind if isinstance(kind, str) else None
    found = _typed(item, kind) if kind else None
    return [found or _untyped(item)]


def _typed(item: dict[str, Any], kind: str) -> Part | None:
    if kind in _REASONING:
        return make("reasoning", _prose(item))
    if kind in _CALLS or kind in _SERVER_CALLS:
        return call_part(item)
    if kind in _RESULTS or kind in _SERVER_RESULTS:
        name = string(item.get("name")) or string(item.get("toolName"))
        return result_part(_result(item), call_id=_id(item), name=name)
    if kind in _FILES:
        return make("file", block_text(item) or "", name=_file_name(item))
    return None


def _untyped(item: dict[str, Any]) -> Part:
    """Bedrock's and Gemini's blocks are named by their key; texts are whatever reads as text."""
    call = item.get("toolUse") or item.get("functionCall") or item.get("function_call")
    if isinstance(call, dict):
        return make("tool_call", _arguments(call), id=_id(call), name=_name(call))
    for key in ("toolResult", "functionResponse", "function_response"):
        answer = item.get(key)
        if isinstance(answer, dict):
            return result_part(_result(answer), call_id=_id(answer), name=_name(answer))
    if "reasoningContent" in item:
        return make("reasoning", _prose(item["reasoningContent"]))
    if item.get("thought") is True:
        return make("reasoning", _prose(item))
    if any(key in item for key in _FILE_KEYS):
        return make("file", block_text(item) or "", name=_file_name(item))
    if "type" not in item and ("response" in item or "result" in item):
        # The type may have been cut off, where it stood last.
        return result_part(_result(item), call_id=_id(item), name=_name(item))
    prose = block_text(item)
    if prose is None and (set(item) <= {"content"} or item.get("type") in _TEXTS):
        prose = _prose(item)
    return make("other", compact(item)) if prose is None else make("text", prose)


def _prose(item: Any) -> str:
    if not isinstance(item, dict):
        return text(item)
    for key in ("content", "text", "thinking", "reasoningText", "summary"):
        value = item.get(key)
        if isinstance(value, str):
            return value
        if value:
            return _prose(value) if isinstance(value, dict) else text(value)
    return ""


def _result(item: dict[str, Any]) -> Any:
    for key in _RESULT_KEYS:
        if item.get(key) is not None:
            return item[key]
    inner = wrapped(item)
    return inner[0] if inner else None


def _arguments(call: dict[str, Any]) -> str:
    for key in _ARGUMENT_KEYS:
        value = call.get(key)
        if value is not None:
            return value if isinstance(value, str) else compact(value)
    return ""


def _name(item: dict[str, Any]) -> str | None:
    return string(item.get("name")) or string(item.get("toolName")) or string(item.get("tool_name"))


def _id(item: dict[str, Any]) -> str | None:
    # A Responses item has both: `id` names the item, `call_id` the call.
    return next((found for key in ("call_id", *_ID_KEYS) if (found := string(item.get(key)))), None)


def _file_name(item: dict[str, Any]) -> str | None:
    for key in ("name", "filename", "title", "file_id", "uri", "modality", "mime_type"):
        found = string(item.get(key))
        if found:
            return found
    for key in (*_FILE_KEYS, "file"):
        inner = item.get(key)
        if isinstance(inner, dict):
            return string(inner.get("name")) or string(inner.get("filename"))
    return None
