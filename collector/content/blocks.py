"""Content blocks and framework wrappers → the text a reader of them would see.

Blocks are the lists in which providers and protocols send content (OpenAI, Anthropic, Bedrock,
Gemini, MCP, the GenAI conventions, the Vercel AI SDK). Wrappers are what a framework puts around a
tool's result when it dumps its own objects (LangChain's constructors and ToolMessages).
"""

from __future__ import annotations

import json
import re
from typing import Any

from collector.content.values import NotJson, compact, opens_container, parse, unquote
from collector.content.wrappers import (
    call_id_in,
    from_repr,
    inside,
    is_dumped,
    is_tool_message,
    partial,
    wrapped,
)

# Wrappers nest two or three deep in practice.
_DEPTH = 12
_TEXT_TYPES = ("text", "input_text", "output_text", "refusal")
# Content that is no text. It counts as a block, so that the texts beside it are still joined.
_MEDIA_TYPES = (
    "audio", "blob", "document", "file", "image", "image-data", "image_url", "input_audio",
    "input_file", "input_image", "media", "uri", "video",
)  # fmt: skip
_MEDIA_KEYS = ("image", "document", "video", "inline_data", "inlineData", "file_data", "fileData")
_BARE_TEXT_KEYS = {"text", "type", "annotations", "citations", "cache_control", "index", "thought"}
# Characters in which the first item of a list of records ends.
_HEAD = 2000
_decode_first = json.JSONDecoder().raw_decode
_FAILED = re.compile(r'"(?:isError|is_error|status)"\s*+:\s*+(?:true|"error")')
_OUTPUT_TYPES = ("text", "json", "content", "error-text", "error-json", "error")


def text(value: Any) -> str:
    """Return what a reader of the value would see as text.

    A text comes back as it is, unless it is JSON of content blocks (joined with newlines), a
    framework's wrapper or a repr (unwrapped), or quoted (unquoted). Containers that are none of
    these come back as compact JSON, None as "".
    """
    return _text(value, 0)


def unwrap_tool_result(value: Any) -> tuple[str, str | None]:
    """Return a tool's result as text, and the tool call id found in its wrapper or None.

    In addition to what `text` unwraps, `{"result": "…"}` alone is the envelope in which function
    calling APIs require an object where a tool gave a text.
    """
    if not isinstance(value, str):
        return _envelope(text(value)), call_id_in(value)
    if value[:1].isalnum() and not is_dumped(value):
        return value, None  # prose
    value = unquote(value)
    if is_records(value):
        return value, None
    if not opens_container(value) or is_dumped(value):
        return _envelope(text(value)), call_id_in(value)
    try:
        parsed = parse(value)
    except NotJson:
        return value, None
    unwrapped = _unwrap(parsed, 0)
    return _envelope(value if unwrapped is None else unwrapped), call_id_in(parsed)


def salvage_tool_result(value: Any) -> str | None:
    """Return what is left of a tool's result in a framework's dump whose end is missing.

    None for all other values: a text that ends early without one may be what the tool gave.
    """
    if not isinstance(value, str):
        return None
    value = unquote(value)
    found = partial(value)
    return None if found is None else _unwrap(found, 0)


def is_records(value: str) -> bool:
    """Say whether a text begins like a JSON list of a tool's own objects or numbers, several ones.

    Then it is none of the lists that are read here, whatever follows, and need not be parsed.
    """
    if value[:1] != "[":
        return False
    head = value[:_HEAD]
    try:
        first, end = _decode_first(head, len(head) - len(head[1:].lstrip()))
    except (ValueError, RecursionError):
        return False
    if isinstance(first, str) or head[end:].lstrip()[:1] != ",":
        return False
    return not isinstance(first, dict) or _unwrapped_block(first, 0) is None


