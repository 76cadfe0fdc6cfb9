"""MLflow Tracing: `mlflow.spanType`, `mlflow.spanInputs` and `mlflow.spanOutputs`.

Every attribute is JSON, texts too. Inputs and outputs have the shape of what was traced: a
provider's request and answer (autologging), LangChain's messages, or a function's arguments. The
session of a trace is not among the spans' attributes; LangChain's metadata may tell it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from collector.content import capture_of, decode, reports_failure, tool_names, usage_of
from collector.dialect import AnyOperation, Shape, origin, shape_of
from collector.span import Record, Span
from collector.spelling.convention import failed, reasons_in, string
from collector.spelling.envelope import encoded, reply_in, request_in
from collector.spelling.exchange import response_id, usage_in
from collector.spelling.graph import given_name
from collector.spelling.masking import holds_mask, is_masked
from collector.spelling.raw_exchange import answer_of, arguments_of, request_of
from collector.spelling.streamed import with_streamed_calls
from collector.spelling.tool_output import result_in
from scorers.turn import AgentInvocation, Capture, Inference, ToolExecution, Usage

_TYPE, _INPUT, _OUTPUT = "mlflow.spanType", "mlflow.spanInputs", "mlflow.spanOutputs"
_KEYS = (_TYPE, _INPUT, _OUTPUT)
_CALLS = ("CHAT_MODEL", "LLM")
_OUTERMOST = ("CHAIN", "WORKFLOW", "TASK", "UNKNOWN", "")
_TAG = "mlflow.traceTag."
_SESSION = ("session_id", "thread_id", "conversation_id")
_CHUNK = "mlflow.chunk.value"
_ATTACHMENT = "mlflow-attachment://"


class MLflow:
    """Reads spans of MLflow's tracing SDK and its autologging."""

    name = "mlflow"

    def fits(self, shape: Shape) -> bool:
        """Spans with a type, inputs or outputs of its own.

        The scope alone is not enough: it can also write the GenAI conventions.
        """
        return shape.event is None and any(key in shape.keys for key in _KEYS)

    def claims(self, record: Record) -> bool:
        """Say whether the span has a type, inputs or outputs of MLflow's own."""
        return self.fits(shape_of(record))

    def operations(self, record: Record) -> Iterable[AnyOperation]:
        """Yield the operation of a model, tool or agent span, and of the outermost one."""
        if not isinstance(record, Span):
            return
        metadata = decode(record.attributes.get("metadata"))
        metadata = metadata if isinstance(metadata, dict) else {}
        kind = (_text(record, _TYPE) or "").upper()
        shared = _who(record, self.name, metadata)
        if kind in _CALLS:
            yield _inference(record, shared, metadata)
        elif kind == "TOOL":
            yield _tool(record, shared)
        elif kind == "AGENT" or _is_agent(record, metadata):
            if record.name != metadata.get("langgraph_node"):
                yield _agent(record, shared, workflow=False)
        elif kind in _OUTERMOST and record.parent_id is None:
            yield _agent(record, shared, workflow=True)
        elif kind in _OUTERMOST and "mlflow.spanFunctionName" in record.attributes:
            # `@mlflow.trace` without a type.
            yield replace(_tool(record, shared), supposed=True)


def _text(span: Span, *keys: str) -> str | None:
    """Return the first of some attributes that is a text, out of its JSON."""
    for key in keys:
        value = decode(span.attributes.get(key))
        if isinstance(value, str) and value:
            return value
    return None


def _is_agent(span: Span, metadata: dict[str, Any]) -> bool:
    """Say whether this is the run of an agent of LangChain's; its nodes inherit the name."""
    return bool(span.name) and span.name == metadata.get("lc_agent_name")


def _who(span: Span, dialect: str, metadata: dict[str, Any]) -> dict[str, Any]:
    shared = origin(span, dialect)
    shared["agent"] = string(metadata, "lc_agent_name")
    shared["agent_version"] = string(metadata, "agent_version") or _text(
        span, f"{_TAG}agent_version", "agent_version"
    )
    tags = [f"{_TAG}{key}" for key in _SESSION]
    shared["conversation_id"] = (
        _text(span, "session.id", "mlflow.trace.session")
        or string(metadata, *_SESSION)
        or _text(span, *tags, *_SESSION)
    )
    return shared


