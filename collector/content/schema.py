"""Messages in the very shape of the GenAI conventions, read in one pass into `Message`s.

Nearly all that is sent has this shape. Whatever else a list holds (another key, a type or a value
of its own) makes it none of these, and `messages` reads it as any other: both give the same.
"""

from __future__ import annotations

from typing import Any

import msgspec
from pydantic_core import from_json

from collector.content.capture import UNMISTAKABLE, marked
from collector.content.parts import make, result_part
from collector.content.roles import KNOWN_ROLES, ROLES
from collector.content.values import compact
from scorers.turn import Message, Part

# The general reader refuses what nests over 200 levels, where this one would go on.
_MOST_BRACKETS = 150
_RAW_NULL = msgspec.Raw(b"null")


class Unusual(ValueError):  # noqa: N818 - says what the list is; nothing went wrong
    """The list is not of the conventions' shape."""


class _Text(msgspec.Struct, tag="text", forbid_unknown_fields=True, gc=False):
    content: str

    def part(self) -> tuple[Part, bool]:
        part = make("text", self.content)
        return part, part.cut_by_capture or self.content.endswith(UNMISTAKABLE)


class _Reasoning(msgspec.Struct, tag="reasoning", forbid_unknown_fields=True, gc=False):
    content: str

    def part(self) -> tuple[Part, bool]:
        part = make("reasoning", self.content)
        return part, part.cut_by_capture or self.content.endswith(UNMISTAKABLE)


class _Call(msgspec.Struct, tag="tool_call", forbid_unknown_fields=True):
    name: str
    id: str | None = None
    arguments: msgspec.Raw = _RAW_NULL

    def part(self) -> tuple[Part, bool]:
        if not self.name:
            raise Unusual
        given, doubtful = _plain(self.arguments)
        text = given if isinstance(given, str) else "" if given is None else compact(given)
        part = make("tool_call", text, id=self.id or None, name=self.name)
        return part, doubtful or part.cut_by_capture or _is_mark(self.name, self.id)


class _Response(msgspec.Struct, tag="tool_call_response", forbid_unknown_fields=True):
    response: msgspec.Raw
    id: str | None = None

    def part(self) -> tuple[Part, bool]:
        produced, doubtful = _plain(self.response)
        if produced is None:
            raise Unusual
        part = result_part(produced, call_id=self.id or None)
        return part, doubtful or part.cut_by_capture or _is_mark(self.id)


class _Message(msgspec.Struct, forbid_unknown_fields=True):
    role: str
    parts: list[_Text | _Reasoning | _Call | _Response]
    finish_reason: str | None = None
    name: str | None = None

    def message(self) -> tuple[Message, bool]:
        parts = []
        doubtful = _is_mark(self.name, self.finish_reason)
        calls = answers = 0
        for item in self.parts:
            part, doubt = item.part()
            parts.append(part)
            doubtful = doubtful or doubt
            calls += part.kind == "tool_call"
            answers += part.kind == "tool_result"
        role = _ROLES.get(self.role)
        # What a tool said without a result, or others beside one, is told otherwise.
        if role is None or (role == "tool" and not answers):
            raise Unusual
        if answers:
            if role != "tool" and answers < len(parts):
                raise Unusual
            role = "tool"
        if calls:
            # Chat APIs send an empty content beside tool calls.
            parts = [part for part in parts if part.kind != "text" or part.text]
        return Message(role, tuple(parts), self.name or None, self.finish_reason or None), doubtful


_ROLES = ROLES | {role: role for role in KNOWN_ROLES}
_decode = msgspec.json.Decoder(list[_Message]).decode
_decode_text = msgspec.json.Decoder(str).decode


def read(document: str | bytes | memoryview) -> tuple[tuple[Message, ...], bool]:
    """Return the messages of a list, and whether a mark of redaction may be among them.

    Raises `Unusual` where it is no list of the conventions' messages.
    """
    try:
        found = [item.message() for item in _decode(document)]
    except (ValueError, RecursionError):
        raise Unusual from None
    return tuple([message for message, _ in found]), any(doubtful for _, doubtful in found)


def _plain(raw: msgspec.Raw) -> tuple[Any, bool]:
    document = bytes(raw)
    if document.startswith(b'"'):
        text = _decode_text(document)
        return text, text.endswith(UNMISTAKABLE)
    if document.count(b"[") + document.count(b"{") > _MOST_BRACKETS:
        raise Unusual
    return from_json(document, allow_inf_nan=True), marked(document.decode())


def _is_mark(one: str | None, other: str | None = None) -> bool:
    return (one or "").endswith(UNMISTAKABLE) or (other or "").endswith(UNMISTAKABLE)
