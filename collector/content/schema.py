"""Messages in the very shape of the GenAI conventions, read in one pass into `Message`s.

Nearly all that is sent has this shape. Whatever else a list holds (another key, a type or a value
of its own) makes it none of these, and `messages` reads it as any other: both give the same.
"""

from __future__ import annotations

from typing import Any

import msgspec

from collector.content.capture import UNMISTAKABLE, marked, shortened
from collector.content.parts import result_part
from collector.content.roles import KNOWN_ROLES, ROLES
from collector.content.values import compact
from scorers.turn import Message, Part

# The general reader refuses what nests over 200 levels, where this one would go on.
_MOST_BRACKETS = 150


class Unusual(ValueError):  # noqa: N818 - says what the list is; nothing went wrong
    """The list is not of the conventions' shape."""


class _Text(msgspec.Struct, tag="text", forbid_unknown_fields=True, gc=False):
    content: str

    def part(self, doubts: list[str]) -> Part:
        content = self.content
        cut = shortened(content)
        if cut or content.endswith(UNMISTAKABLE):
            doubts.append(content)
        return Part("text", content, None, None, cut)


class _Reasoning(_Text, tag="reasoning"):
    def part(self, doubts: list[str]) -> Part:
        part = _Text.part(self, doubts)
        return Part("reasoning", part.text, None, None, part.cut_by_capture)


class _Call(msgspec.Struct, tag="tool_call", forbid_unknown_fields=True):
    name: str
    id: str | None = None
    arguments: Any = None

    def part(self, doubts: list[str]) -> Part:
        if not self.name:
            raise Unusual
        text = _text(self.arguments, doubts)
        part = Part("tool_call", text, self.id or None, self.name, shortened(text))
        if part.cut_by_capture or self.name in UNMISTAKABLE or self.id in UNMISTAKABLE:
            doubts.append(text)
        return part


class _Response(msgspec.Struct, tag="tool_call_response", forbid_unknown_fields=True):
    response: Any
    id: str | None = None

    def part(self, doubts: list[str]) -> Part:
        if self.response is None:
            raise Unusual
        _text(self.response, doubts)
        part = result_part(self.response, call_id=self.id or None)
        if part.cut_by_capture or self.id in UNMISTAKABLE:
            doubts.append(part.text)
        return part


class _Message(msgspec.Struct, forbid_unknown_fields=True):
    role: str
    parts: list[_Text | _Reasoning | _Call | _Response]
    finish_reason: str | None = None
    name: str | None = None

    def message(self, doubts: list[str]) -> Message:
        role = _ROLES.get(self.role)
        name, reason = self.name or None, self.finish_reason or None
        if role is None:
            raise Unusual
        if (name or reason) and (name in UNMISTAKABLE or reason in UNMISTAKABLE):
            doubts.append(role)
        if len(self.parts) == 1 and self.parts[0].__class__ is _Text and role != "tool":  # most are
            return Message(role, (self.parts[0].part(doubts),), name, reason)
        parts = [part.part(doubts) for part in self.parts]
        kinds = [part.kind for part in parts]
        # What a tool said without a result, or others beside one, is told otherwise.
        if role == "tool" and "tool_result" not in kinds:
            raise Unusual
        if "tool_result" in kinds:
            if role != "tool" and kinds.count("tool_result") < len(kinds):
                raise Unusual
            role = "tool"
        if "tool_call" in kinds and "text" in kinds:
            # Chat APIs send an empty content beside tool calls.
            parts = [part for part in parts if part.kind != "text" or part.text]
        return Message(role, tuple(parts), name, reason)


_ROLES = ROLES | {role: role for role in KNOWN_ROLES}
_decode = msgspec.json.Decoder(list[_Message]).decode


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


def _text(value: Any, doubts: list[str]) -> str:
    """Return a value as text, having looked for what the general reader would find in it."""
    if isinstance(value, str):
        if value.endswith(UNMISTAKABLE):
            doubts.append(value)
        return value
    if value is None:
        return ""
    text = compact(value)
    if text.count("[") + text.count("{") > _MOST_BRACKETS:
        raise Unusual
    if marked(text):
        doubts.append(text)
    return text
