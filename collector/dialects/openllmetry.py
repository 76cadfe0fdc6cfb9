"""OpenLLMetry, the instrumentations of Traceloop: old indexed keys, and new GenAI messages.

Up to about 0.5x the messages are flattened under `gen_ai.prompt.{i}` and `gen_ai.completion.{i}`;
newer ones write the GenAI conventions' JSON. The SDK's decorators (workflow, agent, task, tool)
and the framework instrumentations wrap them in spans with `traceloop.*` attributes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from collector.content import (
    capture_of,
    decode,
    messages,
    reports_failure,
    salvage_tool_result,
    why_missing,
)
from collector.dialect import AnyOperation, Shape, shape_of
from collector.span import Record, Span
from collector.spelling.convention import failed, first, inference, string, who
from collector.spelling.crew import crew_request
from collector.spelling.envelope import arguments_in, encoded, reply_in, request_in
from collector.spelling.flat_messages import openllmetry, read
from collector.spelling.flattened import entries, has_gap
from collector.spelling.graph import is_class
from collector.spelling.observation import observed, unnamed
from collector.spelling.pairing import called_as_answered
from collector.spelling.tool_output import result_in, tool_of
from scorers.turn import AgentInvocation, Inference, Message, ToolExecution

# The oldest and the newest keys of each form: an SDK over its limit drops one end of them.
_MARKS = (
    "traceloop.span.kind", "traceloop.workflow.name", "traceloop.entity.name",
    "traceloop.entity.path", "crewai.crew.tasks",
    "gen_ai.prompt.0.role", "gen_ai.prompt.0.content", "gen_ai.completion.0.role",
    "gen_ai.completion.0.content", "gen_ai.completion.0.finish_reason",
)  # fmt: skip
# Their own scopes; others are named like those of the OpenTelemetry project's instrumentations.
_AGENTS_SDK = "opentelemetry.instrumentation.openai_agents"
_SCOPES = ("opentelemetry.instrumentation.openai.v", "traceloop.", _AGENTS_SDK)
_INSTRUMENTATIONS = "opentelemetry.instrumentation."
_FRAMEWORKS = (".langchain", ".llamaindex")
_ENDING = ".workflow"
_ASSOCIATION = "traceloop.association.properties."
_SESSION = ("session_id", "thread_id", "conversation_id", "chat_id", "sessionId")
_CALLS = ("chat", "completion", "text_completion", "generate_content", "responses")
_PROMPT, _COMPLETION = "gen_ai.prompt", "gen_ai.completion"
_SYSTEM, _INPUT, _OUTPUT = (
    "gen_ai.system_instructions",
    "gen_ai.input.messages",
    "gen_ai.output.messages",
)
_RETURNED, _RESULT = "traceloop.entity.output", "gen_ai.tool.call.result"
_GIVEN = ("traceloop.entity.input", "gen_ai.tool.call.arguments")


class OpenLLMetry:
    """Reads spans of Traceloop's instrumentations and of its SDK's decorators."""

    name = "openllmetry"

    def fits(self, shape: Shape) -> bool:
        """Spans with one of the dialect's keys, and those of its SDK."""
        if shape.event is not None:
            return False
        if any(key in shape.keys for key in _MARKS) or shape.scope.startswith(_SCOPES):
            return True
        # Gateways write this key of theirs as well.
        return "llm.request.type" in shape.keys and shape.scope.startswith(_INSTRUMENTATIONS)

    def claims(self, record: Record) -> bool:
        """Say whether the span has one of the dialect's keys, or comes from its SDK."""
        return self.fits(shape_of(record))

    def operations(self, record: Record) -> Iterable[AnyOperation]:
        """Yield the operation of a model call, and of a tool, agent, workflow or handoff span."""
        if not isinstance(record, Span):
            return
        kind = _kind(record)
        shared = _who(record, self.name)
        if kind == "call":
            yield _inference(record, shared)
        elif kind == "tool":
            yield _tool(record, shared)
        elif kind == "handoff":
            yield AgentInvocation(**shared | {"agent": _target(record)}, kind="handoff")
        elif kind in ("agent", "workflow"):
            yield _agent(record, shared, workflow=kind == "workflow")


