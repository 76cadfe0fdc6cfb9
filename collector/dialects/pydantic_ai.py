"""Pydantic AI, instrumentation versions 1 to 6, with or without Logfire.

Agent span `agent run` or `invoke_agent …` (`all_messages_events`, `pydantic_ai.all_messages`,
`final_result`), model span `chat …` (`events` in version 1, the GenAI conventions after it), tool
span `running tool` or `execute_tool …` (`tool_arguments` and `tool_response` up to version 2).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from collector.content import capture_of, decode, messages, redacted, text, tool_names
from collector.dialect import AnyOperation, Shape, shape_of
from collector.span import Record, Span
from collector.spelling import convention, output_tool
from collector.spelling.convention import string
from collector.spelling.message_event import calls_only, is_empty, told_in
from scorers.turn import AgentInvocation, Inference, Message, Part, ToolExecution

_SCOPE = "pydantic-ai"
_RUN_KEYS = ("pydantic_ai.all_messages", "all_messages_events")
_RUN_NAMES = ("agent run", "invoke_agent")
_DEFERRED = ("calls", "approvals", "metadata", "context")
Messages = tuple[Message, ...] | None


@dataclass(frozen=True, slots=True)
class PydanticAI:
    """Spans of Pydantic AI."""

    name: str = "pydantic_ai"

    def fits(self, shape: Shape) -> bool:
        """Spans of Pydantic AI's tracer."""
        return shape.event is None and shape.scope == _SCOPE

    def claims(self, record: Record) -> bool:
        """Claim the spans of Pydantic AI's tracer; its log events are older GenAI events."""
        return self.fits(shape_of(record))

    def operations(self, record: Record) -> Iterable[AnyOperation]:
        """Yield the model call, tool call or agent run of a span."""
        if not isinstance(record, Span):
            return
        attributes = record.attributes
        # Logfire sends a copy of each span when it starts, without its content.
        if attributes.get("logfire.span_type") == "pending_span":
            return
        if _is_run(record):
            yield self._agent(record)
        elif "gen_ai.tool.name" in attributes:
            yield self._tool(record)
        elif convention.operation_of(record) in convention.CALLS:
            yield self._inference(record)

    def _inference(self, span: Span) -> Inference:
        given, made = convention.read(span)
        keys: tuple[str, ...] = (convention.SYSTEM, convention.INPUT, convention.OUTPUT)
        off = False
        if given is None and made is None and "events" in span.attributes:
            keys = ("events",)
            given, made, off = told_in(span.attributes["events"])
        off = off or is_empty((*(given or ()), *(made or ())))
        if off:
            given, made = calls_only(given), calls_only(made)
        elif given is not None:
            parameters = span.attributes.get("model_request_parameters")
            given = output_tool.answered(given, output_tool.offered(parameters))
        hidden = "content_off" if off else convention.why_hidden(span, missing=given is None)
        capture = capture_of(span, keys, hidden=hidden)
        call = convention.inference(span, self.name, given, made, capture)
        return call if call.tools is not None else replace(call, tools=_tools(span))

    def _tool(self, span: Span) -> ToolExecution:
        attributes = span.attributes
        arguments = attributes.get(convention.ARGUMENTS, attributes.get("tool_arguments"))
        result = attributes.get(convention.RESULT, attributes.get("tool_response"))
        # The first versions recorded arguments and no result.
        missing = result is None and arguments is None and not convention.failed(span)
        capture = capture_of(
            span,
            # Hidden arguments hide nothing of the result.
            values={} if redacted(arguments) else {"arguments": arguments},
            texts={"result": result},
            hidden=convention.why_hidden(span, missing=missing),
        )
        return convention.tool_execution(span, self.name, arguments, result, capture)

    def _agent(self, span: Span) -> AgentInvocation:
        attributes = span.attributes
        if _RUN_KEYS[0] in attributes:
            everything = messages(attributes[_RUN_KEYS[0]])
            system = messages(attributes.get(convention.SYSTEM), role="system")
            everything = (*(system or ()), *everything) if everything is not None else None
        else:
            given, made, _ = told_in(attributes.get(_RUN_KEYS[1]))
            everything = (*(given or ()), *(made or ())) or None
        off = is_empty(everything or ())
        if everything is not None:
            everything = (
                calls_only(everything)
                if off
                else output_tool.answered(everything, output_tool.DEFAULT)
            )
        final = attributes.get("final_result")
        made = _reply(everything)
        # run_stream leaves no final result; then the last message is the reply.
        if _waits(final):
            made = None
        elif final is not None and not redacted(final):
            made = (Message("assistant", (Part("text", text(final)),)),)
        return AgentInvocation(
            **convention.who(span, self.name),
            input=_request(everything),
            output=made,
            capture=capture_of(span, _RUN_KEYS, hidden="content_off" if off else None),
        )


def _tools(span: Span) -> tuple[str, ...] | None:
    parameters = decode(span.attributes.get("model_request_parameters"))
    return tool_names(parameters.get("function_tools")) if isinstance(parameters, dict) else None


def _waits(final: Any) -> bool:
    """Say whether a run ended because tools wait for approval, or run elsewhere: no reply yet."""
    stated = decode(final)
    keys = stated.keys() if isinstance(stated, dict) else ()
    return "calls" in keys and "approvals" in keys and all(key in _DEFERRED for key in keys)


def _is_run(span: Span) -> bool:
    attributes = span.attributes
    if string(attributes, "gen_ai.operation.name") == convention.AGENT:
        return True
    return span.name in _RUN_NAMES or any(key in attributes for key in (*_RUN_KEYS, "final_result"))


def _request(everything: Messages) -> Messages:
    """Return the messages up to the last thing the requester said: what the run was asked."""
    for at in range(len(everything or ()), 0, -1):
        if everything and everything[at - 1].role == "user":
            return everything[:at]
    return None


def _reply(everything: Messages) -> Messages:
    if (
        everything
        and everything[-1].role == "assistant"
        and not everything[-1].of_kind("tool_call")
    ):
        return everything[-1:]
    return None
