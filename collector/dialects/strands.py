"""AWS Strands Agents: content in span events (default), or in one details event or attributes.

Spans `chat`, `execute_tool …`, `invoke_agent …`; on a tool's span `gen_ai.tool.message` holds the
arguments and `gen_ai.choice` the result. `execute_event_loop_cycle` repeats messages as they were
before anything cut them: never evidence of what the model got. Version 0.1 wrote two attributes,
`gen_ai.prompt` and `gen_ai.completion`, on all of its spans.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from collector.content import capture_of, messages, redacted
from collector.dialect import AnyOperation, Shape, shape_of
from collector.span import Record, Span
from collector.spelling import convention
from collector.spelling.message_event import CHOICE, NAMES, tell
from scorers.turn import AgentInvocation, Capture, Message, ToolExecution

_SCOPE = "strands.telemetry.tracer"
# Up to 0.2 the tracer is called as the user says; nobody else writes this key.
_OLDER = "gen_ai.event.start_time"
_TOOL_MESSAGE = "gen_ai.tool.message"
_PROMPT, _COMPLETION = "gen_ai.prompt", "gen_ai.completion"
Messages = tuple[Message, ...] | None


@dataclass(frozen=True, slots=True)
class Strands:
    """Spans of the Strands Agents SDK."""

    name: str = "strands"

    def fits(self, shape: Shape) -> bool:
        """Spans of Strands' own tracer."""
        return shape.event is None and (shape.scope == _SCOPE or _OLDER in shape.keys)

    def claims(self, record: Record) -> bool:
        """Claim the spans of Strands' own tracer."""
        return self.fits(shape_of(record))

    def operations(self, record: Record) -> Iterable[AnyOperation]:
        """Yield the model call, tool call or agent run of a span; cycles yield nothing."""
        if not isinstance(record, Span):
            return
        span = convention.with_details(record)
        if not isinstance(span, Span):
            return
        operation = convention.operation_of(span)
        if "gen_ai.operation.name" not in span.attributes and _PROMPT in span.attributes:
            yield from self._older(span)
            return
        if operation == convention.TOOL:
            yield self._tool(span)
            return
        if operation not in convention.CALLS and not operation.startswith("invoke_"):
            return
        given, made, capture = _read(span, call=operation in convention.CALLS)
        if operation in convention.CALLS:
            yield convention.inference(span, self.name, given, made, capture)
        else:
            yield AgentInvocation(
                **convention.who(span, self.name),
                # invoke_swarm and invoke_graph run several agents.
                kind="agent" if operation == convention.AGENT else "workflow",
                input=given,
                output=tuple(_as_said(message) for message in made) if made else made,
                capture=capture,
            )

    def _older(self, span: Span) -> Iterable[AnyOperation]:
        """Read a span of version 0.1."""
        attributes = span.attributes
        prompt, completion = attributes.get(_PROMPT), attributes.get(_COMPLETION)
        if "tool.id" in attributes:
            arguments = attributes.get("tool.parameters")
            capture = capture_of(span, values={"arguments": arguments, "result": completion})
            found = convention.tool_execution(span, self.name, arguments, completion, capture)
            yield replace(
                found,
                tool=convention.string(attributes, "tool.name") or found.tool,
                call_id=convention.string(attributes, "tool.id") or found.call_id,
                failed=found.failed or attributes.get("tool.status") == "error",
            )
            return
        if "event_loop.cycle_id" in attributes:
            return
        given = messages(prompt)
        made = messages(completion, role="assistant")
        if span.name == "Model invoke":
            capture = capture_of(span, (_PROMPT, _COMPLETION))
            yield convention.inference(span, self.name, given, made, capture)
        elif "gen_ai.agent.name" in attributes:
            yield AgentInvocation(
                **convention.who(span, self.name),
                input=given,
                output=tuple(_as_said(message) for message in made) if made else made,
                capture=capture_of(span, texts={_PROMPT: prompt, _COMPLETION: completion}),
            )

    def _tool(self, span: Span) -> ToolExecution:
        arguments, result = _event(span, _TOOL_MESSAGE, "content"), _event(span, CHOICE, "message")
        if arguments is None and result is None:
            given, made = convention.read(span)
            arguments, result = _first(given, "tool_call"), _first(made, "tool_result")
        missing = result is None and not convention.failed(span)
        capture = capture_of(
            span,
            values={"arguments": arguments, "result": result},
            hidden=convention.why_hidden(span, missing=missing),
        )
        return convention.tool_execution(span, self.name, arguments, result, capture)


def _read(span: Span, *, call: bool) -> tuple[Messages, Messages, Capture]:
    told = [
        one
        for event in span.events
        if event.name in NAMES
        for one in tell(event.name, event.attributes, encoded=True)
    ]
    if not told:
        keys = (convention.SYSTEM, convention.INPUT, convention.OUTPUT)
        given, made = convention.read(span)
        hidden = convention.why_hidden(span, missing=call and given is None)
        return given, made, capture_of(span, keys, hidden=hidden)
    values = {
        f"{at} {event.name}": event.attributes.get("content", event.attributes.get("message"))
        for at, event in enumerate(span.events)
        if event.name in NAMES
    }
    hidden = "content_off" if any(one.off for one in told) else None
    if any(redacted(value) for value in values.values()):
        hidden = "redacted"
    return (
        tuple(one.message for one in told if one.side == "input") or None,
        tuple(one.message for one in told if one.side == "output") or None,
        capture_of(span, values=values, hidden=hidden),
    )


def _as_said(message: Message) -> Message:
    """Drop the newline that Strands puts after each text of an agent's result."""
    parts = tuple(
        replace(part, text=part.text.removesuffix("\n")) if part.kind == "text" else part
        for part in message.parts
    )
    return replace(message, parts=parts)


def _event(span: Span, name: str, key: str) -> Any:
    return next((e.attributes.get(key) for e in span.events if e.name == name), None)


def _first(messages: Messages, kind: str) -> str | None:
    parts = (part for message in messages or () for part in message.parts if part.kind == kind)
    return next((part.text for part in parts), None)
