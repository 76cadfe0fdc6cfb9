"""The Vercel AI SDK's own telemetry (`ai.*`): versions 3 to 6, and LegacyOpenTelemetry of 7.

`ai.generateText` is a whole turn as the caller asked for it; the `.doGenerate` and `.doStream`
spans below it are the model calls, and only their `ai.prompt.messages` was sent to a model.
Version 7's own telemetry follows the GenAI conventions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from collector.content import (
    capture_of,
    compact,
    decode,
    messages,
    text,
    tool_names,
    unwrap_tool_result,
    usage_of,
)
from collector.dialect import AnyOperation, Shape, origin
from collector.span import Record, Span
from collector.spelling import opencode
from collector.spelling.convention import first, string
from collector.spelling.envelope import encoded, request_in
from scorers.turn import AgentInvocation, Inference, Message, Part, ToolExecution

_RUNS = ("ai.generateText", "ai.streamText", "ai.generateObject", "ai.streamObject")
_METADATA = ("ai.telemetry.metadata.", "ai.settings.context.")
_SESSION = (
    "sessionId", "session_id", "sessionID", "conversationId", "conversation_id",
    "threadId", "thread_id", "chatId", "chat_id",
)  # fmt: skip
_VERSION = ("agentVersion", "agent_version")
# Version 3 wrote `ai.result`.
_ANSWERS = ("ai.response", "ai.result")
_SENT = "ai.prompt.messages"
_RETURNED = ("ai.toolCall.result", "ai.toolCall.output")
_GIVEN = ("ai.toolCall.args", "ai.toolCall.input")


class VercelAI:
    """Reads the spans of the AI SDK's tracer."""

    name = "vercel_ai"

    def fits(self, shape: Shape) -> bool:
        """Spans that name an operation."""
        named = "ai.operationId" in shape.keys or "operation.name" in shape.keys
        return shape.event is None and named

    def claims(self, record: Record) -> bool:
        """Say whether the span states an operation of the AI SDK."""
        return isinstance(record, Span) and bool(_operation(record))

    def operations(self, record: Record) -> Iterable[AnyOperation]:
        """Yield the operation of a model call, a tool call or a whole run."""
        if isinstance(record, Span):
            yield from opencode.own(record, self._operations(record))

    def _operations(self, record: Span) -> Iterable[AnyOperation]:
        operation = _operation(record)
        shared = _who(record, self.name)
        if operation.endswith((".doGenerate", ".doStream")):
            yield _inference(record, shared)
        elif operation == "ai.toolCall":
            yield _tool(record, shared)
        elif operation in _RUNS:
            yield _run(record, shared)


def _operation(span: Span) -> str:
    stated = string(span.attributes, "ai.operationId")
    if stated is None:
        # Followed by the function's id.
        stated = (string(span.attributes, "operation.name") or "").partition(" ")[0]
    return stated if stated.startswith("ai.") else ""


def _who(span: Span, dialect: str) -> dict[str, Any]:
    attributes = span.attributes
    session = [f"{prefix}{key}" for prefix in _METADATA for key in _SESSION]
    version = [f"{prefix}{key}" for prefix in _METADATA for key in _VERSION]
    return origin(span, dialect) | {
        "agent": string(attributes, "ai.telemetry.functionId", "resource.name"),
        "agent_version": string(attributes, *version),
        "conversation_id": string(attributes, *session, "session.id", "gen_ai.conversation.id"),
    }


def _inference(span: Span, shared: dict[str, Any]) -> Inference:
    attributes = span.attributes
    sent = messages(attributes.get(_SENT))
    answered = _answer(attributes)
    finish = _finish(attributes)
    # With recordInputs or recordOutputs off, keys are missing from calls that went well. An object
    # is missing too where the model's answer was none.
    unsaid = answered is None and finish is not None and "Object" not in _operation(span)
    off = _SENT not in attributes or unsaid
    return Inference(
        **shared
        | {
            "capture": capture_of(
                span,
                (_SENT, *_keys("toolCalls"), *_keys("object")),
                texts={key: attributes[key] for key in _keys("text") if key in attributes},
                hidden="content_off" if off and not span.dropped else None,
            )
        },
        provider=string(attributes, "ai.model.provider", "gen_ai.system"),
        model=string(attributes, "ai.response.model", "gen_ai.response.model", "ai.model.id"),
        response_id=string(attributes, "ai.response.id", "gen_ai.response.id"),
        input=sent,
        output=answered,
        tools=_tools(attributes),
        usage=usage_of(attributes),
        finish_reasons=(finish,) if finish else (),
    )


