"""A call's messages written as one text, `system: …`, `user: …`: how OpenLIT recorded them first.

Tool calls, ids and the borders of messages are lost in it. Its later versions tell more, not on
purpose: beside an assistant message without text they write the whole request as Python's repr.
"""

from __future__ import annotations

import re

from collector.content import decode, literal, messages
from scorers.turn import Message, Part

_ROLE = re.compile(r"^(system|developer|user|assistant|tool|function): ", re.MULTILINE)
_REQUEST = re.compile(r"\A\[\{'role': ")
_LABEL = "text: "


def said(value: object, *, role: str) -> tuple[Message, ...] | None:
    """Return the messages of such a text; of any other value those of a message list."""
    if not isinstance(value, str) or not _ROLE.match(value):
        return messages(value, role=role)
    marks = [*_ROLE.finditer(value)]
    ends = [mark.start() for mark in marks[1:]] + [len(value)]
    pieces = [
        (mark[1], value[mark.end() : end].removesuffix("\n") if end < len(value) else
         value[mark.end() :])
        for mark, end in zip(marks, ends, strict=True)
    ]  # fmt: skip
    for _, text in reversed(pieces):
        if _REQUEST.match(text):
            found = _request(text)
            if found:
                return found
    return tuple(message for one, text in pieces for message in _message(one, text))


def _message(role: str, text: str) -> tuple[Message, ...]:
    if role == "assistant" and text in ("", "None"):  # it asked for tools, nobody knows which
        return (Message(role, (Part("tool_call", cut_by_capture=True),)),)
    return messages([{"role": role, "content": text.removeprefix(_LABEL)}]) or ()


def _request(text: str) -> tuple[Message, ...] | None:
    try:
        return messages(decode(literal(text)))
    except ValueError:
        return None