def reports_failure(value: Any) -> bool:
    """Say whether a tool's result states by its wrapper that the tool failed."""
    if isinstance(value, str):
        head = value[:64].lstrip()
        if not head.startswith(("{", "[")) or is_records(value) or not _FAILED.search(value):
            return False
        try:
            value = parse(value)
        except NotJson:
            return False
    for _ in range(_DEPTH):
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if not isinstance(value, dict):
            return False
        if "content" in value and is_tool_message(value):
            flagged = value.get("isError") is True or value.get("is_error") is True
            return flagged or value.get("status") == "error"
        value = inside(value)
    return False


def block_text(block: Any) -> str | None:
    """Return the text of one content block ("" for media), None where it is not a block."""
    return _block(block, 0)


def _envelope(result: str) -> str:
    if "result" not in result[:32] or not opens_container(result):
        return result
    try:
        parsed = from_repr(result) if is_dumped(result) else parse(result)
    except NotJson:
        return result
    if isinstance(parsed, dict) and len(parsed) == 1 and isinstance(parsed.get("result"), str):
        return _text(parsed["result"], 0)
    return result


def _text(value: Any, depth: int) -> str:
    if isinstance(value, str):
        return _text_of_text(value, depth)
    if value is None:
        return ""
    if isinstance(value, bytes | bytearray):
        return bytes(value).decode("utf-8", "replace")
    unwrapped = _unwrap(value, depth) if depth < _DEPTH else None
    return compact(value) if unwrapped is None else unwrapped


def _text_of_text(value: str, depth: int) -> str:
    value = unquote(value)
    if depth >= _DEPTH:
        return value
    if not is_dumped(value):
        if not opens_container(value):
            return value
        try:
            told = parse(value)
        except NotJson:
            return value
    else:
        told = from_repr(value)
    unwrapped = _unwrap(told, depth)
    return value if unwrapped is None else unwrapped


def _unwrap(value: Any, depth: int) -> str | None:
    if isinstance(value, list):
        return _joined(value, depth)
    if not isinstance(value, dict):
        return None
    inner = wrapped(value)
    if inner is not None:
        return _text(inner[0], depth + 1)
    return _block(value, depth)


def _joined(items: list[Any], depth: int) -> str | None:
    if not items or not any(isinstance(item, dict) for item in items):
        return None
    texts = []
    for item in items:
        piece = item if isinstance(item, str) else _unwrapped_block(item, depth)
        if piece is None:
            return None
        texts.append(piece)
    return "\n".join(piece for piece in texts if piece)


def _unwrapped_block(item: Any, depth: int) -> str | None:
    if not isinstance(item, dict):
        return None
    inner = wrapped(item)
    return _block(item, depth) if inner is None else _text(inner[0], depth + 1)


def _block(value: Any, depth: int) -> str | None:
    if isinstance(value, str):
        return value
    if not isinstance(value, dict) or depth >= _DEPTH:
        return None
    kind = value.get("type")
    if kind in _TEXT_TYPES:
        for key in ("text", "content", "refusal", "value"):
            if isinstance(value.get(key), str):
                return str(value[key])
    if isinstance(value.get("text"), str) and set(value) <= _BARE_TEXT_KEYS:
        return str(value["text"])
    if kind in _OUTPUT_TYPES and "value" in value and set(value) <= {"type", "value"}:
        return _text(value["value"], depth + 1)
    if kind == "tool_result":
        return _text(value.get("content"), depth + 1)
    if len(value) == 1 and "json" in value:
        return compact(value["json"])
    return _resource(value) if kind in ("resource", "resource_link") else _media(value)


def _resource(value: dict[str, Any]) -> str:
    inner = value.get("resource")
    if isinstance(inner, dict):
        return str(inner.get("text") or inner.get("uri") or "")
    return str(value.get("uri") or "")


def _media(value: dict[str, Any]) -> str | None:
    source = value.get("source")
    if (
        value.get("type") == "document"
        and isinstance(source, dict)
        and source.get("type") == "text"
    ):
        return str(source.get("data") or "")
    if value.get("type") in _MEDIA_TYPES or (len(value) == 1 and next(iter(value)) in _MEDIA_KEYS):
        return ""
    return None