def _answer(attributes: Mapping[str, Any]) -> tuple[Message, ...] | None:
    """Return the assistant's message, None where none was recorded."""
    said, made, asked, thought = (
        first(attributes, _keys(name)) for name in ("text", "object", "toolCalls", "reasoning")
    )
    if said is None and made is None and asked is None:
        return None
    parts = _calls(asked)
    # The object is the reply where structured output was asked for. Calls come with an empty text.
    words = text(said) if isinstance(said, str) else compact(said) if said is not None else ""
    words = words or (made if isinstance(made, str) else "" if made is None else compact(made))
    if words or (said is not None and not asked):
        parts.insert(0, Part("text", words))
    if isinstance(thought, str) and thought:
        parts.insert(0, Part("reasoning", thought))
    return (Message("assistant", tuple(parts), finish_reason=_finish(attributes)),)


def _calls(asked: Any) -> list[Part]:
    listed, _ = encoded(asked)
    parts: list[Part] = []
    for item in listed if isinstance(listed, list) else ():
        one = decode(item)
        if isinstance(one, dict) and (name := string(one, "toolName", "name")):
            given = one.get("input", one.get("args"))
            arguments = given if isinstance(given, str) else "" if given is None else compact(given)
            parts.append(
                Part("tool_call", arguments, id=string(one, "toolCallId", "id"), name=name)
            )
    return parts


def _tool(span: Span, shared: dict[str, Any]) -> ToolExecution:
    attributes = span.attributes
    produced, given = first(attributes, _RETURNED), first(attributes, _GIVEN)
    failed = shared["error"] is not None
    value, cut = encoded(produced)
    capture = capture_of(span, _RETURNED)
    if cut:
        capture = replace(capture, broken=tuple({*capture.broken, _RETURNED[0]}))
    # A result that can't be serialised is left out, with the arguments still there.
    off = produced is None and given is None and not failed and not span.dropped
    return ToolExecution(
        **shared | {"capture": replace(capture, hidden="content_off" if off else capture.hidden)},
        tool=string(attributes, "ai.toolCall.name") or span.name,
        call_id=string(attributes, "ai.toolCall.id"),
        arguments=None if given is None else text(given),
        result=None if produced is None else unwrap_tool_result(value if cut else produced)[0],
        failed=failed,
    )


def _run(span: Span, shared: dict[str, Any]) -> AgentInvocation:
    attributes = span.attributes
    return AgentInvocation(
        **shared
        | {
            "capture": capture_of(
                span,
                ("ai.prompt", *_keys("object")),
                texts={key: attributes[key] for key in _keys("text") if key in attributes},
            )
        },
        input=request_in(attributes.get("ai.prompt")) or messages(attributes.get(_SENT)),
        output=_reply(_answer(attributes)),
    )


def _reply(answered: tuple[Message, ...] | None) -> tuple[Message, ...] | None:
    """Leave out the calls that a run lists beside its last text: they were answered long ago."""
    if answered is None:
        return None
    said = [
        Message("assistant", message.of_kind("text"), finish_reason=message.finish_reason)
        for message in answered
        if message.of_kind("text")
    ]
    return tuple(said) or answered


def _finish(attributes: Mapping[str, Any]) -> str | None:
    stated = string(attributes, *_keys("finishReason"))
    reasons = attributes.get("gen_ai.response.finish_reasons")
    if stated is None and isinstance(reasons, list) and reasons and isinstance(reasons[0], str):
        return reasons[0]
    return stated


def _tools(attributes: Mapping[str, Any]) -> tuple[str, ...] | None:
    offered = attributes.get("ai.prompt.tools")
    return None if offered is None else tool_names(offered)


def _keys(name: str) -> tuple[str, ...]:
    return tuple(f"{prefix}.{name}" for prefix in _ANSWERS)
