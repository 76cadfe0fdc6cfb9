"""Claude Code's own telemetry: its log records, and the spans of its tracing beta.

A log record names its session and its prompt, and mostly a request id; with the beta on it stands
in a span besides, that of the turn or of the sub-agent, not that of the call it is about. What the
model was sent is in raw API bodies (`OTEL_LOG_RAW_API_BODIES`) or, piece by piece, in the
`new_context` of detailed tracing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from collector.content import capture_of, cut_marker, redacted, usage_of
from collector.dialect import AnyOperation, Opening, Piece, Shape, origin, shape_of
from collector.span import LogRecord, Record, Span
from collector.spelling import anthropic
from collector.spelling.convention import finish_reasons, string
from collector.spelling.placed import InSession, trace_of
from scorers.turn import Message, Part, ToolExecution, Usage

_SCOPE = "com.anthropic.claude_code"
# Who asks the model for the requester; every other source is a sub-agent's, a title's, a check's.
_MAIN = ("sdk", "repl_main_thread", "main", "user")
_AGENTS = ("Agent", "Task")


class ClaudeCode:
    """Reads the log records and spans of Claude Code."""

    name = "claude_code"

    def fits(self, shape: Shape) -> bool:
        """Whatever its own scopes record."""
        return shape.scope.startswith(_SCOPE)

    def claims(self, record: Record) -> bool:
        """Say whether the record is of Claude Code's scopes."""
        return self.fits(shape_of(record))

    def operations(self, record: Record) -> Iterable[AnyOperation]:
        """Yield the piece of a model call, the tool call or the prompt that a record tells of."""
        if isinstance(record, Span):
            kind = string(record.attributes, "span.type") or record.name.rpartition("code.")[2]
            if kind == "llm_request":
                yield self._request_span(record)
            elif kind == "tool":
                yield self._tool_span(record)
            elif kind == "interaction":
                yield self._interaction(record)
            return
        placed = InSession.of(record, "prompt.id")
        if placed is not None:
            yield from self._logged(record, placed)

    def _logged(self, record: LogRecord, placed: InSession) -> Iterable[AnyOperation]:
        event = record.event_name.rpartition("claude_code.")[2]
        if event == "user_prompt":
            yield self._prompt(record, placed)
        elif event == "tool_result":
            yield self._tool_result(record, placed)
        elif event == "api_request_body":
            body = record.attributes.get("body")
            given, tools, broken = anthropic.request(body)
            capture = _capture(record, "body", missing=given is None)
            capture = replace(capture, broken=("body",) if broken else ())
            yield self._piece(record, placed, "request", input=given, tools=tools, capture=capture)
        elif event == "api_response_body":
            answer = anthropic.answer(record.attributes.get("body"))
            hidden = _capture(record, "body", missing=answer.output is None)
            yield self._piece(
                record,
                placed,
                "answer",
                output=answer.output,
                response_id=answer.response_id,
                finish_reasons=answer.finish_reasons,
                capture=replace(hidden, broken=()),
            )
        elif event in ("api_request", "api_error"):
            error = string(record.attributes, "error") if event == "api_error" else None
            yield self._piece(
                record,
                placed,
                "usage",
                usage=_usage(record),
                error=error or ("api_error" if event == "api_error" else None),
            )
        elif event == "assistant_response":
            said = _text(record.attributes.get("response"))
            yield self._piece(
                record,
                placed,
                "text",
                output=(Message("assistant", (said,)),) if said else None,
                capture=_capture(record, "response", missing=said is None),
            )

    def _piece(self, record: LogRecord, placed: InSession, kind: Any, **told: Any) -> Piece:
        attributes = record.attributes
        shared = _shared(record, placed, self.name, kind)
        shared["agent"] = string(attributes, "agent.name")
        order = attributes.get("event.sequence")
        return Piece(
            **shared | told,
            kind=kind,
            lane=_lane(record),
            marks=_marks(record),
            order=order if isinstance(order, int) else 0,
            provider="anthropic",
            model=string(attributes, "model"),
            utility=_is_aside(record),
        )

    def _prompt(self, record: LogRecord, placed: InSession) -> Opening:
        said = _text(record.attributes.get("prompt"))
        shared = _shared(record, placed, self.name, "prompt")
        return Opening(
            **shared
            | {
                "span_id": placed.parent_id or shared["span_id"],
                "parent_id": None,
                "agent": record.resource.text("service.name"),
            },
            input=(Message("user", (said,)),) if said else None,
            capture=_capture(record, "prompt", missing=said is None),
        )

    def _tool_result(self, record: LogRecord, placed: InSession) -> ToolExecution:
        attributes = record.attributes
        shared = _shared(record, placed, self.name, "tool")
        size = usage_of({"input_tokens": attributes.get("tool_result_size_bytes")}).input_tokens
        taken = usage_of({"input_tokens": attributes.get("duration_ms")}).input_tokens or 0
        failed = attributes.get("success") in ("false", False)
        tool = string(attributes, "tool_name") or ""
        return ToolExecution(
            **shared | {"start_ns": max(record.time_ns - taken * 1_000_000, 0)},
            tool=tool,
            call_id=string(attributes, "tool_use_id"),
            arguments=string(attributes, "tool_input"),
            failed=failed,
            delivered_size=size,
            size_unit="characters" if size is None else "bytes",
            capture=capture_of(record),
        )

    def _request_span(self, span: Span) -> Piece:
        attributes = span.attributes
        given = anthropic.new_context(attributes.get("new_context"))
        prompt = string(attributes, "system_prompt_preview")
        if given is not None and prompt:
            # A preview: enough to tell one agent's calls from another's.
            system = Message("system", (Part("text", prompt, cut_by_capture=True),))
            given = (system, *given)
        said = _text(attributes.get("response.model_output"))
        output = (Message("assistant", (said,)),) if said else None
        reasons = finish_reasons(attributes)
        if output is not None and "tool_use" in reasons:
            call = Part("tool_call", cut_by_capture=True)  # it asked for tools, not shown here
            output = (Message("assistant", (*output[0].parts, call)),)
        capture = capture_of(
            span,
            values={"new_context": attributes.get("new_context")},
            hidden="content_off" if given is None else None,
        )
        truncated = given is not None and given[-1].parts[-1].cut_by_capture
        return Piece(
            **_who(span, self.name),
            kind="span",
            lane=_lane(span),
            marks=_marks(span),
            provider="anthropic",
            model=string(attributes, "gen_ai.response.model", "model"),
            input=given,
            output=output,
            usage=_usage(span),
            finish_reasons=reasons,
            utility=_is_aside(span),
            capture=replace(capture, broken=("new_context",) if truncated else ()),
        )

    def _tool_span(self, span: Span) -> ToolExecution:
        attributes = span.attributes
        event = next((one for one in span.events if one.name == "tool.output"), None)
        tool = string(attributes, "tool_name", "gen_ai.tool.name") or ""
        shown = event.attributes if event is not None else {}
        # Files that were read are shown as their content, everything else as its output.
        key = "content" if tool == "Read" and "output" not in shown else "output"
        produced = string(shown, key)
        shared = _who(span, self.name)
        failed = shared["error"] is not None
        # Tools that change files show what they changed; agents, nothing: their work is recorded.
        off = not shown and not failed and tool not in _AGENTS
        hidden = "content_off" if off else None
        if produced is not None and (cut_marker(produced) or redacted(produced)):
            hidden = "redacted" if redacted(produced) else "telemetry_preview"
            produced = None
        stated = usage_of({"input_tokens": shown.get(f"{key}_original_length")}).input_tokens
        return ToolExecution(
            **shared,
            tool=tool,
            call_id=string(attributes, "tool_use_id", "gen_ai.tool.call.id"),
            arguments=string(attributes, "tool_input"),
            result=produced,
            failed=failed,
            produced_size=stated,
            size_unit="bytes",
            capture=capture_of(span, texts={"output": produced}, hidden=hidden),
        )

    def _interaction(self, span: Span) -> Opening:
        said = _text(span.attributes.get("user_prompt"))
        return Opening(
            **_who(span, self.name) | {"agent": span.resource.text("service.name")},
            input=(Message("user", (said,)),) if said else None,
            capture=_capture(span, "user_prompt", missing=said is None),
        )


