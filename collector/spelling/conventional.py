"""Records in the GenAI conventions → operations, for every dialect that keeps to them."""

from __future__ import annotations

from collections.abc import Iterable

from collector.content import capture_of, redacted
from collector.dialect import AnyOperation, Shape
from collector.span import LogRecord, Record, Span
from collector.spelling import convention
from collector.spelling.convention import string
from collector.spelling.placed import placed
from scorers.turn import AgentInvocation, Inference, Message, ToolExecution

Said = tuple[Message, ...] | None

_CONTENT = (convention.SYSTEM, convention.INPUT, convention.OUTPUT)


def fits(shape: Shape) -> bool:
    """Spans that may state an operation or hold content, and events with all of a call."""
    if shape.event is not None:
        return shape.event == convention.DETAILS
    return any(key in shape.keys for key in convention.STATING)


def claims(record: Record) -> bool:
    """Say whether a record states an operation of the conventions, or holds their content."""
    if isinstance(record, LogRecord):
        return record.event_name == convention.DETAILS
    return convention.operation_of(record) != ""


def operations(record: Record, dialect: str) -> Iterable[AnyOperation]:
    """Yield the model call, tool call or agent run that a record describes."""
    record = convention.with_details(record)
    operation = convention.operation_of(record)
    if operation in convention.CALLS:
        own = placed(record)
        if own is not None:
            yield model_call(own, dialect)
    elif not isinstance(record, Span):
        return
    elif operation == convention.TOOL:
        yield tool_call(record, dialect)
    elif operation in (convention.AGENT, convention.WORKFLOW):
        yield agent_run(record, dialect)


def model_call(record: Record, dialect: str, said: tuple[Said, Said] | None = None) -> Inference:
    """Return the model call of a record; `said` are its messages where they were read already."""
    given, made = said or convention.read(record)
    hidden = convention.why_hidden(record, missing=given is None)
    capture = capture_of(record, _CONTENT, hidden=hidden)
    return convention.inference(record, dialect, given, made, capture)


def tool_call(span: Span, dialect: str) -> ToolExecution:
    """Return the tool call of a span."""
    arguments = span.attributes.get(convention.ARGUMENTS)
    result = span.attributes.get(convention.RESULT)
    missing = result is None and not convention.failed(span)
    capture = capture_of(
        span,
        # Hidden arguments hide nothing of the result.
        () if redacted(arguments) else (convention.ARGUMENTS,),
        # What the tool returned is not encoded again: JSON that ends early was made so.
        texts={convention.RESULT: result},
        hidden=convention.why_hidden(span, missing=missing),
    )
    return convention.tool_execution(span, dialect, arguments, result, capture)


def agent_run(span: Span, dialect: str) -> AgentInvocation:
    """Return the run of an agent or a workflow."""
    given, made = convention.read(span)
    shared = convention.who(span, dialect)
    shared["agent"] = shared["agent"] or string(span.attributes, "gen_ai.workflow.name")
    return AgentInvocation(
        **shared,
        kind="workflow" if convention.operation_of(span) == convention.WORKFLOW else "agent",
        input=given,
        output=made,
        capture=capture_of(span, _CONTENT),
    )
