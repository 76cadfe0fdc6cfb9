"""What frameworks put around a tool's result when they dump their own objects.

LangChain's constructors (`{"lc": 1, …}`) and dumped messages, LangGraph's `Command`, the results of
the Model Context Protocol, Bedrock's and Gemini's envelopes; as JSON, or as Python's repr of them.
"""

from __future__ import annotations

import re
from typing import Any

from collector.content import pyrepr
from collector.content.pyobject import read_value
from collector.content.values import NotJson, opens_container, parse, salvage, unquote

# Wrappers nest two or three deep in practice.
_DEPTH = 12
_IDS = ("tool_call_id", "toolUseId", "tool_use_id", "toolCallId")
_ENVELOPES = ("toolResult", "functionResponse", "function_response")
# Objects that hold what a tool returned, and under which name.
_OBJECTS = {
    "ToolMessage": "content",  # LangChain
    "ToolOutput": "blocks",  # LlamaIndex
    "ToolReturnPart": "content",  # Pydantic AI
    "ToolCallResult": "result",  # Haystack
    "ToolResult": "content",  # FastMCP, Agno
    "CallToolResult": "content",  # Model Context Protocol
    "FunctionExecutionResult": "content",  # AutoGen
    "FunctionResponse": "response",  # Google
    "TextContent": "text",
    "TextBlock": "text",
}
_NAMES = "|".join(_OBJECTS)
_OBJECT = re.compile(rf"\[?\s*+(?:{_NAMES})\(")
_LITERAL = re.compile(r"""[\[{]\s*+(?:\{\s*+)?'""")
# Keys without which no literal is a wrapper.
_TELLING = ("'content'", "'text'", "'toolResult'", "'output'", "'kwargs'", "'result'")
# What only a framework's own dump begins with: where its end is missing, it was not the tool that
# left it out.
_DUMP = re.compile(
    r'\{\s*+"(?:lc"\s*+:\s*+1\b|type"\s*+:\s*+"tool"\s*+,\s*+"data"'
    r'|output"\s*+:\s*+\{\s*+"(?:lc|content)")'
    rf"|content=['\"\[]|\[?(?:{_NAMES})\("
)


def is_dumped(value: str) -> bool:
    """Say whether a text begins like Python's repr of a wrapper (it may turn out to be none)."""
    if value[:1] in ("[", "{"):
        return bool(_LITERAL.match(value) or _OBJECT.match(value))
    return value.startswith("content=") or _OBJECT.match(value) is not None


def from_repr(value: str) -> Any:
    """Return the value of Python's repr of a wrapper, None where the text is none."""
    fields = pyrepr.fields(value)
    if fields is not None:
        alone = len(fields) == 1
        return None if alone and not value.endswith(("'", '"')) else {"tool_call_id": "", **fields}
    if _OBJECT.match(value):
        return read_value(value)
    if _LITERAL.match(value) and any(key in value for key in _TELLING):
        try:
            return pyrepr.literal(value)
        except ValueError:
            return None
    return None


def listed(value: str) -> tuple[Any, bool] | None:
    """Return the messages of Python's repr of them, and whether its end is missing.

    `[{'role': …}]` as LiteLLM writes its raw requests, `[HumanMessage(content=…)]`. None where the
    text is no such repr.
    """
    if value[:1] != "[" and not value.startswith("{'"):
        return None
    for text, cut in ((value, False), (pyrepr.closed(value), True)):
        if text is None:
            return None
        found = read_value(text)
        first = found[0] if isinstance(found, list) and found else found
        if isinstance(first, dict) and any(key in first for key in ("role", "content", "parts")):
            return found, cut
    return None


def partial(value: str) -> Any:
    """Return what can be read of a framework's dump whose end is missing.

    None where it is no dump, and where nothing is missing.
    """
    value = value.lstrip()
    if not _DUMP.match(value):
        return None
    if value[:1] == "{":
        try:
            parse(value, nan=True)
        except NotJson as failure:
            try:
                return salvage(value) if failure.cut else None
            except NotJson:
                return None
        return None
    whole = pyrepr.closed(value)
    return None if whole is None else from_repr(whole)


