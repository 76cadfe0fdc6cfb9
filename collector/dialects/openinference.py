"""OpenInference: the dialect of Arize Phoenix's instrumentations (`openinference.span.kind`).

Attributes are those of the OpenInference semantic conventions: messages are flattened under
`llm.input_messages.{i}` and `llm.output_messages.{i}`, raw requests and answers stand in
`input.value` and `output.value`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from collector import convention
from collector.content import (
    capture_of,
    decode,
    redacted,
    reports_failure,
    tool_names,
    usage_of,
)
from collector.convention import string
from collector.counterpart import keeps_results_apart, lacks_ids, with_ids
from collector.crew import crew_member, crew_request
from collector.dialect import AnyOperation, origin
from collector.envelope import arguments_in, reply_in, request_in
from collector.exchange import messages_in, response_id
from collector.flat_messages import Items, openinference, read
from collector.flattened import entries, has_gap
from collector.graph import graph_name, is_node, is_outermost
from collector.interleaving import interleaved
from collector.observation import observed
from collector.pairing import answered_together
from collector.span import Record, Span
from collector.tool_output import result_in
from scorers.turn import AgentInvocation, Capture, Inference, Message, ToolExecution

_INPUT, _OUTPUT = "llm.input_messages", "llm.output_messages"
_SESSION = ("session_id", "thread_id", "conversation_id")
_CALL_ID = ("tool_call.id", "tool.id", "tool.call_id", "gen_ai.tool.call.id")
_STRANDS = "strands.telemetry.tracer"
# What wrappers add to the name of the agent that they run.
_RUN = (".run", "._execute_core", ".kickoff", ".invoke", ".__call__")


class OpenInference:
    """Reads spans of OpenInference instrumentations, and spans that follow its conventions."""

    name = "openinference"

    def claims(self, record: Record) -> bool:
        """Say whether the span states its OpenInference kind, or comes from its libraries."""
        if not isinstance(record, Span):
            return False
        attributes = record.attributes
        # An SDK over its attribute limit may have dropped the kind.
        return "openinference.span.kind" in attributes or record.scope.name.startswith(
            "openinference.instrumentation"
        )

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
        agent = agent or string(attributes, "graph.node.id")
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
    delivered = _delivered(span, incoming)
    made = _answered(span, outgoing)
    if made and span.scope.name == _STRANDS:
        # Its processor files the assistant's earlier messages under the output.
        answer = () if span.status == 2 else made[-1:]
        earlier = made[: len(made) - len(answer)]
        delivered = answered_together(interleaved(delivered or (), earlier)) or None
        made = answer or None
    finish = string(attributes, "llm.finish_reason")
    return Inference(
        **shared | {"capture": _captured(span, incoming, outgoing, delivered)},
        provider=string(attributes, "llm.provider", "llm.system"),
        model=string(
            attributes, "llm.response.model_name", "llm.model_name", "llm.request.model_name"
        ),
        response_id=response_id(attributes.get("output.value")),
        input=delivered,
        output=made,
        tools=_tools(attributes),
        usage=usage_of(attributes),
        finish_reasons=(finish,) if finish else (),
    )


def _answered(span: Span, outgoing: Items) -> tuple[Message, ...] | None:
    said = _listed(span, outgoing) or ()
    if not said or lacks_ids(said):
        raw = messages_in(span.attributes.get("output.value"), "assistant") or ()
        said = with_ids(said, raw) or raw
    # Streamed answers leave their role out; a dumped request is no answer.
    return (
        tuple(
            replace(message, role="assistant")
            for message in said
            if message.role in ("assistant", "unknown")
        )
        or None
    )


def _delivered(span: Span, incoming: Items) -> tuple[Message, ...] | None:
    listed = _listed(span, incoming) or ()
    complete = listed and not span.dropped and all(message.parts for message in listed)
    complete = complete and not lacks_ids(listed)
    raw = None if complete else messages_in(span.attributes.get("input.value"), "user")
    if raw and not listed:
        listed = raw
    elif raw and span.dropped:
        # An SDK that refuses what comes last still has the raw request, which comes first.
        listed = max(raw, listed, key=len)
    elif raw and len(raw) == len(listed):
        # Haystack's tool calls and results stand only in the raw request.
        pairs = zip(listed, raw, strict=True)
        listed = tuple(one if one.parts else other for one, other in pairs)
        listed = with_ids(listed, raw)
    if convention.INPUT in span.attributes:
        # Converted from the GenAI conventions: results of parallel calls may have become one.
        given = convention.read(span.attributes)[0] or ()
        listed = given if keeps_results_apart(given, listed) else listed
    return observed(listed) if listed else None


def _listed(span: Span, items: Items) -> tuple[Message, ...] | None:
    return read(items, openinference, dropped=span.dropped)


def _tool(span: Span, shared: dict[str, Any]) -> ToolExecution:
    attributes = span.attributes
    produced = attributes.get("output.value")
    result, inner_id = (None, None)
    if produced is not None and not redacted(produced):
        result, inner_id = result_in(produced)
    arguments = arguments_in(attributes.get("input.value"))
    stated = decode(attributes.get("tool.parameters"))
    if arguments is None and isinstance(stated, dict) and not _is_schema(stated):
        arguments = arguments_in(stated)
    return ToolExecution(
        # Hidden arguments hide nothing of the result.
        **shared | {"capture": _captured_values(span, "output")},
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
    said = _listed(span, entries(attributes, _INPUT))
    if not workflow and shared["agent"] is None:
        shared["agent"] = crew_member(span) or _name(span)
    elif shared["agent"] is None:
        shared["agent"] = graph_name(span)
    answered = _listed(span, entries(attributes, _OUTPUT))
    return AgentInvocation(
        **shared | {"capture": _captured_values(span, "input", "output")},
        kind="workflow" if workflow else "agent",
        input=crew_request(span) or request_in(attributes.get("input.value")) or _spoken(said),
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
        hidden = "redacted" if marked else "content_off"
    # Without a listed message, the raw request is what the messages are read from.
    keys = ["input.value"] if delivered and not incoming else []
    capture = capture_of(span, keys, texts=texts, hidden=hidden)
    lost = [prefix for prefix, items in ((_INPUT, incoming), (_OUTPUT, outgoing)) if has_gap(items)]
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
