"""What the attributes of the OpenTelemetry GenAI conventions say about a record.

The names were renamed several times; every spelling in use is read. Conventions:
open-telemetry/semantic-conventions-genai, and semantic-conventions up to 1.36 for the older ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from collector.attributes import sent
from collector.content import (
    compact,
    decode,
    literal,
    messages,
    redacted,
    reports_failure,
    salvage_tool_result,
    tool_names,
    unwrap_tool_result,
    usage_of,
    why_missing,
)
from collector.content.messages import redacted_whole
from collector.dialect import origin
from collector.span import LogRecord, Record, Span
from scorers.turn import Capture, Inference, Message, Part, ToolExecution

DETAILS = "gen_ai.client.inference.operation.details"
INPUT = "gen_ai.input.messages"
OUTPUT = "gen_ai.output.messages"
SYSTEM = "gen_ai.system_instructions"
ARGUMENTS = "gen_ai.tool.call.arguments"
RESULT = "gen_ai.tool.call.result"
# Without any of these, no operation can be told.
STATING = ("gen_ai.operation.name", RESULT, ARGUMENTS, "gen_ai.request.model")
# Older libraries and gateways invented their own names for a chat.
CALLS = (
    "chat", "generate_content", "text_completion",
    "chat_completion", "chat.completions", "completion", "text.completions",
    "responses", "messages",
)  # fmt: skip
TOOL = "execute_tool"
AGENT = "invoke_agent"
WORKFLOW = "invoke_workflow"

_CONVERSATION = (
    "gen_ai.conversation.id",
    "session.id",
    "langfuse.session.id",
    "conversation.id",
    "gcp.vertex.agent.session_id",
)
# Strands' users put the version among the trace attributes, having no other place for it.
_VERSION = ("gen_ai.agent.version", "agent.version")
_OFFERED = "gen_ai.tool.definitions"
_FINISH = ("gen_ai.response.finish_reasons", "gen_ai.response.finish_reason")
_CALLING = ("tool_calls", "tool_call", "tool_use", "function_call")
_REFERENCES = ("gen_ai.input.messages_ref", "gen_ai.output.messages_ref")


def who(record: Record, dialect: str) -> dict[str, Any]:
    """Return the fields every operation shares, with what the conventions' attributes state."""
    attributes = record.attributes
    shared = origin(record, dialect)
    shared["agent"] = string(attributes, "gen_ai.agent.name", "agent_name")
    shared["agent_version"] = string(attributes, *_VERSION)
    shared["conversation_id"] = string(attributes, *_CONVERSATION)
    if isinstance(record, LogRecord):
        shared["error"] = string(attributes, "error.type")
    return shared


def inference(
    record: Record,
    dialect: str,
    given: tuple[Message, ...] | None,
    made: tuple[Message, ...] | None,
    capture: Capture,
) -> Inference:
    """Return the model call of a record with the messages that were read from it."""
    attributes = record.attributes
    reasons = finish_reasons(attributes) or reasons_in(made)
    return Inference(
        **who(record, dialect),
        provider=string(attributes, "gen_ai.provider.name", "gen_ai.system"),
        model=string(attributes, "gen_ai.response.model", "gen_ai.request.model"),
        response_id=string(attributes, "gen_ai.response.id"),
        tools=tool_names(attributes.get(_OFFERED)) if _OFFERED in attributes else None,
        usage=usage_of(attributes),
        finish_reasons=reasons,
        input=given,
        output=_with_calls(made, reasons),
        capture=capture,
    )


def _with_calls(
    made: tuple[Message, ...] | None, reasons: tuple[str, ...]
) -> tuple[Message, ...] | None:
    """Add the tool call that a finish reason tells of where its parts were left out (LiteLLM)."""
    if not made:
        return made
    first = made[0]
    reason = first.finish_reason or (reasons[0] if reasons else "")
    if reason.lower().replace("-", "_") not in _CALLING:
        return made
    if any(part.kind == "tool_call" for message in made for part in message.parts):
        return made
    call = Part("tool_call", cut_by_capture=True)
    return (replace(first, parts=(*first.parts, call)), *made[1:])


