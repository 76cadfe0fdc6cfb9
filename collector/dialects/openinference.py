"""OpenInference: the dialect of Arize Phoenix's instrumentations (`openinference.span.kind`).

Attributes are those of the OpenInference semantic conventions: messages are flattened under
`llm.input_messages.{i}` and `llm.output_messages.{i}`, raw requests and answers stand in
`input.value` and `output.value`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from collector.content import (
    capture_of,
    decode,
    redacted,
    replaced,
    reports_failure,
    salvage_tool_result,
    tool_names,
    usage_of,
    why_missing,
)
from collector.dialect import AnyOperation, Shape, origin, shape_of
from collector.span import Record, Span
from collector.spelling.convention import first, string
from collector.spelling.crew import crew_member, crew_request
from collector.spelling.envelope import arguments_in, reply_in, request_in
from collector.spelling.exchange import response_id, usage_in
from collector.spelling.flat_messages import Items
from collector.spelling.flattened import entries, has_gap
from collector.spelling.graph import graph_name, is_node, is_outermost, workflow_member
from collector.spelling.interleaving import interleaved
from collector.spelling.listed import answered, conversation, delivered, listed_in
from collector.spelling.pairing import answered_together
from collector.spelling.tool_output import result_in
from scorers.turn import AgentInvocation, Capture, Inference, Message, ToolExecution, Usage

_INPUT, _OUTPUT = "llm.input_messages", "llm.output_messages"
_SESSION = ("session_id", "thread_id", "conversation_id")
_CALL_ID = ("tool_call.id", "tool.id", "tool.call_id", "gen_ai.tool.call.id")
# The second and third are those of the conventions that its processors read.
_RESULT = ("output.value", "gen_ai.tool.call.result", "tool_response")
_ARGUMENTS = ("input.value", "gen_ai.tool.call.arguments", "tool_arguments")
_STRANDS = "strands.telemetry.tracer"
# What wrappers add to the name of the agent that they run.
_RUN = (".run", "._execute_core", ".kickoff", ".invoke", ".__call__")


class OpenInference:
    """Reads spans of OpenInference instrumentations, and spans that follow its conventions."""

    name = "openinference"

    def fits(self, shape: Shape) -> bool:
        """Spans that have a kind, or come from its libraries."""
        # An SDK over its attribute limit may have dropped the kind.
        return shape.event is None and (
            "openinference.span.kind" in shape.keys
            or shape.scope.startswith("openinference.instrumentation")
        )

    def claims(self, record: Record) -> bool:
        """Say whether the span states its OpenInference kind, or comes from its libraries."""
        return self.fits(shape_of(record))

    def operations(self, record: Record) -> Iterable[AnyOperation]:
        """Yield the operation of a model, tool or agent span, and of the outermost chain."""
        if not isinstance(record, Span):
            return
        kind = _kind(record)
        shared = origin(record, self.name) | _who(record)
        if kind == "LLM":
            if not _is_wrapper(record):
                yield _inference(record, shared)
        elif kind == "TOOL":
            yield _handoff(record, shared) if _is_handoff(record) else _tool(record, shared)
        elif member := workflow_member(record):
            yield AgentInvocation(**shared | {"agent": member})
        elif (kind == "AGENT" and not is_node(record)) or (
            kind == "CHAIN" and is_outermost(record)
        ):
            yield _agent(record, shared, workflow=kind == "CHAIN" or _is_trace(record))


def _kind(span: Span) -> str:
    kind = span.attributes.get("openinference.span.kind")
    if isinstance(kind, str):
        return kind.upper()
    if any(key.startswith(("llm.", "tool.")) for key in span.attributes):
        return "LLM" if "tool.name" not in span.attributes else "TOOL"
    return ""


def _who(span: Span) -> dict[str, Any]:
    attributes = span.attributes
    stated = decode(attributes.get("metadata"))
    metadata = stated if isinstance(stated, dict) else {}
    agent = string(attributes, "agent.name", "gen_ai.agent.name")
    if _kind(span) == "AGENT":
        # Of other spans it names the node, not the agent.
        agent = agent or string(attributes, "agent_name", "graph.node.name", "graph.node.id")
    return {
        "agent": agent or string(metadata, "lc_agent_name"),
        "agent_version": string(metadata, "agent_version") or string(attributes, "agent.version"),
        "conversation_id": string(attributes, "session.id", "gen_ai.conversation.id")
        or string(metadata, *_SESSION),
    }


def _is_wrapper(span: Span) -> bool:
    """Say whether this is a step before or around LlamaIndex's model call, of kind LLM as well."""
    if not span.scope.name.endswith(".llama_index") or span.dropped:
        return False
    recorded = ("llm.prompts", f"{_INPUT}.0.message.role", f"{_OUTPUT}.0.message.role")
    return not any(key in span.attributes for key in recorded)


def _inference(span: Span, shared: dict[str, Any]) -> Inference:
    attributes = span.attributes
    incoming, outgoing = entries(attributes, _INPUT), entries(attributes, _OUTPUT)
    given = delivered(span, incoming)
    made = answered(span, outgoing)
    if made and span.scope.name == _STRANDS:
        # Its processor files the assistant's earlier messages under the output.
        answer = () if span.status == 2 else made[-1:]
        earlier = made[: len(made) - len(answer)]
        given = answered_together(interleaved(given or (), earlier)) or None
        made = answer or None
    finish = string(attributes, "llm.finish_reason")
    return Inference(
        **shared | {"capture": _captured(span, incoming, outgoing, given)},
        provider=string(attributes, "llm.provider", "llm.system"),
        model=string(
            attributes, "llm.response.model_name", "llm.model_name", "llm.request.model_name"
        ),
        response_id=response_id(attributes.get("output.value")),
        input=given,
        output=made,
        tools=_tools(attributes),
        usage=_usage(attributes),
        finish_reasons=(finish,) if finish else (),
    )