def _kind(span: Span) -> str:
    attributes = span.attributes
    stated = string(attributes, "traceloop.span.kind")
    if stated == "task" and span.name.startswith("FunctionTool."):
        return "tool"  # LlamaIndex's
    if "crewai.crew.tasks" in attributes:
        return "workflow"
    operation = string(attributes, "gen_ai.operation.name")
    if stated == "handoff" or span.name.endswith(".handoff"):
        return "handoff"
    if stated == "tool" or operation == "execute_tool":
        return "tool"
    if stated in ("agent", "workflow"):
        return stated
    if operation == "invoke_agent":
        return "agent"
    if operation in _CALLS or string(attributes, "llm.request.type") in _CALLS:
        return "call"
    if operation or stated:
        return ""
    listed = any(key.startswith((f"{_PROMPT}.", f"{_COMPLETION}.")) for key in attributes)
    return "call" if listed or _INPUT in attributes or _OUTPUT in attributes else ""


def _who(span: Span, dialect: str) -> dict[str, Any]:
    attributes = span.attributes
    shared = who(span, dialect)
    shared["conversation_id"] = shared["conversation_id"] or string(
        attributes, *(f"{_ASSOCIATION}{key}" for key in _SESSION)
    )
    shared["agent_version"] = shared["agent_version"] or _version(attributes)
    named = [f"{_ASSOCIATION}lc_agent_name", "traceloop.workflow.name"]
    if string(attributes, "traceloop.span.kind") in ("agent", "workflow"):
        named.insert(0, "traceloop.entity.name")
    shared["agent"] = shared["agent"] or string(attributes, *named, "crewai.agent.role")
    agent = shared["agent"]
    if agent and span.scope.name.endswith(_FRAMEWORKS) and is_class(agent.removesuffix(_ENDING)):
        shared["agent"] = None
    return shared


def _version(attributes: Mapping[str, Any]) -> str | None:
    """Return the decorated entity's version (a number), or the one among the properties."""
    stated = attributes.get("traceloop.entity.version")
    if isinstance(stated, int | float) and not isinstance(stated, bool):
        return str(stated)
    return string(attributes, "traceloop.entity.version", f"{_ASSOCIATION}agent_version")


def _inference(span: Span, shared: dict[str, Any]) -> Inference:
    attributes = span.attributes
    incoming, outgoing = entries(attributes, _PROMPT), entries(attributes, _COMPLETION)
    given = read(incoming, openllmetry, dropped=span.dropped)
    made = read(outgoing, openllmetry, dropped=span.dropped)
    if span.scope.name.endswith(".haystack") and made and made[0].text == "replies":
        made = None  # it writes the key of the component's output for the output
    if given is None:
        given = _given(attributes)
    if given is not None:
        given = observed(given)
        if span.scope.name.endswith(".langchain"):
            given = unnamed(given)
        if span.scope.name == _AGENTS_SDK:
            given = called_as_answered(given)
    if made is None:
        made = messages(attributes.get(_OUTPUT), role="assistant")
    elif any(message.role == "unknown" for message in made):
        # Streamed completions leave their role out.
        made = tuple(
            replace(message, role="assistant") if message.role == "unknown" else message
            for message in made
        )
    capture = capture_of(
        span,
        (_SYSTEM, _INPUT, _OUTPUT),
        # The newest first: they are what a turn is about.
        texts={
            f"{prefix}.{index}.{key}": value
            for prefix, items in ((_COMPLETION, outgoing), (_PROMPT, incoming))
            for index, one in reversed(items)
            for key, value in one.items()
            if key.endswith(("content", "arguments"))
        },
        hidden=why_missing(attributes, _INPUT) if given is None and not span.dropped else None,
    )
    lost = [
        name for name, items in ((_PROMPT, incoming), (_COMPLETION, outgoing)) if has_gap(items)
    ]
    found = inference(
        span,
        shared["dialect"],
        given,
        made,
        replace(capture, broken=(*capture.broken, *lost)),
    )
    return replace(
        found,
        agent=shared["agent"],
        agent_version=shared["agent_version"],
        conversation_id=shared["conversation_id"],
        tools=found.tools or _offered(attributes),
    )