def tool_execution(
    span: Span, dialect: str, arguments: Any, result: Any, capture: Capture
) -> ToolExecution:
    """Return the tool call of a span; arguments and result are raw values, None where absent."""
    attributes = span.attributes
    shared = who(span, dialect)
    hidden = result is None or redacted_whole(result)
    text, found = (None, None) if hidden else unwrap_tool_result(result)
    if not hidden and (kept := salvage_tool_result(result)) is not None:
        text, capture = kept, replace(capture, broken=(*capture.broken, RESULT))
    named = string(attributes, "gen_ai.tool.name") or span.name.removeprefix(TOOL).strip()
    return ToolExecution(
        **shared,
        tool=named,
        call_id=string(attributes, "gen_ai.tool.call.id", "gen_ai.tool.call_id") or found,
        arguments=_arguments(arguments),
        result=text,
        failed=failed(span) or reports_failure(result),
        capture=capture,
    )


def failed(span: Span) -> bool:
    """Say whether a tool's span states that the tool failed."""
    attributes = span.attributes
    return (
        span.status == 2
        or string(attributes, "error.type") is not None
        or attributes.get("gen_ai.tool.status") == "error"
    )


def operation_of(record: Record) -> str:
    """Return the operation's name; where an emitter leaves it out, what the other keys say.

    It is "" for a record that is not about GenAI.
    """
    attributes = record.attributes
    stated = attributes.get("gen_ai.operation.name")
    if stated and isinstance(stated, str):
        return stated
    if isinstance(record, LogRecord):
        return "chat"
    if RESULT in attributes or ARGUMENTS in attributes:
        return TOOL
    if string(attributes, "gen_ai.request.model") and (
        INPUT in attributes or OUTPUT in attributes or "gen_ai.usage.input_tokens" in attributes
    ):
        return AGENT if "gen_ai.agent.name" in attributes else "chat"
    return ""


def read(record: Record) -> tuple[tuple[Message, ...] | None, tuple[Message, ...] | None]:
    """Return the messages that went in, system prompt first, and those that came out."""
    attributes = record.attributes
    thread = string(attributes, _CONVERSATION[0]) or record.trace_id
    given = messages(sent(attributes, INPUT), thread=thread)
    system = messages(sent(attributes, SYSTEM), role="system")
    # OpenLIT writes the system prompt in both places.
    if given is not None and system and not (given and _same(system[0], given[0])):
        given = (*system, *given)
    return given, messages(sent(attributes, OUTPUT), role="assistant")


def with_details(record: Record) -> Record:
    """Add what an event's body, or a span's details event, holds to the record's attributes."""
    if isinstance(record, Span) and not record.events:
        return record
    extra: dict[str, Any] = {}
    if isinstance(record, LogRecord):
        body = decode(record.body)
        if isinstance(body, Mapping):
            extra = {key: value for key, value in body.items() if isinstance(key, str)}
    else:
        for event in record.events:
            if event.name == DETAILS:
                extra |= event.attributes
    return replace(record, attributes={**extra, **record.attributes}) if extra else record


def why_hidden(record: Record, *, missing: bool) -> str | None:
    """Say why content is missing: it was uploaded elsewhere, or capturing it is off (default)."""
    if any(key in record.attributes for key in _REFERENCES):
        return "uploaded"
    if not missing:
        return None
    reason = why_missing(record.attributes, INPUT, RESULT)
    # Where the SDK dropped attributes, the content may have been among them.
    return None if reason == "content_off" and record.dropped else reason


def string(attributes: Mapping[str, Any], *keys: str) -> str | None:
    """Return the first of some attributes that is a text, not empty and no mark of redaction: all
    conversations whose id is redacted would be one."""
    for key in keys:
        if key in attributes:
            value = attributes[key]
            if isinstance(value, str) and value and not redacted(value):
                return value
    return None


def first(attributes: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    """Return the first of some attributes that is there, of whatever type; None where none is."""
    return next((attributes[key] for key in keys if attributes.get(key) is not None), None)


def finish_reasons(attributes: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the finish reasons: a list, a list written as JSON, or one text."""
    for key in _FINISH:
        if key not in attributes:
            continue
        value = decode(attributes[key])
        if isinstance(value, str) and value:
            return (value,)
        if isinstance(value, list | tuple):
            return tuple([reason for reason in value if isinstance(reason, str) and reason])
    return ()


def reasons_in(made: tuple[Message, ...] | None) -> tuple[str, ...]:
    """Return the finish reasons that an answer's messages have."""
    return tuple([message.finish_reason for message in made or () if message.finish_reason])


def _same(one: Message, other: Message) -> bool:
    return one.role == other.role and one.text == other.text


def _arguments(raw: Any) -> str | None:
    if raw is None:
        return None
    if not isinstance(raw, str):
        return compact(raw)
    if raw.startswith("{'"):  # OpenLIT writes Python's repr
        try:
            return compact(literal(raw))
        except ValueError:
            return raw
    return raw
