"""LangSmith's OpenTelemetry exporter: `langsmith.span.kind`, and all content in two attributes.

`gen_ai.prompt` and `gen_ai.completion` hold the inputs and outputs of every run as JSON, in the
shape of whatever was traced: LangChain's constructors, a provider's request and answer, or a
decorated function's arguments. Versions up to 0.4 write them as bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from collector.content import capture_of, decode, reports_failure, tool_names, usage_of
from collector.dialect import AnyOperation, Shape, origin, shape_of
from collector.span import Record, Span
from collector.spelling.convention import failed, finish_reasons, reasons_in, string
from collector.spelling.envelope import encoded, reply_in, request_in
from collector.spelling.graph import given_name
from collector.spelling.masking import holds_mask, is_masked
from collector.spelling.raw_exchange import answer_of, arguments_of, request_of, response_metadata
from collector.spelling.tool_output import result_in
from scorers.turn import AgentInvocation, Capture, Inference, ToolExecution, Usage

_KIND = "langsmith.span.kind"
_SCOPE = "langsmith"
_INPUT, _OUTPUT = "gen_ai.prompt", "gen_ai.completion"
_METADATA = "langsmith.metadata."
# `langsmith.trace.session_name` is the project, and `session_id` beside it the project's id.
_SESSION = ("session_id", "thread_id", "conversation_id")
_VERSION = ("agent_version", "revision_id")
# What `LANGSMITH_HIDE_INPUTS` and `LANGSMITH_HIDE_OUTPUTS` leave.
_NOTHING: tuple[Any, ...] = ({}, None, "")


class LangSmith:
    """Reads runs that LangSmith's SDKs export as spans."""

    name = "langsmith"

    def fits(self, shape: Shape) -> bool:
        """Spans with a run's type, and those of its exporter."""
        # An SDK over its attribute limit may have dropped the type.
        return shape.event is None and (_KIND in shape.keys or shape.scope == _SCOPE)

    def claims(self, record: Record) -> bool:
        """Say whether the span states its run type, or comes from LangSmith's exporter."""
        return self.fits(shape_of(record))

    def operations(self, record: Record) -> Iterable[AnyOperation]:
        """Yield the operation of a model, tool or agent run, and of the outermost chain."""
        if not isinstance(record, Span):
            return
        kind = _kind(record)
        shared = _who(record, self.name)
        if kind == "llm":
            yield _inference(record, shared)
        elif kind == "tool":
            yield _tool(record, shared)
        elif kind == "function":
            yield replace(_tool(record, shared), supposed=True)
        elif kind in ("agent", "workflow"):
            yield _agent(record, shared, workflow=kind == "workflow")


def _kind(span: Span) -> str:
    attributes = span.attributes
    kind = (string(attributes, _KIND) or "").lower()
    if not kind:
        operations = {"chat": "llm", "execute_tool": "tool", "chain": "chain"}
        kind = operations.get(string(attributes, "gen_ai.operation.name") or "", "")
    if kind in ("llm", "tool"):
        return kind
    if kind not in ("chain", "agent"):
        return ""
    named = string(attributes, f"{_METADATA}lc_agent_name")
    # LangGraph's nodes inherit the name of the agent, and the agent's run has it for its own.
    if named and named == span.name != string(attributes, f"{_METADATA}langgraph_node"):
        return "agent"
    if span.parent_id is None or attributes.get("langsmith.is_root") is True:
        return "workflow"
    if kind == "agent":
        return "agent"
    # `@traceable` without a type. LangGraph's nodes are chains as well, and no functions.
    step = (string(attributes, "langsmith.span.tags") or "").startswith(("graph:step", "seq:step"))
    return "" if step or f"{_METADATA}langgraph_node" in attributes else "function"


def _who(span: Span, dialect: str) -> dict[str, Any]:
    attributes = span.attributes
    shared = origin(span, dialect)
    shared["agent"] = string(attributes, f"{_METADATA}lc_agent_name", "gen_ai.agent.name")
    shared["agent_version"] = string(attributes, *(f"{_METADATA}{key}" for key in _VERSION))
    shared["conversation_id"] = string(
        attributes, *(f"{_METADATA}{key}" for key in _SESSION), "gen_ai.conversation.id"
    )
    return shared


def _content(span: Span, key: str) -> Any:
    """Return inputs or outputs as sent, None where they were left out or hidden."""
    value = span.attributes.get(key)
    if isinstance(value, bytes | bytearray):
        value = bytes(value).decode("utf-8", "replace")
    return None if is_masked(value) or decode(value) in _NOTHING else value