def wrapped(value: dict[str, Any]) -> tuple[Any] | None:
    """Return the content inside of a framework's wrapper as a 1-tuple, None where it is none."""
    named = value.get("")
    if isinstance(named, str):  # read from a repr
        key = _OBJECTS.get(named)
        return (value[key],) if key in value else None
    if value.get("lc") == 1:
        kwargs = value.get("kwargs")
        if isinstance(kwargs, dict):
            return (kwargs.get("content", kwargs),)
        return (value.get("repr"),) if "repr" in value else None
    kind = value.get("type")
    if kind in ("tool", "ToolMessage") and isinstance(value.get("data"), dict):
        return (value["data"].get("content"),)
    if "content" in value and is_tool_message(value):
        return (value["content"],)
    for key in _ENVELOPES:
        if isinstance(value.get(key), dict):
            inner = value[key]
            return (inner.get("content", inner.get("response", inner)),)
    output = value.get("output")
    if isinstance(output, dict) and len(value) <= 2 and wrapped(output) is not None:
        return (output,)
    if isinstance(output, str) and len(value) == 1:
        # {"output": "content='…' tool_call_id='…'"}: older OpenInference, of LangChain's messages.
        dumped = pyrepr.fields(output)
        if dumped is not None and "tool_call_id" in dumped:
            return (output,)
    return _command(value)


def is_tool_message(value: dict[str, Any]) -> bool:
    """Say whether an object with content is a tool's message."""
    if any(key in value for key in ("tool_call_id", "toolUseId", "tool_use_id")):
        return True
    if value.get("type") == "tool" or value.get("role") == "tool":
        return True
    # A tool's result in the Model Context Protocol.
    flags = {"isError", "is_error", "structuredContent", "_meta", "meta", "artifact"}
    return isinstance(value["content"], list) and bool(value) and set(value) <= flags | {"content"}


def call_id_in(value: Any) -> str | None:
    """Return the tool call id that a wrapper states, None where there is none."""
    for _ in range(_DEPTH):
        if isinstance(value, str):
            value = unquote(value)
            if opens_container(value):
                try:
                    value = parse(value)
                except NotJson:
                    value = from_repr(value)
            else:
                value = from_repr(value)
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if not isinstance(value, dict):
            return None
        for key in _IDS:
            found = value.get(key)
            if isinstance(found, str) and found and ("content" in value or "output" in value):
                return found
        inner = value.get("output") if len(value) == 1 else None
        value = inner if isinstance(inner, str) else inside(value)
    return None


def inside(value: dict[str, Any]) -> Any:
    """Return what a wrapper holds, None where it holds nothing that can be a wrapper."""
    for key in ("output", "update", "messages", "toolResult", "data", "kwargs"):
        inner = value.get(key)
        if not inner or not isinstance(inner, dict | list):
            continue
        return _answers(inner) if key == "messages" and isinstance(inner, list) else inner
    return None


def _command(value: dict[str, Any]) -> tuple[Any] | None:
    # LangGraph's Command: a tool that answers by updating the state.
    update = value.get("update")
    if not isinstance(update, dict) or not ("goto" in value or "graph" in value):
        return None
    messages = update.get("messages")
    return (_answers(messages),) if isinstance(messages, list) and messages else None


def _answers(messages: list[Any]) -> list[Any]:
    """Return the tool's own message of a state's update: one that hands over repeats the others."""
    own = [one for one in messages if isinstance(one, dict) and _says_tool(one)]
    return own[-1:] or messages


def _says_tool(message: dict[str, Any]) -> bool:
    inner = message.get("kwargs", message.get("data", message))
    return isinstance(inner, dict) and "content" in inner and is_tool_message(inner)
