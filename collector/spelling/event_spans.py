"""Records of the GenAI conventions' older form → operations: messages as events, one by one.

A log record holds one message of a call; a span holds all of them as span events.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from collector.content import capture_of, decode
from collector.dialect import AnyOperation, MessageEvent, Shape
from collector.span import Event, LogRecord, Record, Span
from collector.spelling import convention, role_lines
from collector.spelling.message_event import NAMES, Told, tell
from scorers.turn import AgentInvocation, Message

# Older still (conventions 1.26, first versions of OpenLIT): the whole list in two events.
_WHOLE = {
    "gen_ai.content.prompt": ("input", "gen_ai.prompt"),
    "gen_ai.content.completion": ("output", "gen_ai.completion"),
}


def fits(shape: Shape) -> bool:
    """Records of single messages, and spans whose content is nowhere else."""
    if shape.event is not None:
        return shape.event in NAMES
    if convention.INPUT in shape.keys or convention.OUTPUT in shape.keys:
        return False
    return any(name in NAMES or name in _WHOLE for name in shape.events)


def message_events(record: LogRecord, dialect: str, *, index: Any = None) -> Iterable[MessageEvent]:
    """Yield the messages of a log record; `index` is its place where the library numbers them."""
    if not (record.trace_id and record.span_id):
        return
    body = decode(record.body)
    order = index if isinstance(index, int) else record.time_ns
    for told in tell(record.event_name, body):
        yield MessageEvent(
            **convention.who(record, dialect),
            side=told.side,
            message=told.message,
            order=order,
            choice=told.choice,
            capture=capture_of(
                record,
                values={record.event_name: body},
                hidden="content_off" if told.off else None,
            ),
        )


def operations(record: Record, dialect: str) -> Iterable[AnyOperation]:
    """Yield the message events of a log record, or the operation of a span."""
    if isinstance(record, LogRecord):
        yield from message_events(record, dialect)
        return
    told = _told(record)
    given = tuple(one.message for one in told if one.side == "input") or None
    made = tuple(one.message for one in told if one.side == "output") or None
    given = given or _whole(record, "input")
    made = made or _whole(record, "output")
    hidden = "content_off" if any(one.off for one in told) else None
    values = {f"{at} {event.name}": _contents(event) for at, event in enumerate(record.events)}
    capture = capture_of(record, values=values, hidden=hidden)
    operation = convention.operation_of(record) or "chat"
    if operation in convention.CALLS:
        yield convention.inference(record, dialect, given, made, capture)
    elif operation == convention.TOOL:
        # What went into a tool are its arguments, and what came out is its result.
        arguments = _raw(record, "gen_ai.tool.message")
        result = _raw(record, "gen_ai.choice")
        yield convention.tool_execution(record, dialect, arguments, result, capture)
    elif operation in (convention.AGENT, convention.WORKFLOW):
        yield AgentInvocation(
            **convention.who(record, dialect),
            kind="workflow" if operation == convention.WORKFLOW else "agent",
            input=given,
            output=made,
            capture=capture,
        )


def _told(span: Span) -> list[Told]:
    return [
        told
        for event in span.events
        if event.name in NAMES
        for told in tell(event.name, event.attributes, encoded=True)
    ]


def _whole(span: Span, side: str) -> tuple[Message, ...] | None:
    for event in span.events:
        found, key = _WHOLE.get(event.name, ("", ""))
        if found == side:
            role = "assistant" if side == "output" else "user"
            return role_lines.said(event.attributes.get(key), role=role)
    return None


def _raw(span: Span, name: str) -> Any:
    for event in span.events:
        if event.name == name:
            return event.attributes.get("message", event.attributes.get("content"))
    return None


def _contents(event: Event) -> Any:
    return [
        event.attributes[key]
        for key in ("content", "message", "gen_ai.event.content", "gen_ai.prompt")
        if key in event.attributes
    ]
