"""Langfuse's OpenTelemetry SDKs (Python 3 to 5, JavaScript 4 and later): `langfuse.observation.*`.

Observations are what its decorators (`@observe`), its OpenAI wrapper and its LangChain callback
make of a run. Objects are written as JSON; texts are written as they are from version 3.1 on, and
as JSON before. What the SDK took for a file is replaced by a placeholder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from collector.content import capture_of, decode, reports_failure, usage_of
from collector.dialect import AnyOperation, Shape, origin, shape_of
from collector.span import Record, Span
from collector.spelling.convention import failed, string
from collector.spelling.envelope import reply_in, request_in
from collector.spelling.graph import given_name
from collector.spelling.masking import holds_mask, is_masked
from collector.spelling.raw_exchange import answer_of, arguments_of, request_of
from collector.spelling.tool_output import result_in
from scorers.turn import (
    AgentInvocation,
    Capture,
    Inference,
    Message,
    Part,
    ToolExecution,
    Usage,
)

_SCOPE = "langfuse-sdk"
_TYPE = "langfuse.observation.type"
_INPUT, _OUTPUT = "langfuse.observation.input", "langfuse.observation.output"
_OF_CALLS = ("langfuse.observation.model.name", "langfuse.observation.usage_details")
_ASKED, _REPLIED = "langfuse.trace.input", "langfuse.trace.output"
_METADATA = ("langfuse.observation.metadata", "langfuse.trace.metadata")
_ROOT = ("langfuse.internal.as_root", "langfuse.internal.is_app_root")
_SESSION = ("session.id", "langfuse.session.id", "langfuse.trace.session_id")
_SESSION_METADATA = ("langfuse_session_id", "session_id", "thread_id", "conversation_id")
_MEDIA = re.compile(r"@@@langfuseMedia:type=([^|@]{0,100})\|id=[^@]{1,200}@@@")
_TOOL_MESSAGE = '"tool_call_id"'


class Langfuse:
    """Reads the observations of Langfuse's SDKs."""

    name = "langfuse"

    def fits(self, shape: Shape) -> bool:
        """Spans with an observation's type, and those of its SDKs."""
        # An SDK over its attribute limit may have dropped the type.
        return shape.event is None and (_TYPE in shape.keys or shape.scope == _SCOPE)

    def claims(self, record: Record) -> bool:
        """Say whether the span states its observation type, or comes from Langfuse's SDK."""
        return self.fits(shape_of(record))

    def operations(self, record: Record) -> Iterable[AnyOperation]:
        """Yield the operation of a generation, tool or agent, and of the outermost observation."""
        if not isinstance(record, Span):
            return
        kind = _kind(record)
        shared = _who(record, self.name)
        if kind == "generation":
            yield _inference(record, shared)
        elif kind == "tool":
            yield _tool(record, shared)
        elif kind == "function":
            yield replace(_tool(record, shared), supposed=True)
        elif kind in ("agent", "workflow"):
            yield _agent(record, shared, workflow=kind == "workflow")


def _kind(span: Span) -> str:
    attributes = span.attributes
    kind = (string(attributes, _TYPE) or "").lower()
    if not kind:
        # An SDK over its limit may have dropped it.
        kind = "generation" if any(key in attributes for key in _OF_CALLS) else "span"
    if kind == "span" and _is_tool_message(attributes.get(_OUTPUT)):
        return "tool"  # of LangChain, before 3.3: types of their own came later
    if kind in ("generation", "tool"):
        return kind
    root = span.parent_id is None or any(attributes.get(key) is True for key in _ROOT)
    node = string(_metadata(attributes, "langgraph_node"), "langgraph_node")
    if kind == "agent":
        # LangChain's callback takes any run with "agent" in its name for an agent.
        return "agent" if root or node is None or node != span.name else ""
    named = string(_metadata(attributes, "lc_agent_name"), "lc_agent_name")
    if kind == "chain" and named and named == span.name != node:
        return "agent"
    if root:
        return "workflow" if kind in ("span", "chain") and _tells(attributes) else ""
    # `@observe()` without a type, which there was none for tools before 3.3.
    return "function" if kind == "span" and node is None and _INPUT in attributes else ""


