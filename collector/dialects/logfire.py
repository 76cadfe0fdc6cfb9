"""Pydantic Logfire's own integrations: OpenAI Agents, and the clients of OpenAI and Anthropic.

Span names are templates that nobody filled in (`Function: {name}`); what stands for them is an
attribute. Values are JSON. Tool results are scrubbed (`[Scrubbed due to 'session']`), the model's
messages in the clients' spans are not.

A streamed answer is a record of its own beside the request (`streaming response from …`), with
the request repeated in it. `pending_span` records repeat the start of a span that goes on. What
other libraries write through Logfire's exporter stays theirs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from collector.content import capture_of, decode, messages, redacted, tool_names, usage_of
from collector.dialect import AnyOperation, Shape
from collector.span import Record, Span
from collector.spelling import convention
from collector.spelling.convention import string
from collector.spelling.exchange import messages_in, usage_in
from collector.spelling.logfire_client import answer_of, request_of
from collector.spelling.message_event import told_in
from scorers.turn import AgentInvocation, Inference, Message, Part, ToolExecution, Usage

_TYPE = "logfire.span_type"
_AGENTS, _MCP = "logfire.openai_agents", "logfire.mcp"
_CLAUDE = "logfire.claude_agent_sdk"
_CLIENTS = ("logfire.openai", "logfire.anthropic")
# Up to version 4, Logfire moved the events of Google's client into an attribute.
_GOOGLE = "opentelemetry.instrumentation.google_genai"
_SCOPES = (_AGENTS, _MCP, _CLAUDE, *_CLIENTS)
# Beginnings of the templates of model calls.
_CALLS = (
    "Chat Completion with", "Chat completion with", "Completion with", "Message with",
    "Responses API", "streaming response from",
)  # fmt: skip
_TOOL_REQUEST = "MCP request: tools/call"
_CONTENT = (
    "raw_input", "events", "input", "output", "response", "request_data", "response_data",
    convention.SYSTEM, convention.INPUT, convention.OUTPUT,
)  # fmt: skip
_HELD = ("request_data", "response_data", "response", "usage")
Messages = tuple[Message, ...] | None


class Logfire:
    """Reads the spans that Logfire's integrations write themselves."""

    name = "logfire"

    def fits(self, shape: Shape) -> bool:
        """Spans of Logfire's integrations, and any that may be pending."""
        if shape.event is not None:
            return False
        return shape.scope in _SCOPES or _TYPE in shape.keys

    def claims(self, record: Record) -> bool:
        """Claim the spans of Logfire's integrations, and what its exporter sends twice."""
        if not isinstance(record, Span):
            return False
        attributes = record.attributes
        if record.scope.name in _SCOPES or attributes.get(_TYPE) == "pending_span":
            return True
        return record.scope.name == _GOOGLE and _TYPE in attributes and "events" in attributes

    def operations(self, record: Record) -> Iterable[AnyOperation]:
        """Yield the model call, tool call, agent or hand-off of a span."""
        if not isinstance(record, Span) or record.attributes.get(_TYPE) == "pending_span":
            return
        scope = record.scope.name
        if scope == _MCP:
            if record.name.startswith(_TOOL_REQUEST):
                yield self._request(record)
        elif scope == _CLAUDE:
            yield from self._claude(record)
        elif scope == _GOOGLE or record.name.startswith(_CALLS):
            if not _is_repeated(record):
                yield self._inference(record)
        elif scope == _AGENTS:
            yield from self._agents(record)

    def _agents(self, span: Span) -> Iterable[AnyOperation]:
        attributes = span.attributes
        shared = convention.who(span, self.name)
        if span.name.startswith("Function:"):
            yield self._function(span)
        elif span.name.startswith("Agent run:"):
            yield AgentInvocation(**shared | {"agent": string(attributes, "name")})
        elif span.name.startswith("Handoff:"):
            yield AgentInvocation(
                **shared | {"agent": string(attributes, "to_agent")}, kind="handoff"
            )
        elif span.name.startswith("OpenAI Agents trace:"):
            shared["conversation_id"] = string(attributes, "group_id") or shared["conversation_id"]
            shared["agent"] = string(attributes, "name")
            yield AgentInvocation(**shared, kind="workflow")

    def _function(self, span: Span) -> ToolExecution:
        attributes = span.attributes
        arguments, result = (_stated(attributes, key) for key in ("input", "output"))
        failed = convention.failed(span) or _stated(attributes, "error") is not None
        # With content off, neither is there; a tool may well return nothing.
        off = arguments is None and result is None and not failed
        capture = capture_of(
            span,
            # Hidden arguments hide nothing of the result.
            values={} if redacted(arguments) else {"input": arguments},
            texts={"output": result},
            hidden=convention.why_hidden(span, missing=off),
        )
        found = convention.tool_execution(span, self.name, arguments, result, capture)
        return replace(found, tool=string(attributes, "name") or "", failed=failed or found.failed)

    def _request(self, span: Span) -> ToolExecution:
        """Read a request to an MCP server: what the server answered is what the tool produced."""
        request = decode(span.attributes.get("request"))
        params = request.get("params") if isinstance(request, dict) else None
        params = params if isinstance(params, dict) else {}
        response = _stated(span.attributes, "response")
        capture = capture_of(
            span,
            ("request",),
            texts={"response": response},
            hidden=convention.why_hidden(
                span, missing=response is None and not convention.failed(span)
            ),
        )
        found = convention.tool_execution(
            span, self.name, params.get("arguments"), response, capture
        )
        named = string(params, "name") or span.name.removeprefix(_TOOL_REQUEST).strip()
        return replace(found, tool=named)

    def _inference(self, span: Span) -> Inference:
        held = {key: decode(span.attributes[key]) for key in _HELD if key in span.attributes}
        given, made = convention.read(span)
        if given is None and made is None:
            given, made = _exchanged(span, held)
        capture = capture_of(span, _CONTENT)
        if given is None and not capture.broken and not capture.hidden:
            capture = replace(capture, hidden=convention.why_hidden(span, missing=True))
        call = convention.inference(span, self.name, given, made, capture)
        request = held.get("request_data")
        return replace(
            call,
            model=call.model or (string(request, "model") if isinstance(request, dict) else None),
            usage=call.usage if call.usage != Usage() else _usage(held),
            tools=call.tools if call.tools is not None else _tools(held),
            start_ns=_began(span),
        )

    def _claude(self, span: Span) -> Iterable[AnyOperation]:
        """Read the Claude Agent SDK's spans, which follow the conventions.

        Its calls are made by another process; what Logfire writes as their input, it put together
        from what the tools returned. So nothing in it shows what the model was sent of a result.
        """
        operation = convention.operation_of(span)
        if operation == convention.TOOL:
            arguments = span.attributes.get(convention.ARGUMENTS)
            result = span.attributes.get(convention.RESULT)
            capture = capture_of(span, (convention.ARGUMENTS,), texts={convention.RESULT: result})
            yield convention.tool_execution(span, self.name, arguments, result, capture)
        elif operation == convention.AGENT:
            given, made = convention.read(span)
            yield AgentInvocation(**convention.who(span, self.name), input=given, output=made)
        elif operation in convention.CALLS:
            given, made = convention.read(span)
            capture = capture_of(
                span, (convention.SYSTEM, convention.INPUT, convention.OUTPUT), hidden="rebuilt"
            )
            given = _rebuilt(given)
            yield convention.inference(span, self.name, given, made, capture)


