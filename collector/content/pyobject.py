"""Python's repr of objects: `ChatMessage(_role=<ChatRole.USER: 'user'>, _content=[…])`.

Haystack and smolagents objects are exported this way where an instrumentation finds no other form.
Nothing is run: the text is read by a small grammar of its own.
"""

from __future__ import annotations

import re
from typing import Any

from collector.content.pyrepr import STRING, literal

# Messages nest about six deep.
_DEPTH = 64
_SPACE = re.compile(r"[\s,]*+")
_TEXT = re.compile(STRING, re.DOTALL)
_CALL = re.compile(r"[A-Za-z_][\w.]*+\(")
_KEYWORD = re.compile(r"([A-Za-z_]\w*+)=")
_ENUM = re.compile(r"<[\w.]++: ")
# `<function made.<locals>.<lambda> at 0x7f…>`
_OPAQUE = re.compile(r"<(?:[^<>]++|<(?:[^<>]++|<[^<>]*+>)*+>)++>")
_WORD = re.compile(r"[^\s,:=()\[\]{}<>'\"]++")
_NUMBER = re.compile(r"-?[0-9]{1,18}(?:\.[0-9]{1,18})?")
_WORDS: dict[str, Any] = {"None": None, "True": True, "False": False}
_CLOSING = {"[": "]", "(": ")", "{": "}"}


def read_object(value: str) -> dict[str, Any] | None:
    """Return the keyword arguments of an object's repr, with its class under "" ; else None."""
    found = read_value(value) if _CALL.match(value) else None
    return found if isinstance(found, dict) else None


def read_value(value: str) -> Any:
    """Return the value of a repr that may hold objects, None where it is none."""
    try:
        found, end = _value(value, 0, _DEPTH)
    except ValueError:
        return None
    return None if value[end:].strip() else found


def read_entries(value: str) -> tuple[dict[str, Any], str | None]:
    """Return the entries of a dict's repr up to the first one that can't be read, and its name;
    None where all were read. Of a list that breaks off, the items before are kept."""
    found: dict[str, Any] = {}
    at = 1 if value.startswith("{") else len(value)
    while at < len(value):
        at = _end_of_space(value, at)
        key = _TEXT.match(value, at)
        if key is None or value[key.end() : key.end() + 1] != ":":
            break
        name, at = _unquoted(key[0]), _end_of_space(value, key.end() + 1)
        try:
            found[name], at = _value(value, at, _DEPTH)
        except ValueError:
            if value[at : at + 1] == "[":
                found[name] = _begun(value, at + 1)
            return found, name
    return found, None


def _begun(value: str, at: int) -> list[Any]:
    items: list[Any] = []
    while True:
        at = _end_of_space(value, at)
        try:
            item, at = _value(value, at, _DEPTH - 1)
        except ValueError:
            return items
        items.append(item)


def chat_message(value: str) -> dict[str, Any] | None:
    """Return a `ChatMessage(…)` as a chat message, None for other texts.

    Haystack, LlamaIndex and smolagents have a class of that name.
    """
    if not value.startswith("ChatMessage("):
        return None
    found = read_object(value)
    return None if found is None else object_message(found)


def object_message(found: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a `ChatMessage` as a chat message."""
    content = found.get("_content", found.get("content", found.get("blocks")))
    meta = found.get("_meta")
    finish = meta.get("finish_reason") if isinstance(meta, dict) else None
    items = content if isinstance(content, list) else [content]
    message: dict[str, Any] = {
        "role": found.get("_role", found.get("role")),
        "content": [block for item in items if (block := _block(item)) is not None],
    }
    if finish:
        message["finish_reason"] = finish
    calls = found.get("tool_calls")
    if isinstance(calls, list):
        message["tool_calls"] = calls
    return message


def _block(item: Any) -> Any:
    if not isinstance(item, dict):
        return item
    if len(item) == 1 and isinstance(inner := next(iter(item.values())), dict):
        item = inner  # {"tool_call": {…}}, {"tool_call_result": {…}}, {"reasoning": {…}}
    kind = item.get("") or _class_of(item)
    if kind in ("TextContent", "TextBlock"):
        return {"type": "text", "text": item.get("text")}
    if kind == "ReasoningContent":
        return {"type": "reasoning", "text": item.get("reasoning_text")}
    if kind == "ToolCall":
        name, arguments = item.get("tool_name"), item.get("arguments")
        return {"type": "tool_call", "id": item.get("id"), "name": name, "arguments": arguments}
    if kind == "ToolCallResult":
        origin, result = item.get("origin"), item.get("result")
        origin = origin if isinstance(origin, dict) else {}
        return {
            "type": "tool_result",
            "tool_use_id": origin.get("id"),
            "name": origin.get("tool_name"),
            "content": [_block(one) for one in result] if isinstance(result, list) else result,
        }
    return {"type": "file"} if kind in ("ImageContent", "FileContent") else item


def _class_of(item: dict[str, Any]) -> str | None:
    """Return what Haystack's blocks are, by the keys with which it dumps them as JSON."""
    if item.keys() >= {"tool_name", "arguments"}:
        return "ToolCall"
    if item.keys() >= {"result", "origin"}:
        return "ToolCallResult"
    return "ReasoningContent" if "reasoning_text" in item else None


def _value(text: str, at: int, depth: int) -> tuple[Any, int]:
    if depth == 0:
        raise ValueError("nested too deep")
    if match := _TEXT.match(text, at):
        return _unquoted(match[0]), match.end()
    if match := _CALL.match(text, at):
        found, end = _items(text, match.end(), ")", depth)
        return {"": match[0][:-1], **found[1]}, end
    if text[at : at + 1] in _CLOSING:
        found, end = _items(text, at + 1, _CLOSING[text[at]], depth)
        return (found[1] if text[at] == "{" else found[0]), end
    if match := _ENUM.match(text, at):
        found, end = _value(text, match.end(), depth - 1)
        if text[end : end + 1] != ">":
            raise ValueError("an enumeration without end")
        return found, end + 1
    if match := _OPAQUE.match(text, at):
        return None, match.end()
    if match := _WORD.match(text, at):
        return _word(match[0]), match.end()
    raise ValueError("not a repr")


def _items(
    text: str, at: int, closing: str, depth: int
) -> tuple[tuple[list[Any], dict[str, Any]], int]:
    """Read up to the closing bracket: values without name, and those with one."""
    plain: list[Any] = []
    named: dict[str, Any] = {}
    while True:
        at = _end_of_space(text, at)
        if text[at : at + 1] == closing:
            return (plain, named), at + 1
        if keyword := _KEYWORD.match(text, at):
            named[keyword[1]], at = _value(text, keyword.end(), depth - 1)
            continue
        item, at = _value(text, at, depth - 1)
        # Haystack's documents have colons: `Document(id=…, content: '…')`.
        if closing in "})" and text[at : at + 1] == ":":
            named[str(item)], at = _value(text, _end_of_space(text, at + 1), depth - 1)
        else:
            plain.append(item)


def _end_of_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _word(word: str) -> Any:
    if word in _WORDS:
        return _WORDS[word]
    if not _NUMBER.fullmatch(word):
        return word
    return float(word) if "." in word else int(word)


def _unquoted(token: str) -> str:
    if "\\" in token:
        try:
            return str(literal(token))
        except ValueError:
            pass
    return token[1:-1]
