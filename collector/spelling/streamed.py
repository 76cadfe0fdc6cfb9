"""An answer that was streamed, put together from the pieces that a library recorded."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from collector.content import decode
from collector.content.parts import call_part
from scorers.turn import Message, Part


def with_streamed_calls(
    said: tuple[Message, ...] | None, pieces: Iterable[Any]
) -> tuple[Message, ...] | None:
    """Add the tool calls that stand only in the pieces of a chat completion's stream.

    MLflow joins the pieces of text, and says that the answer ended well where it asked for tools.
    """
    if said and any(message.of_kind("tool_call") for message in said):
        return said
    calls, finish = _calls(pieces)
    if not calls:
        return said
    first = said[0] if said else Message("assistant")
    texts = tuple(part for part in first.parts if part.text)
    return (replace(first, parts=(*texts, *calls), finish_reason=finish),)


def _calls(pieces: Iterable[Any]) -> tuple[tuple[Part, ...], str | None]:
    begun: dict[int, dict[str, str]] = {}
    finish = None
    for piece in pieces:
        chunk = decode(piece)
        choices = chunk.get("choices") if isinstance(chunk, dict) else None
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            continue
        reason, delta = choice.get("finish_reason"), choice.get("delta")
        finish = reason if isinstance(reason, str) else finish
        calls = delta.get("tool_calls") if isinstance(delta, dict) else None
        for at, call in enumerate(calls if isinstance(calls, list) else ()):
            if isinstance(call, dict):
                number = call.get("index")
                _go_on(begun.setdefault(number if isinstance(number, int) else at, {}), call)
    found = [call_part(begun[number]) for number in sorted(begun)]
    return tuple(part for part in found if part is not None), finish


def _go_on(begun: dict[str, str], call: dict[str, Any]) -> None:
    function = call.get("function")
    named = function if isinstance(function, dict) else {}
    for key, value in (("id", call.get("id")), ("name", named.get("name"))):
        if isinstance(value, str) and value:
            begun.setdefault(key, value)
    more = named.get("arguments")
    if isinstance(more, str):
        begun["arguments"] = begun.get("arguments", "") + more