def _is_repeated(span: Span) -> bool:
    """Say whether this is the request of a streamed answer, which the answer's record repeats."""
    attributes = span.attributes
    if span.scope.name not in _CLIENTS or attributes.get(_TYPE) == "log" or span.status == 2:
        return False
    # Answers to Responses requests were not recorded in streams before requests were.
    if span.dropped or "request_data" not in attributes:
        return False
    answered = ("response_data", convention.OUTPUT, "gen_ai.response.id")
    request = decode(attributes["request_data"])
    if isinstance(request, dict) and "messages" in request and request.get("stream") is not True:
        return False
    return not any(key in attributes for key in answered)


def _began(span: Span) -> int:
    """Return when the call began: the record of a streamed answer is made at its end."""
    duration = span.attributes.get("duration")
    if span.attributes.get(_TYPE) != "log" or not isinstance(duration, int | float):
        return span.start_ns
    if not 0 < duration < 86_400:
        return span.start_ns
    return max(0, span.start_ns - int(duration * 1e9))


def _exchanged(span: Span, held: dict[str, Any]) -> tuple[Messages, Messages]:
    """Return what went in and came out, in whichever of Logfire's spellings it is written."""
    attributes = span.attributes
    if span.scope.name == _AGENTS and "request_data" in attributes:  # chat completions
        return messages(_stated(attributes, "input")), messages(
            _stated(attributes, "output"), role="assistant"
        )
    response = held.get("response")
    made = messages_in(response, "assistant") if isinstance(response, dict) else None
    given = messages(_stated(attributes, "raw_input"))
    if given is not None:
        system = response.get("instructions") if isinstance(response, dict) else None
        if isinstance(system, str) and system:
            given = (Message("system", (Part("text", system),)), *given)
    elif "events" in attributes:
        given, answered = _told(attributes["events"], answered=span.status != 2)
        made = made or answered
    else:
        given = request_of(held.get("request_data"))
    return given, made or answer_of(held.get("response_data"), span.scope.name)


def _told(events: Any, *, answered: bool) -> tuple[Messages, Messages]:
    """Part a list of events into what went in and what came out.

    Of the Responses API, the answer's events look like those of earlier answers: they are the last.
    """
    given, made, _ = told_in(events)
    if made or not given or not answered:
        return given, made
    last = len(given)
    while last and given[last - 1].role == "assistant":
        last -= 1
    return given[:last] or None, given[last:] or None


def _rebuilt(given: Messages) -> Messages:
    if given is None:
        return None
    return tuple(
        replace(
            message,
            parts=tuple(
                Part(part.kind, "", part.id, part.name, cut_by_capture=True)
                if part.kind == "tool_result"
                else part
                for part in message.parts
            ),
        )
        for message in given
    )


def _stated(attributes: Any, key: str) -> Any:
    """Return an attribute's value, None where Logfire wrote that there is none."""
    value = attributes.get(key)
    return None if value == "null" else value


def _usage(held: dict[str, Any]) -> Usage:
    for key in ("usage", "response", "response_data"):
        stated = held.get(key)
        if isinstance(stated, dict):
            found = usage_of(stated) if key == "usage" else usage_in(stated)
            if found != Usage():
                return found
    return Usage()


def _tools(held: dict[str, Any]) -> tuple[str, ...] | None:
    for key in ("response", "request_data"):
        stated = held.get(key)
        if isinstance(stated, dict) and isinstance(stated.get("tools"), list):
            return tool_names(stated["tools"])
    return None
