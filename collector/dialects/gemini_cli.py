"""Gemini CLI's own telemetry: log records, and spans in which each call is a trace by itself.

Records name their session, and that is what holds a turn together. The logs tell a model call's
request and answer in full, its span only their first 10,000 characters. What a tool produced is in
its span, within the same limit and as the harness had left it; where the harness cut it, an event
says how long it was. `gen_ai.client.inference.operation.details` repeats both, and is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from collector.content import (
    capture_of,
    compact,
    cut_marker,
    decode,
    messages,
    tool_names,
    unwrap_tool_result,
    usage_of,
)
from collector.dialect import AnyOperation, Opening, Piece, Shape, origin
from collector.span import LogRecord, Record, Span
from collector.spelling import convention
from collector.spelling.convention import string
from collector.spelling.placed import span_of, trace_of
from scorers.turn import Capture, Message, Part, ToolExecution

_SCOPE = "gemini-cli"
_NAMES = ("gemini_cli.", "gen_ai.")
_COUNTS = {
    "input_token_count": "input_tokens",
    "output_token_count": "output_tokens",
    "cached_content_token_count": "cache_read_tokens",
}
_SIDES = (convention.INPUT, convention.OUTPUT)


class GeminiCLI:
    """Reads the log records and spans of Gemini CLI."""

    name = "gemini_cli"

    def fits(self, shape: Shape) -> bool:
        """Whatever its scope records, and log records under its names."""
        if shape.scope == _SCOPE:
            return True
        return shape.event is not None and shape.event.startswith(_NAMES[0])

    def claims(self, record: Record) -> bool:
        """Say whether the record is of Gemini CLI's scope, or named as its log records are."""
        if record.scope.name == _SCOPE:
            return True
        return isinstance(record, LogRecord) and record.event_name.startswith(_NAMES[0])

    def operations(self, record: Record) -> Iterable[AnyOperation]:
        """Yield the prompt, the piece of a model call or the tool call that a record tells of."""
        attributes = record.attributes
        session = string(attributes, "session.id", "gen_ai.conversation.id")
        if session is None:
            return
        if isinstance(record, Span):
            operation = string(attributes, "gen_ai.operation.name") or record.name
            if operation == "llm_call":
                yield self._call_span(record, session)
            elif operation == "tool_call":
                yield self._tool_span(record, session)
            return
        event = record.event_name.removeprefix(_NAMES[0])
        if event == "user_prompt":
            yield self._prompt(record, session)
        elif event == "api_request":
            yield self._request(record, session)
        elif event in ("api_response", "api_error"):
            yield self._answer(record, session)
        elif event == "tool_call":
            yield self._tool_logged(record, session)
        elif event == "tool_output_truncated":
            yield self._tool_cut(record, session)

    def _prompt(self, record: LogRecord, session: str) -> Opening:
        said = string(record.attributes, "prompt")
        return Opening(
            **_who(record, self.name, session, "prompt"),
            input=(Message("user", (Part("text", said),)),) if said else None,
            capture=capture_of(
                record, texts={"prompt": said}, hidden=None if said else "content_off"
            ),
        )

    def _request(self, record: LogRecord, session: str) -> Piece:
        given = _named(messages(record.attributes.get("request_text")))
        capture = _capture(record, "request_text", missing=given is None)
        return self._piece(record, session, "request", input=given, capture=capture)

    def _answer(self, record: LogRecord, session: str) -> Piece:
        attributes = record.attributes
        answer = decode(attributes.get("response_text"))
        made = _named(_candidates(answer))
        error = string(attributes, "error", "error.type", "error_type", "error.message")
        counts = {name: attributes.get(key) for key, name in _COUNTS.items()}
        reasons = attributes.get("finish_reasons")
        return self._piece(
            record,
            session,
            "answer",
            output=made,
            error=error,
            capture=_capture(record, "response_text", missing=made is None and not error),
            usage=usage_of(counts),
            finish_reasons=tuple(r for r in reasons if isinstance(r, str))
            if isinstance(reasons, list)
            else (),
        )

    def _piece(self, record: LogRecord, session: str, kind: Any, **told: Any) -> Piece:
        attributes = record.attributes
        role = string(attributes, "role")
        return Piece(
            **_who(record, self.name, session, kind) | told,
            kind=kind,
            lane=string(attributes, "prompt_id") or "",
            marks=(f"span={record.span_id}",) if record.span_id else (),
            provider="gcp.gen_ai",
            model=string(attributes, "model"),
            utility=role is not None and role != "main",
        )

    def _call_span(self, span: Span, session: str) -> Piece:
        attributes = span.attributes
        given = _named(messages(attributes.get(convention.INPUT)))
        made = _named(messages(attributes.get(convention.OUTPUT), role="assistant"))
        system = messages(decode(attributes.get(convention.SYSTEM)), role="system")
        if given is not None:
            given = (*(system or ()), *given)
        offered = attributes.get("gen_ai.tool.definitions")
        hidden = "content_off" if given is None and made is None else None
        return Piece(
            **_who(span, self.name, session, "call"),
            kind="span",
            lane=string(attributes, "gen_ai.prompt.name") or "",
            marks=(f"span={span.span_id}",),
            provider="gcp.gen_ai",
            model=string(attributes, "gen_ai.response.model", "gen_ai.request.model"),
            tools=None if offered is None or cut_marker(str(offered)) else tool_names(offered),
            input=given,
            output=made,
            usage=usage_of(attributes),
            capture=capture_of(span, _SIDES, hidden=hidden),
        )

    def _tool_span(self, span: Span, session: str) -> ToolExecution:
        attributes = span.attributes
        asked, ended = (decode(attributes.get(key)) for key in _SIDES)
        name = string(attributes, "gen_ai.tool.name") or ""
        shared = _who(span, self.name, session, "tool")
        failed = shared["error"] is not None
        result: str | None = None
        hidden = None if failed else "content_off"
        if isinstance(ended, Mapping):
            failed = failed or ended.get("status") in ("error", "cancelled")
            result, hidden = _result(ended), None
        elif isinstance(ended, str) and ended:
            hidden = "telemetry_preview"
        arguments = asked.get("args") if isinstance(asked, Mapping) else None
        return ToolExecution(
            **shared,
            tool=name,
            call_id=_id(string(attributes, "gen_ai.tool.call_id", "gen_ai.tool.call.id"), name),
            arguments=None if arguments is None else compact(arguments),
            result=result,
            failed=failed,
            capture=capture_of(span, hidden=hidden),
        )

    def _tool_logged(self, record: LogRecord, session: str) -> ToolExecution:
        attributes = record.attributes
        arguments = decode(attributes.get("function_args"))
        size = usage_of({"input_tokens": attributes.get("content_length")}).input_tokens
        taken = usage_of({"input_tokens": attributes.get("duration_ms")}).input_tokens or 0
        shared = _who(record, self.name, session, "tool")
        return ToolExecution(
            **shared | {"start_ns": max(record.time_ns - taken * 1_000_000, 0)},
            tool=string(attributes, "function_name") or "",
            arguments=compact(arguments) if isinstance(arguments, dict | list) else arguments,
            failed=attributes.get("success") in (False, "false"),
            delivered_size=size,
            capture=capture_of(record),
        )

    def _tool_cut(self, record: LogRecord, session: str) -> ToolExecution:
        """Read the harness's own word for its cut. It is told within the tool's span."""
        attributes = record.attributes
        sizes = [
            usage_of({"input_tokens": attributes.get(key)}).input_tokens
            for key in ("original_content_length", "truncated_content_length")
        ]
        shared = _who(record, self.name, session, "tool")
        if record.span_id:
            shared["span_id"] = record.span_id
        return ToolExecution(
            **shared,
            tool=string(attributes, "tool_name") or "",
            produced_size=sizes[0],
            delivered_size=sizes[1],
            capture=capture_of(record),
        )


