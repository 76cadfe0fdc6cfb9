"""OpenTelemetry GenAI semantic conventions, older form: one event for each message.

Log records (opentelemetry-instrumentation-openai-v2, google-genai, Semantic Kernel, Pydantic AI in
event mode `logs`) give message events; spans that hold the messages as span events (Azure AI
Inference, Semantic Kernel and LangChain in other languages) give whole operations.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from collector.content import capture_of, decode, messages
from collector.dialect import AnyOperation, MessageEvent, Shape, shape_of
from collector.span import Event, LogRecord, Record, Span
from collector.spelling import convention
from collector.spelling.message_event import NAMES, Told, tell
from scorers.turn import AgentInvocation, Message

# Older still (conventions 1.26, first versions of OpenLIT): the whole list in two events.
_WHOLE = {
    "gen_ai.content.prompt": ("input", "gen_ai.prompt"),
    "gen_ai.content.completion": ("output", "gen_ai.completion"),
}
# Semantic Kernel numbers its records, all of which may have one time.
_INDEX = "CHAT_MESSAGE_INDEX"


@dataclass(frozen=True, slots=True)
class GenAIEvents:
    """Messages of the older GenAI conventions, as log records and as span events."""

    name: str = "gen_ai_events"

    def fits(self, shape: Shape) -> bool:
        """Records of single messages, and spans whose content is nowhere else."""
        if shape.event is not None:
            return shape.event in NAMES
        if convention.INPUT in shape.keys or convention.OUTPUT in shape.keys:
            return False
        return any(name in NAMES or name in _WHOLE for name in shape.events)

    def claims(self, record: Record) -> bool:
        """Claim records of single messages, and spans whose content is nowhere else."""
        return self.fits(shape_of(record))

    def operations(self, record: Record) -> Iterable[AnyOperation]:
        """Yield the message events of a log record, or the operation of a span."""
        if isinstance(record, LogRecord):
            if record.trace_id and record.span_id:
                yield from self._message_events(record)
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
            yield convention.inference(record, self.name, given, made, capture)
        elif operation == convention.TOOL:
            # What went into a tool are its arguments, and what came out is its result.
            arguments = _raw(record, "gen_ai.tool.message")
            result = _raw(record, "gen_ai.choice")
            yield convention.tool_execution(record, self.name, arguments, result, capture)
        elif operation in (convention.AGENT, convention.WORKFLOW):
            yield AgentInvocation(
                **convention.who(record, self.name),
                kind="workflow" if operation == convention.WORKFLOW else "agent",
                input=given,
                output=made,
                capture=capture,
            )

    def _message_events(self, record: LogRecord) -> Iterable[MessageEvent]:
        body = decode(record.body)
        index = record.attributes.get(_INDEX)
        order = index if isinstance(index, int) else record.time_ns
        for told in tell(record.event_name, body):
            yield MessageEvent(
                **convention.who(record, self.name),
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
            return messages(
                event.attributes.get(key), role="assistant" if side == "output" else "user"
            )
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
