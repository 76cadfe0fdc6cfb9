"""Google ADK's own telemetry (`gcp.vertex.agent.*`): versions 1.x, and schema 1 of 2.x.

`call_llm` holds the whole request and answer of a model call as JSON, `execute_tool` the arguments
and the response of a tool. Schema 2 follows the GenAI conventions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from collector.content import capture_of, decode, messages, tool_names, why_missing
from collector.dialect import AnyOperation, Shape, shape_of
from collector.span import Record, Span
from collector.spelling.convention import inference, string, tool_execution, who
from collector.spelling.envelope import encoded
from scorers.turn import AgentInvocation, Inference, Message, Usage

_SCOPE = "gcp.vertex.agent"
_REQUEST, _ANSWER = "gcp.vertex.agent.llm_request", "gcp.vertex.agent.llm_response"
_ARGUMENTS, _RESPONSE = "gcp.vertex.agent.tool_call_args", "gcp.vertex.agent.tool_response"
_TOOL = "gen_ai.tool.name"
# Up to 1.2 the arguments have a span of their own, the response another, and those of parallel
# calls one more.
_FIRST_TOOLS = ("tool_call [", "tool_response")
_RESPONDED = re.compile(r"tool_response \[([^\]]{1,200})\]")
# What the conventions' own content is called: where it is recorded, it is read instead.
_CONVENTIONS = ("gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.tool.call.result")
_AGENT = re.compile(r"agent_run \[([^\]]{1,200})\]")
# A span that repeats the responses of calls made in parallel.
_MERGED = "(merged tools)"


class GoogleADK:
    """Reads the spans of ADK's tracer that do not follow the GenAI conventions."""

    name = "google_adk"

    def fits(self, shape: Shape) -> bool:
        """Spans of ADK's tracer, and those that have its content, without the conventions'."""
        if shape.event is not None or any(key in shape.keys for key in _CONVENTIONS):
            return False
        if _REQUEST in shape.keys or _RESPONSE in shape.keys:
            return True
        return shape.scope == _SCOPE and "gen_ai.operation.name" not in shape.keys

    def claims(self, record: Record) -> bool:
        """Say whether the span has ADK's own content, or is one of its runs without attributes."""
        return self.fits(shape_of(record))

    def operations(self, record: Record) -> Iterable[AnyOperation]:
        """Yield the operation of a model call, a tool call, an agent or an invocation."""
        if not isinstance(record, Span):
            return
        attributes = record.attributes
        if record.name.startswith(_FIRST_TOOLS):
            if match := _RESPONDED.match(record.name):
                yield self._responded(record, match[1])
            return
        # Tool spans carry an empty request too.
        if _RESPONSE in attributes or _ARGUMENTS in attributes or _TOOL in attributes:
            if string(attributes, _TOOL) != _MERGED:
                yield self._tool(record)
        elif _REQUEST in attributes or record.name == "call_llm":
            yield self._inference(record)
        elif match := _AGENT.match(record.name):
            yield AgentInvocation(**who(record, self.name) | {"agent": match[1]})
        elif record.name == "invocation":
            yield AgentInvocation(**who(record, self.name), kind="workflow")

    def _inference(self, span: Span) -> Inference:
        attributes = span.attributes
        given, tools = _delivered(attributes.get(_REQUEST))
        hidden = None if given is not None or span.dropped else why_missing(attributes, _REQUEST)
        capture = capture_of(span, (_REQUEST, _ANSWER), hidden=hidden)
        answer = decode(_content(attributes.get(_ANSWER)))
        found = inference(span, self.name, given, _made(answer), capture)
        found = replace(found, usage=_usage(answer, found.usage))
        return found if tools is None else replace(found, tools=tools)

    def _responded(self, span: Span, tool: str) -> AnyOperation:
        told = _made(decode(span.attributes.get(_RESPONSE))) or ()
        found = next((part for message in told for part in message.of_kind("tool_result")), None)
        hidden = None if found or span.dropped else why_missing(span.attributes, _RESPONSE)
        capture = capture_of(span, (_RESPONSE,), hidden=hidden)
        executed = tool_execution(span, self.name, None, found.text if found else None, capture)
        return replace(executed, tool=tool, call_id=found.id if found else None)

    def _tool(self, span: Span) -> AnyOperation:
        attributes = span.attributes
        arguments, response = (_content(attributes.get(key)) for key in (_ARGUMENTS, _RESPONSE))
        hidden = "content_off" if response is None and not span.dropped else None
        capture = capture_of(span, (_RESPONSE,), hidden=hidden)
        return tool_execution(span, self.name, arguments, response, capture)


def _content(value: Any) -> Any:
    """Return a value, None where ADK wrote a mark in its place."""
    return None if value in ("{}", "<not serializable>", "N/A", "<elided>", "") else value


def _delivered(value: Any) -> tuple[tuple[Message, ...] | None, tuple[str, ...] | None]:
    """Return the messages of a request, system prompt first, and the names of its tools."""
    value = _content(value)
    # Of a request that an attribute limit cut, what stands before the cut.
    request, cut = encoded(value)
    if not isinstance(request, dict):
        return messages(value) or None, None
    config = request.get("config")
    config = config if isinstance(config, dict) else {}
    contents = request.get("contents")
    if not isinstance(contents, list | tuple) or not contents:
        return None, None
    declared = [
        function
        for tool in _list(config.get("tools"))
        if isinstance(tool, dict) and isinstance(tool.get("function_declarations"), list)
        for function in tool["function_declarations"]
    ]
    given = messages({"system": config.get("system_instruction"), "contents": contents})
    if given and cut:
        *whole, last = given
        halves = tuple(replace(part, cut_by_capture=True) for part in last.parts)
        given = (*whole, replace(last, parts=halves))
    return given or None, tool_names(declared) if declared else None


def _usage(answer: Any, stated: Usage) -> Usage:
    """Return the tokens of a call. The first versions state them in the answer only, and later
    ones, up to 1.5, wrote the total for those of the output."""
    counts = answer.get("usage_metadata") if isinstance(answer, dict) else None
    if not isinstance(counts, dict):
        return stated
    total = counts.get("total_token_count")
    if stated.output_tokens not in (None, total):
        return stated
    given, made = (_count(counts.get(f"{of}_token_count")) for of in ("prompt", "candidates"))
    if stated.output_tokens is not None and (made is None or made == total):
        return stated
    return replace(stated, input_tokens=stated.input_tokens or given, output_tokens=made)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _made(answer: Any) -> tuple[Message, ...] | None:
    content = answer.get("content") if isinstance(answer, dict) else None
    return messages([content], role="assistant") or None if isinstance(content, dict) else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