def _usage(attributes: Mapping[str, Any]) -> Usage:
    stated = usage_of(attributes)
    return usage_in(attributes.get("output.value")) if stated == Usage() else stated


def _tool(span: Span, shared: dict[str, Any]) -> ToolExecution:
    attributes = span.attributes
    produced = first(attributes, _RESULT)
    result, inner_id = (None, None)
    if produced is not None and not replaced(produced):
        result, inner_id = result_in(produced)
    arguments = arguments_in(first(attributes, _ARGUMENTS))
    stated = decode(attributes.get("tool.parameters"))
    if arguments is None and isinstance(stated, dict) and not _is_schema(stated):
        arguments = arguments_in(stated)
    # Hidden arguments hide nothing of the result.
    capture = _captured_values(span, "output")
    if (kept := salvage_tool_result(produced)) is not None:
        result, capture = kept, replace(capture, broken=("output.value",))
    if produced is None and arguments is None and not span.dropped and span.status != 2:
        capture = replace(capture, hidden=capture.hidden or "content_off")
    return ToolExecution(
        **shared | {"capture": capture},
        tool=string(attributes, "tool.name") or _name(span),
        call_id=string(attributes, *_CALL_ID) or inner_id,
        arguments=arguments,
        result=result,
        failed=span.status == 2 or reports_failure(produced),
    )


def _is_schema(parameters: dict[str, Any]) -> bool:
    """Say whether `tool.parameters` holds the tool's schema: libraries write both into it."""
    return "properties" in parameters or any(
        isinstance(item, dict) and "type" in item for item in parameters.values()
    )


def _is_handoff(span: Span) -> bool:
    return span.name.startswith("handoff to ") and "tool.name" not in span.attributes


def _handoff(span: Span, shared: dict[str, Any]) -> AgentInvocation:
    target = string(span.attributes, "output.value") or span.name.removeprefix("handoff to ")
    return AgentInvocation(**shared | {"agent": target}, kind="handoff")


def _is_trace(span: Span) -> bool:
    """Say whether this is the openai-agents trace around all agents, which is of kind AGENT too."""
    return (
        span.parent_id is None
        and span.scope.name == "openinference.instrumentation.openai_agents"
        and "agent.name" not in span.attributes
    )


def _agent(span: Span, shared: dict[str, Any], *, workflow: bool) -> AgentInvocation:
    attributes = span.attributes
    said = listed_in(span, entries(attributes, _INPUT))
    if not workflow and shared["agent"] is None:
        shared["agent"] = crew_member(span) or _name(span)
    elif shared["agent"] is None:
        shared["agent"] = graph_name(span)
    answered = listed_in(span, entries(attributes, _OUTPUT))
    return AgentInvocation(
        **shared | {"capture": _captured_values(span, "input", "output")},
        kind="workflow" if workflow else "agent",
        input=crew_request(span)
        or conversation(span)
        or request_in(attributes.get("input.value"))
        or _spoken(said),
        output=reply_in(attributes.get("output.value")) or _spoken(answered),
    )


def _name(span: Span) -> str:
    """Return the name of an agent or tool, out of that of the span around its run."""
    name = span.name.removeprefix("invoke_agent ")
    return next((name[: -len(end)] for end in _RUN if name.endswith(end)), name)


def _spoken(said: tuple[Message, ...] | None) -> tuple[Message, ...] | None:
    return said if said and any(message.parts for message in said) else None


def _captured_values(span: Span, *sides: str) -> Capture:
    attributes = span.attributes
    recorded = [side for side in sides if f"{side}.value" in attributes]
    encoded = [
        side for side in recorded if attributes.get(f"{side}.mime_type") == "application/json"
    ]
    return capture_of(
        span,
        [f"{side}.value" for side in encoded],
        texts={
            f"{side}.value": attributes[f"{side}.value"] for side in recorded if side not in encoded
        },
    )


def _captured(
    span: Span, incoming: Items, outgoing: Items, delivered: tuple[Message, ...] | None
) -> Capture:
    attributes = span.attributes
    texts = {
        f"{prefix}.{index}.{key}": value
        # The newest first: they are what a turn is about.
        for prefix, items in ((_OUTPUT, outgoing), (_INPUT, incoming))
        for index, fields in reversed(items)
        for key, value in fields.items()
        if key.endswith((".content", ".text", ".arguments"))
    }
    hidden = None
    if (delivered is None and not span.dropped) or redacted(attributes.get("output.value")):
        marked = any(redacted(attributes.get(f"{side}.value")) for side in ("input", "output"))
        hidden = "redacted" if marked else why_missing(attributes, _INPUT)
    # Without a listed message, the raw request is what the messages are read from.
    keys = ["input.value"] if delivered and not incoming else []
    capture = capture_of(span, keys, texts=texts, hidden=hidden)
    lost = [prefix for prefix, items in ((_INPUT, incoming), (_OUTPUT, outgoing)) if has_gap(items)]
    if delivered and len(delivered) > len(incoming):
        lost = [prefix for prefix in lost if prefix != _INPUT]  # the raw request fills the gap
    if not lost:
        return capture
    return Capture(capture.lengths, (*capture.broken, *lost), capture.dropped, capture.hidden)


def _tools(attributes: Mapping[str, Any]) -> tuple[str, ...] | None:
    listed = entries(attributes, "llm.tools")
    if not listed:
        return None
    named = [
        fields.get("tool.json_schema") or {"name": fields.get("tool.name")} for _, fields in listed
    ]
    return tool_names(named)