def _tells(attributes: Mapping[str, Any]) -> bool:
    return any(key in attributes for key in (_INPUT, _OUTPUT, _ASKED, _REPLIED, *_SESSION))


def _is_tool_message(produced: Any) -> bool:
    if not isinstance(produced, str) or _TOOL_MESSAGE not in produced:
        return False
    value = decode(produced)
    return isinstance(value, dict) and "tool_call_id" in value and value.get("type") == "tool"


def _metadata(attributes: Mapping[str, Any], *names: str) -> dict[str, str]:
    """Return metadata by name: the observation's own, else the trace's. From 5 on it is JSON."""
    found: dict[str, str] = {}
    for prefix in _METADATA:
        whole = decode(attributes.get(prefix))
        stated = whole if isinstance(whole, dict) else {}
        for name in names:
            value = decode(attributes.get(f"{prefix}.{name}", stated.get(name)))
            if isinstance(value, str) and value:
                found.setdefault(name, value)
    return found


def _who(span: Span, dialect: str) -> dict[str, Any]:
    attributes = span.attributes
    shared = origin(span, dialect)
    said = _metadata(attributes, "lc_agent_name", "agent_version", *_SESSION_METADATA)
    environment = string(attributes, "langfuse.environment")
    shared["agent"] = string(said, "lc_agent_name")
    shared["agent_version"] = string(said, "agent_version") or string(
        attributes, "langfuse.version", "langfuse.release"
    )
    shared["conversation_id"] = string(attributes, *_SESSION) or string(said, *_SESSION_METADATA)
    if environment and environment != "default":
        shared["environment"] = environment
    if shared["error"] is None and attributes.get("langfuse.observation.level") == "ERROR":
        shared["error"] = string(attributes, "langfuse.observation.status_message") or "error"
    return shared


def _inference(span: Span, shared: dict[str, Any]) -> Inference:
    attributes = span.attributes
    raw, answer = attributes.get(_INPUT), attributes.get(_OUTPUT)
    given = request_of(None if is_masked(raw) else raw)
    said = with_files(given.messages) if given.messages else None
    made = None if is_masked(answer) else answer_of(answer)
    return Inference(
        **shared | {"capture": _captured(span, said is None and shared["error"] is None)},
        provider=string(_metadata(attributes, "ls_provider"), "ls_provider"),
        model=string(attributes, "langfuse.observation.model.name")
        or string(_metadata(attributes, "ls_model_name"), "ls_model_name"),
        input=said,
        output=with_files(made) if made else None,
        tools=given.tools,
        usage=_usage(attributes.get("langfuse.observation.usage_details")),
    )


def _usage(details: Any) -> Usage:
    stated = decode(details)
    if not isinstance(stated, dict):
        return Usage()
    counts = {key: n for key, n in stated.items() if isinstance(n, int) and n.__class__ is int}
    if "input" not in counts and "output" not in counts:
        return usage_of(stated)
    taken, made, total = counts.get("input"), counts.get("output"), counts.get("total")
    if taken is not None and made is not None and total is not None and taken + made != total:
        # LangChain's callback takes the cached ones (and other kinds) out of both.
        all_in = sum(n for key, n in counts.items() if key.startswith("input"))
        all_out = sum(n for key, n in counts.items() if key.startswith("output"))
        if all_in + all_out == total:
            taken, made = all_in, all_out
    read = ("input_cache_read", "input_cached_tokens", "cache_read_input_tokens")
    written = ("input_cache_creation", "input_cache_write", "cache_creation_input_tokens")
    return usage_of(
        {
            "input_tokens": taken,
            "output_tokens": made,
            "cache_read_input_tokens": next((counts[key] for key in read if key in counts), None),
            "cache_creation_input_tokens": next(
                (counts[key] for key in written if key in counts), None
            ),
        }
    )


