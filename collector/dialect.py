"""What a dialect is: it reads one library's spelling and says which operations a record holds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Literal, NamedTuple, Protocol

from collector.span import LogRecord, Record, Span
from scorers.turn import (
    AgentInvocation,
    Inference,
    Message,
    Operation,
    ToolExecution,
)
from scorers.value import value

# Spans with numbered attributes have a shape of their own each: they are not worth remembering.
_MOST_KEYS = 64
# Nor are those with names that no library gives: senders make them up, in any length.
_MOST_CHARACTERS = 4096
_MOST_SHAPES = 2048


@value(kw_only=True)
class MessageEvent(Operation):
    """One message of a model call that arrives by itself, as legacy GenAI events do.

    `span_id` is that of the call it belongs to. `order` sorts the events of one call (time, then
    position). Pieces of one streamed choice share `choice` and have no finish reason but the last.
    """

    side: Literal["input", "output"] = "input"
    message: Message
    order: int = 0
    choice: int = 0


@value(kw_only=True)
class Piece(Inference):
    """What one record tells of a model call that others tell more of: coding agents log a call's
    request, its answer and its tokens each by themselves.

    `kind` names the record; a call has one of each. `marks` are ids that records of one call share,
    each with its name (`request_id=…`). Where they share none, calls of one `lane` follow each
    other, and `order` counts the records of one moment.
    """

    kind: Literal["span", "request", "usage", "answer", "text"]
    lane: str = ""
    marks: tuple[str, ...] = ()
    order: int = 0


@value(kw_only=True)
class Opening(AgentInvocation):
    """A requester's message that was recorded by itself, outside any span. What its session did
    from then on, and what names it as its parent, was done for it."""


AnyOperation = Inference | ToolExecution | AgentInvocation | MessageEvent


class Shape(NamedTuple):
    """What many records have in common: the library they come from, and which fields they have.

    `event` is a log record's event name, None for a span; `events` are the names of a span's.
    """

    scope: str
    keys: Collection[str]
    event: str | None = None
    events: tuple[str, ...] = ()


def shape_of(record: Record) -> Shape:
    """Return a record's shape."""
    attributes = record.attributes
    # To look for many keys in a long tuple takes long.
    keys = (tuple if len(attributes) <= _MOST_KEYS else frozenset)(attributes.keys())
    if isinstance(record, LogRecord):
        return Shape(record.scope.name, keys, record.event_name)
    events = tuple([event.name for event in record.events]) if record.events else ()
    return Shape(record.scope.name, keys, None, events)


class Dialect(Protocol):
    """One instrumentation dialect. Stateless; never raises for what a record holds."""

    @property
    def name(self) -> str:
        """Name of the dialect, a label in metrics: lower case, digits and underscores."""

    def fits(self, shape: Shape) -> bool:
        """Say whether a record of that shape can be written in this dialect, whatever its values.

        Asked once for all records of a shape: most are about something else.
        """

    def claims(self, record: Record) -> bool:
        """Say whether the record is written in this dialect (cheap: looks at a few keys)."""

    def operations(self, record: Record) -> Iterable[AnyOperation]:
        """Yield what the record holds: nothing, one operation, or several."""


class Dialects:
    """Dialects in the order in which they are asked, and which of them a record may be in."""

    def __init__(self, dialects: Sequence[Dialect]) -> None:
        self._dialects = tuple(dialects)
        self._fitting: dict[Shape, tuple[Dialect, ...]] = {}

    def fitting(self, record: Record) -> tuple[Dialect, ...]:
        """Return those that a record fits by its shape: one of them may claim it, no other will."""
        shape = shape_of(record)
        found = self._fitting.get(shape)
        if found is None:
            found = tuple(dialect for dialect in self._dialects if dialect.fits(shape))
            if len(shape.keys) + len(shape.events) <= _MOST_KEYS and _is_short(shape):
                if len(self._fitting) >= _MOST_SHAPES:
                    self._fitting.clear()
                self._fitting[shape] = found
        return found


def origin(record: Record, dialect: str) -> dict[str, Any]:
    """Return the fields every operation of a record shares, as keyword arguments.

    Who it was: the service from the resource; a dialect overrides `agent`, `agent_version` and
    `conversation_id` with what it finds on the record itself.
    """
    resource = record.resource
    shared: dict[str, Any] = {
        "trace_id": record.trace_id,
        "span_id": record.span_id,
        "dialect": dialect,
        "service": resource.text("service.name"),
        "service_version": resource.text("service.version"),
        "environment": resource.text("deployment.environment.name")
        or resource.text("deployment.environment"),
    }
    if isinstance(record, Span):
        shared["parent_id"] = record.parent_id
        shared["name"] = record.name
        shared["start_ns"] = record.start_ns
        shared["end_ns"] = record.end_ns
        shared["error"] = _error(record)
    else:
        shared["name"] = record.event_name
        shared["start_ns"] = shared["end_ns"] = record.time_ns
    return shared


def _error(span: Span) -> str | None:
    """What failed, as the span says it: error type, exception types and status message."""
    named = span.attributes.get("error.type")
    if span.status != 2 and not named:
        return None
    said = [named, *(event.attributes.get("exception.type") for event in span.events)]
    said.append(span.status_message)
    words = dict.fromkeys(word for word in said if isinstance(word, str) and word)
    return " ".join(words) or "error"


def _is_short(shape: Shape) -> bool:
    names = (shape.scope, shape.event or "", *shape.keys, *shape.events)
    return sum(map(len, names)) <= _MOST_CHARACTERS