def _given(attributes: Mapping[str, Any]) -> tuple[Message, ...] | None:
    given = messages(attributes.get(_INPUT))
    system = messages(attributes.get(_SYSTEM), role="system")
    return (*system, *given) if given is not None and system else given


def _offered(attributes: Mapping[str, Any]) -> tuple[str, ...] | None:
    listed = entries(attributes, "llm.request.functions")
    names = tuple(name for _, fields in listed if (name := string(fields, "name")))
    return names if listed else None


def _tool(span: Span, shared: dict[str, Any]) -> ToolExecution:
    attributes = span.attributes
    returned, given = attributes.get(_RETURNED), first(attributes, _GIVEN)
    # A result is not encoded again: JSON that ends early was made so by the tool.
    salvaged, cut = encoded(returned) if returned is not None else (None, False)
    produced = salvaged if cut else first(attributes, (_RETURNED, _RESULT))
    produced = _output(span, produced)
    result, inner_id = (None, None) if produced is None else result_in(produced)
    if (kept := salvage_tool_result(produced)) is not None:
        result, cut = kept, True
    arguments = decode(given)
    if isinstance(arguments, dict) and isinstance(arguments.get("kwargs"), dict):
        # LangChain's callback: {"input_str": …, "inputs": …, "kwargs": {"tool_call_id": …}}.
        inner_id = inner_id or string(arguments["kwargs"], "tool_call_id")
    unsuccessful = failed(span) or reports_failure(produced)
    off = produced is None and given is None and not unsuccessful and not span.dropped
    capture = capture_of(
        span,
        (_RETURNED,),
        texts={} if returned is not None else {_RESULT: produced},
        hidden="content_off" if off else None,
    )
    return ToolExecution(
        **shared | {"capture": replace(capture, broken=(_RETURNED,)) if cut else capture},
        tool=string(attributes, "gen_ai.tool.name")
        or tool_of(produced)
        or string(attributes, "traceloop.entity.name")
        or span.name,
        call_id=string(attributes, "gen_ai.tool.call.id") or inner_id,
        arguments=arguments_in(given),
        result=result,
        failed=unsuccessful,
    )


def _output(span: Span, produced: Any) -> Any:
    """Return what LangChain's callback was given, out of its {"output": …, "kwargs": …}."""
    value = decode(produced)
    if not isinstance(value, dict) or "output" not in value:
        return produced
    wrapped = set(value) == {"output", "kwargs"}
    return value["output"] if wrapped or "langchain" in span.scope.name else produced


def _target(span: Span) -> str | None:
    stated = string(span.attributes, "gen_ai.handoff.to_agent", "gen_ai.agent.name")
    named = span.name.removesuffix(".handoff").rpartition(" → ")
    return string(span.attributes, "gen_ai.handoff.to_agent") or named[2] or stated


def _agent(span: Span, shared: dict[str, Any], *, workflow: bool) -> AgentInvocation:
    attributes = span.attributes
    keys = ("traceloop.entity.input", "traceloop.entity.output")
    return AgentInvocation(
        **shared | {"capture": capture_of(span, (*keys, _INPUT, _OUTPUT))},
        kind="workflow" if workflow else "agent",
        input=crew_request(span)
        or request_in(attributes.get(keys[0]))
        or messages(attributes.get(_INPUT)),
        output=reply_in(attributes.get(keys[1], attributes.get("crewai.crew.result")))
        or messages(attributes.get(_OUTPUT), role="assistant"),
    )
