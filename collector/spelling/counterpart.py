"""The same messages, recorded twice in one span: what one list leaves out, the other has.

Instrumentations write a model call's messages both as attributes and as the raw request or answer,
or in two conventions at once; each loses something that the other keeps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from scorers.turn import Message, Part

Messages = tuple[Message, ...]
# Parts that are joined with each other by their ids.
JOINED = ("tool_call", "tool_result")


def lacks_ids(said: Sequence[Message]) -> bool:
    """Say whether a tool call or a tool's result stands there without an id."""
    return any(part.id is None for part in joined(said))


def with_ids(said: Messages, other: Sequence[Message] | None) -> Messages:
    """Give tool calls and results without ids those of the other list, where both tell the same.

    That is the case where both have the same calls by name, and as many results, in one order.
    """
    known, found = list(joined(other or ())), list(joined(said))
    if [_mark(part) for part in known] != [_mark(part) for part in found]:
        return said
    ids = iter([one.id or two.id for one, two in zip(found, known, strict=True)])
    return tuple(
        replace(
            message,
            parts=tuple(
                replace(part, id=next(ids)) if part.kind in JOINED else part
                for part in message.parts
            ),
        )
        for message in said
    )


def fuller(said: Messages, other: Sequence[Message]) -> Messages:
    """Return the other list where it keeps apart tool results that the first one made into one.

    The system's messages stay where the other has none.
    """
    if not keeps_results_apart(other, said):
        return said
    if any(message.role == "system" for message in other):
        return tuple(other)
    return (*(message for message in said if message.role == "system"), *other)


def keeps_results_apart(one: Sequence[Message], other: Sequence[Message]) -> bool:
    """Say whether the first list has more tool results than the other."""
    return _results(one) > _results(other)


def _results(said: Sequence[Message]) -> int:
    return sum(part.kind == "tool_result" for part in joined(said))


def joined(said: Sequence[Message]) -> Iterator[Part]:
    """Walk over the tool calls and the tools' results of messages, in order."""
    for message in said:
        for part in message.parts:
            if part.kind in JOINED:
                yield part


def _mark(part: Part) -> tuple[str, str | None]:
    return (part.kind, part.name if part.kind == "tool_call" else None)
