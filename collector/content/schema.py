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
from scorers.turn import Message, Part, PartKind

# The general reader refuses what nests over 200 levels, where this one would go on.
_MOST_BRACKETS = 150
_RAW_NULL = msgspec.Raw(b"null")


class Unusual(ValueError):  # noqa: N818 - says what the list is; nothing went wrong
    """The list is not of the conventions' shape."""


class _Text(msgspec.Struct, tag="text", forbid_unknown_fields=True, gc=False):
    content: str

    def part(self, doubts: list[str]) -> Part:
        return _prose("text", self.content, doubts)


class _Reasoning(msgspec.Struct, tag="reasoning", forbid_unknown_fields=True, gc=False):
    content: str

    def part(self, doubts: list[str]) -> Part:
        return _prose("reasoning", self.content, doubts)


class _Call(msgspec.Struct, tag="tool_call", forbid_unknown_fields=True):
    name: str
    id: str | None = None
    arguments: msgspec.Raw = _RAW_NULL

    def part(self, doubts: list[str]) -> Part:
        if not self.name:
            raise Unusual
        _doubt(doubts, self.name, self.id)
        given = _plain(self.arguments, doubts)
        text = given if isinstance(given, str) else "" if given is None else compact(given)
        part = make("tool_call", text, id=self.id or None, name=self.name)
        if part.cut_by_capture:
            doubts.append(text)
        return part


class _Response(msgspec.Struct, tag="tool_call_response", forbid_unknown_fields=True):
    response: msgspec.Raw
    id: str | None = None

    def part(self, doubts: list[str]) -> Part:
        _doubt(doubts, self.id)
        produced = _plain(self.response, doubts)
        if produced is None:
            raise Unusual
        part = result_part(produced, call_id=self.id or None)
        if part.cut_by_capture:
            doubts.append(part.text)
        return part


class _Message(msgspec.Struct, forbid_unknown_fields=True):
    role: str
    parts: list[_Text | _Reasoning | _Call | _Response]
    finish_reason: str | None = None
    name: str | None = None

    def message(self, doubts: list[str]) -> Message:
        _doubt(doubts, self.name, self.finish_reason)
        parts = [part.part(doubts) for part in self.parts]
        kinds = [part.kind for part in parts]
        role = _ROLES.get(self.role)
        # What a tool said without a result, or others beside one, is told otherwise.
        if role is None or (role == "tool" and "tool_result" not in kinds):
            raise Unusual
        if "tool_result" in kinds:
            if role != "tool" and kinds.count("tool_result") < len(kinds):
                raise Unusual
            role = "tool"
        if "tool_call" in kinds and "text" in kinds:
            # Chat APIs send an empty content beside tool calls.
            parts = [part for part in parts if part.kind != "text" or part.text]
        return Message(role, tuple(parts), self.name or None, self.finish_reason or None)


_ROLES = ROLES | {role: role for role in KNOWN_ROLES}
_decode = msgspec.json.Decoder(list[_Message]).decode
_decode_text = msgspec.json.Decoder(str).decode


def read(document: str | bytes | memoryview) -> tuple[tuple[Message, ...], bool]:
    """Return the messages of a list, and whether a mark of redaction may be among them.

    Raises `Unusual` where it is no list of the conventions' messages.
    """
    doubts: list[str] = []
    try:
        found = tuple([item.message(doubts) for item in _decode(document)])
    except (ValueError, RecursionError):
        raise Unusual from None
    return found, bool(doubts)


def _prose(kind: PartKind, content: str, doubts: list[str]) -> Part:
    part = make(kind, content)
    if part.cut_by_capture or content.endswith(UNMISTAKABLE):
        doubts.append(content)
    return part


def _plain(raw: msgspec.Raw, doubts: list[str]) -> Any:
    document = bytes(raw)
    if document.startswith(b'"'):
        text = _decode_text(document)
        _doubt(doubts, text)
        return text
    if document.count(b"[") + document.count(b"{") > _MOST_BRACKETS:
        raise Unusual
    if marked(document.decode()):
        doubts.append("")
    return from_json(document, allow_inf_nan=True)


def _doubt(doubts: list[str], *texts: str | None) -> None:
    """Note texts that are a mark of redaction: between its quotes, one ends with it."""
    doubts.extend([text for text in texts if text and text.endswith(UNMISTAKABLE)])
