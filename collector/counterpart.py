"""The same messages, recorded twice in one span: what one list leaves out, the other has.

Instrumentations write a model call's messages both as attributes and as the raw request or answer,
or in two conventions at once; each loses something that the other keeps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from scorers.turn import Message, Part

Messages = tuple[Message, ...]


def lacks_ids(said: Sequence[Message]) -> bool:
    """Say whether a tool call or a tool's result stands there without an id."""
    return any(part.id is None for part in _joined(said))


def with_ids(said: Messages, other: Sequence[Message] | None) -> Messages:
    """Give tool calls and results without ids those of the other list, where both tell the same.

    That is the case where both have the same calls by name, and as many results, in one order.
    """
    known, found = list(_joined(other or ())), list(_joined(said))
    if [_mark(part) for part in known] != [_mark(part) for part in found]:
        return said
    ids = iter([one.id or two.id for one, two in zip(found, known, strict=True)])
    return tuple(
        replace(
            message,
            parts=tuple(
                replace(part, id=next(ids)) if part.kind in ("tool_call", "tool_result") else part
                for part in message.parts
            ),
        )
        for message in said
    )


def keeps_results_apart(one: Sequence[Message], other: Sequence[Message]) -> bool:
    """Say whether the first list has results for more tool calls than the other."""
    return len(_answered(one)) > len(_answered(other))


def _answered(said: Sequence[Message]) -> set[str]:
    return {part.id for part in _joined(said) if part.kind == "tool_result" and part.id}


def _joined(said: Sequence[Message]) -> Iterator[Part]:
    for message in said:
        for part in message.parts:
            if part.kind in ("tool_call", "tool_result"):
                yield part


def _mark(part: Part) -> tuple[str, str | None]:
    return (part.kind, part.name if part.kind == "tool_call" else None)
