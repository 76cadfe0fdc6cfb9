"""A reply point: one reply with both contexts, as one JSON object.

    {"id": str, "requester_context": {"files": [{"name", "text"}], "dialog": [{"role", "text"}]},
     "private_context": [{"kind", "name", "text"}], "reply": str}

It is how a reply is judged outside the pipeline: recorded, labelled or edited replies. Other keys
are ignored. `requester_context` and `private_context` may be absent or null (nothing is known of
them); `reply` null means that no reply is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from scorers.errors import ScorerError
from scorers.turn import File, PrivateItem, PrivateKind, RequesterContext, Said, Turn

ROLES = ("user", "assistant")
PRIVATE_KINDS: tuple[str, ...] = get_args(PrivateKind)


def turn_from_point(point: Mapping[str, Any]) -> Turn:
    """Return the turn a reply point describes.

    Raises `ScorerError` with one plain sentence that names the field which can't be read.
    """
    if not isinstance(point, Mapping):
        raise ScorerError(f"a reply point is a JSON object, this is {_kind(point)}")
    identity = point.get("id")
    if not isinstance(identity, str) or not identity:
        raise ScorerError(f"id must be a text that is not empty, it is {_kind(identity)}")
    reply = point.get("reply")
    if reply is not None and not isinstance(reply, str):
        raise ScorerError(f"reply must be a text or null, it is {_kind(reply)}")
    requester = _requester(point.get("requester_context"))
    return Turn(
        turn_id=identity,
        trace_ids=(),
        requester=requester,
        private=_private(point.get("private_context")),
        request=requester.request,
        request_missing=None if requester.request is not None else "no user message in dialog",
        reply=reply,
        reply_missing=None if reply is not None else "the point holds no reply",
    )


def point_from_turn(turn: Turn) -> dict[str, Any]:
    """Return the reply point of a turn: plain JSON values, the shape `turn_from_point` reads."""
    return {
        "id": turn.turn_id,
        "requester_context": {
            "files": [{"name": file.name, "text": file.text} for file in turn.requester.files],
            "dialog": [{"role": said.role, "text": said.text} for said in turn.requester.dialog],
        },
        "private_context": [
            {"kind": item.kind, "name": item.name, "text": item.text} for item in turn.private
        ],
        "reply": turn.reply,
    }


def _requester(value: Any) -> RequesterContext:
    field = "requester_context"
    if value is None:
        return RequesterContext()
    if not isinstance(value, Mapping):
        raise ScorerError(f"{field} must be an object, it is {_kind(value)}")
    files = []
    for where, entry in _entries(value.get("files"), f"{field}.files"):
        name = _text(entry, "name", where, missing="")
        files.append(File(name=name, text=_text(entry, "text", where, missing="")))
    dialog = []
    for where, entry in _entries(value.get("dialog"), f"{field}.dialog"):
        role = entry.get("role")
        if role == "user":
            dialog.append(Said(role="user", text=_text(entry, "text", where)))
        elif role == "assistant":
            dialog.append(Said(role="assistant", text=_text(entry, "text", where)))
        else:
            raise ScorerError(f"{where}.role must be one of {', '.join(ROLES)}")
    return RequesterContext(dialog=tuple(dialog), files=tuple(files))


def _private(value: Any) -> tuple[PrivateItem, ...]:
    items = []
    for where, entry in _entries(value, "private_context"):
        kind = entry.get("kind")
        if kind not in PRIVATE_KINDS:
            raise ScorerError(f"{where}.kind must be one of {', '.join(PRIVATE_KINDS)}")
        name = _text(entry, "name", where, missing="")
        items.append(PrivateItem(kind=kind, name=name, text=_text(entry, "text", where)))
    return tuple(items)


def _entries(value: Any, field: str) -> list[tuple[str, Mapping[str, Any]]]:
    if value is None:
        return []
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise ScorerError(f"{field} must be a list, it is {_kind(value)}")
    for index, entry in enumerate(value):
        if not isinstance(entry, Mapping):
            raise ScorerError(f"{field}[{index}] must be an object, it is {_kind(entry)}")
    return [(f"{field}[{index}]", entry) for index, entry in enumerate(value)]


def _text(entry: Mapping[str, Any], key: str, where: str, missing: str | None = None) -> str:
    value = entry.get(key)
    if value is None and missing is not None:
        return missing
    if not isinstance(value, str):
        raise ScorerError(f"{where}.{key} must be a text, it is {_kind(value)}")
    return value


def _kind(value: Any) -> str:
    """Name a JSON value's kind, for a sentence."""
    if value is None:
        return "missing"
    names = {bool: "a truth value", int: "a number", float: "a number", str: "a text"}
    if isinstance(value, str) and not value:
        return "empty"
    return names.get(type(value), "an object" if isinstance(value, Mapping) else "a list")