def _tool(span: Span, shared: dict[str, Any]) -> ToolExecution:
    attributes = span.attributes
    produced = attributes.get(_OUTPUT)
    result, found = (None, None)
    if produced is not None and not is_masked(produced):
        result, found = result_in(produced)
    arguments = attributes.get(_INPUT)
    unrecorded = produced is None and arguments is None and shared["error"] is None
    return ToolExecution(
        **shared | {"capture": _captured_result(span, unrecorded)},
        tool=span.name,
        call_id=string(_metadata(attributes, "tool_call_id"), "tool_call_id") or found,
        arguments=None if is_masked(arguments) else arguments_of(arguments),
        result=result,
        failed=failed(span) or shared["error"] is not None or reports_failure(produced),
    )


def _agent(span: Span, shared: dict[str, Any], *, workflow: bool) -> AgentInvocation:
    attributes = span.attributes
    named = string(attributes, "langfuse.trace.name") if workflow else None
    agent = shared["agent"] or named or span.name
    asked, replied = attributes.get(_INPUT), attributes.get(_OUTPUT)
    if span.parent_id is None:
        asked = attributes.get(_ASKED) if asked is None else asked
        replied = attributes.get(_REPLIED) if replied is None else replied
    hidden = "redacted" if any(is_masked(value) for value in (asked, replied)) else None
    texts = {_INPUT: asked, _OUTPUT: replied}
    return AgentInvocation(
        **shared
        | {
            "agent": given_name(agent),
            "capture": capture_of(span, texts=texts, hidden=hidden),
        },
        kind="workflow" if workflow else "agent",
        input=None if is_masked(asked) else request_in(asked),
        output=None if is_masked(replied) else reply_in(replied),
    )


def with_files(said: tuple[Message, ...]) -> tuple[Message, ...]:
    """Return the messages with the placeholders of files as files.

    A tool's result that holds one differs from what the tool produced, and not by the agent's hand.
    """
    if not any("@@@langfuseMedia" in part.text for message in said for part in message.parts):
        return said
    return tuple(
        replace(message, parts=tuple(_with_file(part) for part in message.parts))
        for message in said
    )


def _with_file(part: Part) -> Part:
    found = _MEDIA.search(part.text)
    if found is None:
        return part
    if part.kind in ("text", "other") and found[0] == part.text.strip():
        return Part("file", "", None, found[1] or None)
    return replace(part, cut_by_capture=part.kind == "tool_result")


def _captured(span: Span, missing: bool) -> Capture:  # noqa: FBT001 - a fact about the span
    attributes = span.attributes
    raw, answer = attributes.get(_INPUT), attributes.get(_OUTPUT)
    hidden = "redacted" if is_masked(raw) or is_masked(answer) else None
    if hidden is None and missing and not span.dropped and raw is None:
        hidden = "content_off"
    encoded = [key for key in (_INPUT, _OUTPUT) if _is_encoded(attributes.get(key))]
    texts = {key: attributes.get(key) for key in (_INPUT, _OUTPUT) if key not in encoded}
    return capture_of(span, encoded, texts=texts, hidden=hidden)


def _captured_result(span: Span, unrecorded: bool) -> Capture:  # noqa: FBT001 - a fact about the span
    produced = span.attributes.get(_OUTPUT)
    hidden = None
    if unrecorded and not span.dropped:
        hidden = "content_off"
    elif holds_mask(produced):
        hidden = "redacted"
    elif isinstance(produced, str) and _MEDIA.search(produced):
        hidden = "uploaded"
    if _is_encoded(produced):
        return capture_of(span, [_OUTPUT], hidden=hidden)
    # A text may be JSON that the tool itself cut.
    return capture_of(span, texts={_OUTPUT: produced}, hidden=hidden)


def _is_encoded(value: Any) -> bool:
    """Say whether a value is an object that the SDK wrote as JSON, and no text."""
    return isinstance(value, str) and value.startswith(
        ('"', '{"role":', '{"content":', '[{"role":', '{"tools":', '{"messages":', '{"input":')
    )
