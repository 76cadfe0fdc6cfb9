"""Bodies of the Anthropic Messages API, as coding agents log them: whole, or their beginning."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from collector.content import cut_marker, messages, redacted, tool_names
from scorers.turn import Message, Part, Usage

_decoder = json.JSONDecoder()
_CUT = re.compile(r"\s*\[TRUNCATED - Content exceeds \d+KB limit\]\s*\Z")
_SECTION = re.compile(
    r"(?:\A|\n\n---\n\n)\[(USER(?: PROMPT)?|TOOL RESULT: (?P<id>[^\]\n]{1,200})|ASSISTANT)\]\n"
)
Messages = tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a response body says."""

    output: Messages | None = None
    response_id: str | None = None
    finish_reasons: tuple[str, ...] = ()


def request(body: Any) -> tuple[Messages | None, tuple[str, ...] | None, bool]:
    """Return the messages that a request body sends, the tools it offers, and whether the newest
    messages are cut off. In a body that is cut, `messages` stand first."""
    if not isinstance(body, str) or not body or redacted(body):
        return None, None, False
    whole = body
    if cut_marker(body):
        whole = _CUT.sub("", body)
    given, complete = _value(whole, "messages")
    if given is None:
        return None, None, not complete
    read = messages(given) or ()
    system, _ = _value(whole, "system")
    if isinstance(system, str | list):
        read = (*(messages(system, role="system") or ()), *read)
    offered, known = _value(whole, "tools")
    tools = tool_names(offered) if known and offered is not None else None
    return read or None, tools, not complete


def answer(body: Any) -> Answer:
    """Return what a response body answers."""
    if not isinstance(body, str) or not body or redacted(body):
        return Answer()
    content, complete = _value(_CUT.sub("", body), "content")
    reason, known = _value(body, "stop_reason")
    own, _ = _value(body, "id")
    said = messages([{"role": "assistant", "content": content}]) if complete and content else None
    return Answer(
        said,
        own if isinstance(own, str) else None,
        (reason,) if known and isinstance(reason, str) else (),
    )


def _value(body: str, key: str) -> tuple[Any, bool]:
    """Return the value of a key at the top of a JSON object, or the text of what is left of it,
    and whether it is whole. (None, True) where the object, as far as it goes, has no such key."""
    at = 1 if body.startswith("{") else len(body)
    while at < len(body):
        try:
            name, at = _decoder.raw_decode(body, _space(body, at))
            start = _space(body, _space(body, at) + 1)  # behind the colon
        except (ValueError, IndexError):
            break
        try:
            found, at = _decoder.raw_decode(body, start)
        except (ValueError, IndexError, RecursionError):
            return (body[start:], False) if name == key else (None, True)
        if name == key:
            return found, True
        at = _space(body, at) + 1  # behind the comma
    return None, True


def _space(body: str, at: int) -> int:
    while body[at : at + 1] in (" ", "\n", "\t", "\r"):
        at += 1
    return at


def new_context(value: Any) -> Messages | None:
    """Return the messages that detailed tracing says were new in a call: those from the last one
    of the requester on, since what stands before it was said in earlier turns. None where the list
    is cut off within those."""
    if not isinstance(value, str) or not value or redacted(value):
        return None
    cut = cut_marker(value)
    found = list(_SECTION.finditer(value))
    ends = [match.start() for match in found[1:]] + [len(value)]
    read: list[Message] = []
    for number, (match, end) in enumerate(zip(found, ends, strict=True)):
        last = cut and number == len(found) - 1
        content = value[match.end() : end]
        content = _CUT.sub("", content) if last else content
        if call_id := match["id"]:
            part = Part("tool_result", content, id=call_id, cut_by_capture=last)
            read.append(Message("tool", (part,)))
        else:
            role = "assistant" if match[1] == "ASSISTANT" else "user"
            if role == "user":
                read.clear()
            read.append(Message(role, (Part("text", content, cut_by_capture=last),)))
    answered = [at for at, match in enumerate(found) if match["id"]]
    asked = [at for at, match in enumerate(found) if not match["id"] and match[1] != "ASSISTANT"]
    if cut and answered and asked and asked[0] < answered[-1]:
        return None  # a session taken up again: what it was asked now stands behind the cut
    if not found:
        read.append(Message("user", (Part("text", _CUT.sub("", value), cut_by_capture=cut),)))
    return tuple(read)


def whole_input(usage: Usage) -> Usage:
    """Return counts whose input holds what came from the cache too: the API counts that apart."""
    cached = (usage.cache_read_tokens or 0) + (usage.cache_write_tokens or 0)
    if usage.input_tokens is None:
        return usage
    return Usage(
        usage.input_tokens + cached,
        usage.output_tokens,
        usage.cache_read_tokens,
        usage.cache_write_tokens,
    )