def _shared(record: LogRecord, placed: InSession, dialect: str, kind: str) -> dict[str, Any]:
    sequence = record.attributes.get("event.sequence")
    told = (kind, sequence, record.time_ns, *_marks(record))
    return origin(record, dialect) | placed.fields(*told)


def _who(span: Span, dialect: str) -> dict[str, Any]:
    session = string(span.attributes, "session.id", "gen_ai.conversation.id")
    return origin(span, dialect) | {
        # Versions differ in whether log records name the trace: the session holds both together.
        "trace_id": trace_of(session) if session else span.trace_id,
        "conversation_id": session,
        "agent": string(span.attributes, "agent.name"),
    }


def _source(record: Record) -> str:
    return (string(record.attributes, "query_source", "query_source_safe") or "").replace(":", ".")


def _is_aside(record: Record) -> bool:
    source = _source(record)
    aside = bool(source) and not source.startswith(_MAIN)
    return aside or string(record.attributes, "agent_id") is not None


def _lane(record: Record) -> str:
    # Spans of some versions name no source: they are of the main thread unless an agent is named.
    source = _source(record)
    main = not source or source.startswith(_MAIN)
    return string(record.attributes, "agent_id") or ("" if main else source)


def _marks(record: Record) -> tuple[str, ...]:
    named = (
        ("request", string(record.attributes, "request_id", "gen_ai.response.id")),
        ("body", string(record.attributes, "request_body_id")),
    )
    return tuple(f"{name}={mark}" for name, mark in named if mark)


def _usage(record: Record) -> Usage:
    counts = usage_of(record.attributes)
    by_convention = "gen_ai.usage.input_tokens" in record.attributes
    return counts if by_convention else anthropic.whole_input(counts)


def _text(value: Any) -> Part | None:
    """Return what was said, None where it was left out."""
    if not isinstance(value, str) or not value or redacted(value):
        return None
    return Part("text", value, cut_by_capture=cut_marker(value))


def _capture(record: Record, key: str, *, missing: bool) -> Any:
    referred = f"{key}_ref" in record.attributes
    hidden = ("uploaded" if referred else "content_off") if missing else None
    value = record.attributes.get(key)
    if redacted(value):
        hidden = "redacted"
    return capture_of(record, texts={key: value}, hidden=hidden)
