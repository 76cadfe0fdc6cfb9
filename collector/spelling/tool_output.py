"""A tool's output as frameworks dump their own objects, which say more than the result."""

from __future__ import annotations

from typing import Any

from collector.content import decode, text, unwrap_tool_result
from collector.content.pyrepr import fields
from collector.spelling.convention import string

# Google's, as its ADK dumps it.
_FUNCTION_RESPONSE = {"id", "name", "response", "parts", "scheduling", "will_continue"}

# LlamaIndex's.
_TOOL_OUTPUT = {"tool_name", "raw_input", "raw_output"}


def tool_of(produced: Any) -> str | None:
    """Return the name of the tool where its output states it: LlamaIndex's does."""
    value = decode(produced)
    stated = isinstance(value, dict) and value.keys() >= _TOOL_OUTPUT
    return string(value, "tool_name") if stated else None


def result_in(produced: Any) -> tuple[str, str | None]:
    """Return a tool's result as text, and the tool call id that was found with it or None."""
    value = decode(produced)
    if isinstance(value, str) and value.startswith("status='"):
        return _of_agno(value), None
    if not isinstance(value, dict):
        return unwrap_tool_result(produced)
    if value.keys() >= {"name", "response"} and value.keys() <= _FUNCTION_RESPONSE:
        return unwrap_tool_result(value["response"])[0], string(value, "id")
    if value.keys() >= _TOOL_OUTPUT:
        return _of_llama_index(value), None
    return unwrap_tool_result(produced)


def _of_agno(value: str) -> str:
    """Read `status='success' result='…' error=None …`: Python's repr of Agno's own object."""
    told = fields(value, "status") or {}
    result = told.get("result") or told.get("error")
    return text(result) if isinstance(result, str) and told.keys() >= {"result", "error"} else value


def _of_llama_index(value: dict[str, Any]) -> str:
    blocks = value.get("blocks")
    words = [
        str(block["text"])
        for block in (blocks if isinstance(blocks, list) else ())
        if isinstance(block, dict) and "text" in block
    ]
    if words:
        return "\n".join(words)
    return text(value["raw_output"])
