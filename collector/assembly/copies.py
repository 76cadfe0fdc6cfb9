"""Second copies of a record: which records are the same one, and which copy is more complete."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from collector.assembly.combine import weight
from collector.assembly.open_turns import Held
from collector.dialect import AnyOperation, MessageEvent
from collector.span import Record, Span
from scorers.turn import Message, ToolExecution

_SESSIONS = ("session.id", "conversation.id", "gen_ai.conversation.id")


def log_identity(record: Record, operations: tuple[AnyOperation, ...]) -> object:
    """Return what makes two log records the same one; spans have their ids."""
    time_ns = 0 if isinstance(record, Span) else record.time_ns
    told = tuple((operation.span_id, _content(operation)) for operation in operations)
    return (record.span_id, time_ns, hash(told))


def completeness(record: Record) -> tuple[int, int]:
    """Return how complete a copy of a span is, beside what it tells: by how long the span took,
    then by its attributes and events."""
    if not isinstance(record, Span):
        return (0, 0)
    named = len(record.attributes) + len(record.events)
    return (max(record.end_ns - record.start_ns, 0), named)


def is_better(copy: Held, known: Held) -> bool:
    """Say whether a copy is to take the place of the one that is known."""
    ranks = [(sum(map(_told, held.operations)), *held.completeness) for held in (copy, known)]
    if ranks[0] != ranks[1] or copy.operations == known.operations:
        return ranks[0] > ranks[1]
    # Copies that differ and are equally complete: any rule will do that does not ask who was first.
    return repr(copy.operations) > repr(known.operations)


def _told(operation: AnyOperation) -> int:
    if isinstance(operation, ToolExecution):
        return len(operation.result or "") + len(operation.arguments or "")
    if isinstance(operation, MessageEvent):
        return weight((operation.message,))
    return weight(operation.input) + weight(operation.output) + 2


def _content(operation: AnyOperation) -> tuple[object, ...]:
    if isinstance(operation, ToolExecution):
        return (operation.call_id, operation.arguments, operation.result)
    if isinstance(operation, MessageEvent):
        place = (operation.side, operation.order, operation.choice)
        return (*place, *_parts((operation.message,)))
    given, made = operation.input or (), operation.output or ()
    return (operation.name, len(given), *_parts(given), *_parts(made))


def _parts(messages: Iterable[Message]) -> Iterator[tuple[object, ...]]:
    for message in messages:
        for part in message.parts:
            yield (message.role, part.kind, part.id, part.text)


def conversation_of(operations: Iterable[AnyOperation]) -> str:
    """Return the group of records outside any trace: their conversation."""
    for operation in operations:
        if operation.conversation_id:
            return f"conversation {operation.conversation_id}"
    return ""


def place_of(record: Record, operations: tuple[AnyOperation, ...]) -> str:
    """Return the trace that a record stands in, "" where nothing says.

    It is the record's own, but for libraries that give each call a trace of its own, or none: they
    are placed by their dialect, or by their conversation.
    """
    given = next((operation.trace_id for operation in operations), "")
    return given or record.trace_id or conversation_of(operations)


def why_nowhere(record: Record, operations: tuple[AnyOperation, ...]) -> str | None:
    """Say why a record without a place is dropped, None where it is not missed: it is of a session
    that it names, and tells nothing of it."""
    named = any(key in record.attributes for key in _SESSIONS)
    return None if named and not operations and not isinstance(record, Span) else "no_trace_id"