def _inference(span: Span, shared: dict[str, Any]) -> Inference:
    attributes = span.attributes
    given = request_of(_content(span, _INPUT))
    made = answer_of(_content(span, _OUTPUT))
    reasons = finish_reasons(attributes) or reasons_in(made)
    hidden = given.messages is None and shared["error"] is None and not span.dropped
    provider = string(attributes, f"{_METADATA}ls_provider", "gen_ai.system")
    # Older versions state a model for some runs only; LangChain's answers always do.
    answered = response_metadata(_content(span, _OUTPUT))
    return Inference(
        **shared | {"capture": _captured(span, "content_off" if hidden else None)},
        # The exporter states itself where it knows no provider.
        provider=None if provider == "langchain" else provider,
        model=string(
            attributes,
            "gen_ai.response.model",
            "gen_ai.request.model",
            f"{_METADATA}ls_model_name",
        )
        or string(answered, "model_name", "model"),
        response_id=string(attributes, "gen_ai.response.id") or string(answered, "id"),
        input=given.messages,
        output=made,
        tools=tool_names(attributes.get("gen_ai.tool.definitions")) or given.tools,
        usage=_usage(attributes),
        finish_reasons=reasons,
    )


def _usage(attributes: Mapping[str, Any]) -> Usage:
    stated = usage_of(attributes)
    metadata = decode(attributes.get(f"{_METADATA}usage_metadata"))
    if not isinstance(metadata, dict):
        return stated
    found = usage_of(metadata) if stated.input_tokens is None else stated
    details = metadata.get("input_token_details")
    if isinstance(details, dict):
        cached = usage_of(
            {
                "cache_read_input_tokens": details.get("cache_read"),
                "cache_creation_input_tokens": details.get("cache_creation"),
            }
        )
        found = replace(
            found,
            cache_read_tokens=found.cache_read_tokens or cached.cache_read_tokens,
            cache_write_tokens=found.cache_write_tokens or cached.cache_write_tokens,
        )
    return found


def _tool(span: Span, shared: dict[str, Any]) -> ToolExecution:
    attributes = span.attributes
    produced, cut = _output(_content(span, _OUTPUT))
    result, found = (None, None) if produced is None else result_in(produced)
    ended_well = shared["error"] is None and not span.dropped
    hidden = "content_off" if produced is None and ended_well else None
    if cut:
        hidden = "attribute_length_limit"
    return ToolExecution(
        **shared | {"capture": _captured(span, hidden, (_OUTPUT,))},
        tool=string(attributes, "gen_ai.tool.name", "langsmith.trace.name") or span.name,
        call_id=string(attributes, "gen_ai.tool.call.id", f"{_METADATA}tool_call_id") or found,
        arguments=arguments_of(_content(span, _INPUT)),
        result=result,
        failed=failed(span) or reports_failure(produced),
    )


def _output(returned: Any) -> tuple[Any, bool]:
    """Return what the tool returned, out of the object that a run's outputs must be, and whether
    its end is missing."""
    value, cut = encoded(returned)
    if isinstance(value, dict) and len(value) == 1:
        [(key, inner)] = value.items()
        # The JavaScript SDK writes the second.
        return (inner if key in ("output", "outputs") else value), cut
    return value, cut


def _agent(span: Span, shared: dict[str, Any], *, workflow: bool) -> AgentInvocation:
    agent = shared["agent"] or span.name
    said, replied = _content(span, _INPUT), _content(span, _OUTPUT)
    hidden = shared["error"] is None and not span.dropped and None in (said, replied)
    return AgentInvocation(
        **shared
        | {
            "agent": given_name(agent),
            "capture": _captured(span, "content_off" if hidden else None),
        },
        kind="workflow" if workflow else "agent",
        input=request_in(said),
        output=reply_in(replied),
    )


def _captured(span: Span, hidden: str | None, keys: tuple[str, ...] = (_INPUT, _OUTPUT)) -> Capture:
    values: dict[str, Any] = {}
    for key in keys:
        value = span.attributes.get(key)
        if value is not None:
            values[key] = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    if any(is_masked(value) for value in values.values()) or (
        keys == (_OUTPUT,) and holds_mask(values.get(_OUTPUT))
    ):
        hidden = "redacted"
    return capture_of(span, values=values, hidden=hidden)