def _who(record: Record, dialect: str, session: str, kind: str) -> dict[str, Any]:
    shared = origin(record, dialect) | {
        "trace_id": trace_of(session),
        "conversation_id": session,
        "agent": string(record.attributes, "gen_ai.agent.name"),
        "service_version": None,  # its resource names the version of Node.js there
    }
    if isinstance(record, LogRecord):
        shared["span_id"] = span_of(
            session, kind, record.span_id, record.event_name, record.time_ns
        )
    return shared


def _capture(record: LogRecord, key: str, *, missing: bool) -> Capture:
    return capture_of(record, (key,), hidden="content_off" if missing else None)


def _id(call_id: str | None, name: str | None) -> str | None:
    """Return a call's id as the API knows it: Gemini CLI puts the tool's name before it."""
    return call_id.removeprefix(f"{name}__") if call_id and name else call_id


def _named(found: tuple[Message, ...] | None) -> tuple[Message, ...] | None:
    if found is None:
        return None
    return tuple(
        replace(message, parts=tuple(_own(part) for part in message.parts)) for message in found
    )


def _own(part: Part) -> Part:
    if part.kind == "tool_result":
        return replace(
            part, id=_id(part.id, part.name), text=_output(decode(part.text)) or part.text
        )
    return replace(part, id=_id(part.id, part.name)) if part.kind == "tool_call" else part


def _candidates(answer: Any) -> tuple[Message, ...] | None:
    """Return the answer of a list of streamed chunks, or of one response."""
    parts: list[Any] = []
    for chunk in answer if isinstance(answer, list) else [answer]:
        candidates = chunk.get("candidates") if isinstance(chunk, Mapping) else None
        first = candidates[0] if isinstance(candidates, list) and candidates else None
        content = first.get("content") if isinstance(first, Mapping) else None
        found = content.get("parts") if isinstance(content, Mapping) else None
        parts += found if isinstance(found, list) else []
    if not parts:
        return None
    read = messages([{"role": "model", "parts": parts}])
    if not read:
        return read
    said = "".join(part.text for message in read for part in message.of_kind("text"))
    others = tuple(part for message in read for part in message.parts if part.kind != "text")
    return (Message("assistant", ((Part("text", said),) if said else ()) + others),)


def _result(ended: Mapping[str, Any]) -> str | None:
    """Return a finished tool call's result: the text in the parts that the model is to be sent."""
    response = ended.get("response")
    parts = response.get("responseParts") if isinstance(response, Mapping) else None
    if not isinstance(parts, list):
        return None
    for part in parts:
        returned = part.get("functionResponse") if isinstance(part, Mapping) else None
        if isinstance(returned, Mapping) and returned.get("response") is not None:
            found = returned["response"]
            return _output(found) or unwrap_tool_result(found)[0]
    return None


def _output(found: Any) -> str | None:
    """Return the one text of a function response, None where it holds more than that."""
    if isinstance(found, Mapping) and len(found) == 1:
        ((key, value),) = found.items()
        if key in ("output", "error", "result") and isinstance(value, str):
            return value
    return None