def _inference(span: Span, shared: dict[str, Any], metadata: dict[str, Any]) -> Inference:
    attributes = span.attributes
    raw, answer = attributes.get(_INPUT), attributes.get(_OUTPUT)
    given = request_of(None if is_masked(raw) else raw)
    made = with_streamed_calls(
        None if is_masked(answer) else answer_of(answer),
        [event.attributes.get(_CHUNK) for event in span.events],
    )
    parameters = decode(attributes.get("invocation_params"))
    named = string(parameters, "model") if isinstance(parameters, dict) else None
    off = raw is None and shared["error"] is None and not span.dropped
    offered = tool_names(attributes.get("mlflow.chat.tools"))
    return Inference(
        **shared | {"capture": _captured(span, "content_off" if off else None)},
        provider=_text(span, "mlflow.llm.provider") or string(metadata, "ls_provider"),
        model=_text(span, "mlflow.llm.model", "model")
        or named
        or string(metadata, "ls_model_name"),
        response_id=response_id(answer),
        input=given.messages,
        output=made,
        tools=offered if offered is not None else given.tools,
        usage=_usage(span),
        finish_reasons=reasons_in(made),
    )


def _usage(span: Span) -> Usage:
    stated = decode(span.attributes.get("mlflow.chat.tokenUsage"))
    # 2.x states it only in the answer.
    found = usage_of(stated) if isinstance(stated, dict) else Usage()
    return usage_in(span.attributes.get(_OUTPUT)) if found == Usage() else found


def _tool(span: Span, shared: dict[str, Any]) -> ToolExecution:
    attributes = span.attributes
    raw = attributes.get(_OUTPUT)
    salvaged, cut = encoded(raw)
    produced = None if is_masked(raw) else salvaged if cut else raw
    result, found = (None, None) if produced is None else result_in(produced)
    hidden = None
    if raw is None and _INPUT not in attributes and shared["error"] is None and not span.dropped:
        hidden = "content_off"
    elif holds_mask(raw):
        hidden = "redacted"
    elif isinstance(raw, str) and _ATTACHMENT in raw:
        hidden = "uploaded"
    elif cut:
        hidden = "attribute_length_limit"
    arguments = attributes.get(_INPUT)
    return ToolExecution(
        **shared | {"capture": _captured(span, hidden, (_OUTPUT,))},
        tool=span.name or _text(span, "mlflow.spanFunctionName") or "",
        call_id=_text(span, "tool_call_id") or found,
        arguments=None if is_masked(arguments) else arguments_of(arguments),
        result=result,
        failed=failed(span) or reports_failure(produced),
    )


def _agent(span: Span, shared: dict[str, Any], *, workflow: bool) -> AgentInvocation:
    attributes = span.attributes
    said, replied = attributes.get(_INPUT), attributes.get(_OUTPUT)
    agent = shared["agent"] or span.name
    return AgentInvocation(
        **shared
        | {
            "agent": given_name(agent),
            "capture": _captured(span, None),
        },
        kind="workflow" if workflow else "agent",
        input=None if is_masked(said) else request_in(said),
        output=None if is_masked(replied) else reply_in(replied),
    )


def _captured(span: Span, hidden: str | None, keys: tuple[str, ...] = (_INPUT, _OUTPUT)) -> Capture:
    attributes = span.attributes
    if hidden is None and any(is_masked(attributes.get(key)) for key in keys):
        hidden = "redacted"
    capture = capture_of(span, keys, hidden=hidden)
    # A text's quotes are part of it: without the last one, its end is missing.
    cut = [key for key in keys if encoded(attributes.get(key))[1]]
    missing = tuple(key for key in cut if key not in capture.broken)
    return replace(capture, broken=(*capture.broken, *missing)) if missing else capture
