"""Codex's own telemetry: log records. Its spans are about itself and hold no content.

Every record names its conversation; some stand in a trace of their own, most in none. A record's
event name is a place in the source: what it is about stands in the attribute `event.name`. What
the model was sent and what it answered are never recorded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from collector.content import capture_of, cut_marker, decode, redacted, usage_of
from collector.dialect import AnyOperation, Opening, Piece, Shape, origin
from collector.span import LogRecord, Record, Span
from collector.spelling.convention import string
from collector.spelling.placed import span_of, trace_of
from scorers.turn import Capture, Message, Part, ToolExecution, Usage

_COUNTS = {
    "input_token_count": "input_tokens",
    "output_token_count": "output_tokens",
    "cached_token_count": "cache_read_tokens",
    "cache_write_token_count": "cache_creation_tokens",
}
# Tokens of a command's output that the model is given, unless it asks for fewer.
_BUDGET = 10_000
# How the harness says what a command's output came to, before the model is given its share.
_ORIGINAL = re.compile(r"^Original token count: (\d{1,12})$", re.MULTILINE)


class Codex:
    """Reads the log records of Codex."""

    name = "codex"

    def fits(self, shape: Shape) -> bool:
        """Log records with an event name of their own, and the spans of Codex's scopes."""
        if shape.event is None:
            return _is_own(shape.scope)
        return "event.name" in shape.keys or shape.event.startswith("codex.")

    def claims(self, record: Record) -> bool:
        """Say whether a log record's name is one of Codex's; its spans are known by their scope."""
        if isinstance(record, Span):
            return _is_own(record.scope.name)
        return _event(record).startswith("codex.")

    def operations(self, record: Record) -> Iterable[AnyOperation]:
        """Yield the prompt, the tool call or the counts of a model call."""
        if isinstance(record, Span):
            return
        session = string(record.attributes, "conversation.id")
        if session is None:
            return
        event = _event(record)
        if event == "codex.user_prompt":
            yield self._prompt(record, session)
        elif event == "codex.tool_result":
            yield self._tool(record, session)
        elif event in ("codex.sse_event", "codex.websocket_event"):
            if string(record.attributes, "event.kind") == "response.completed":
                counts = _usage(record)
                if counts.input_tokens is not None:
                    yield self._call(record, session, counts)
            elif string(record.attributes, "error.message"):
                yield self._call(record, session, Usage())

    def _prompt(self, record: LogRecord, session: str) -> Opening:
        said = record.attributes.get("prompt")
        words = said if isinstance(said, str) and not redacted(said) else ""
        return Opening(
            **_who(record, self.name, session, "prompt"),
            input=(Message("user", (Part("text", words),)),) if words else None,
            capture=capture_of(
                record, texts={"prompt": said}, hidden=None if words else _why_off(said)
            ),
        )

    def _call(self, record: LogRecord, session: str, counts: Usage) -> Piece:
        model = string(record.attributes, "model", "slug")
        return Piece(
            **_who(record, self.name, session, "call")
            | {"error": string(record.attributes, "error.message")},
            kind="usage",
            lane=string(record.attributes, "agent_name") or "",
            marks=(f"time={record.time_ns}",),  # each is a call of its own
            provider=string(record.attributes, "provider_name"),
            model=model,
            usage=counts,
        )

    def _tool(self, record: LogRecord, session: str) -> ToolExecution:
        attributes = record.attributes
        output = string(attributes, "output")
        preview = attributes.get("output_truncated") in (True, "true")
        preview = preview or (output is not None and cut_marker(output))
        hidden = None
        if output is None or redacted(output):
            hidden = "redacted" if redacted(output) else None
        elif preview:
            hidden = "telemetry_preview"
        produced, delivered = _sizes(output, attributes.get("arguments"))
        taken = usage_of({"input_tokens": attributes.get("duration_ms")}).input_tokens or 0
        shared = _who(record, self.name, session, "tool")
        return ToolExecution(
            **shared | {"start_ns": max(record.time_ns - taken * 1_000_000, 0)},
            tool=string(attributes, "tool_name") or "",
            call_id=string(attributes, "call_id"),
            arguments=string(attributes, "arguments"),
            result=None if hidden else output,
            failed=attributes.get("success") in ("false", False),
            produced_size=produced,
            delivered_size=delivered,
            size_unit="characters" if produced is None else "tokens",
            capture=_shown(record, output, hidden),
        )


def _sizes(output: str | None, arguments: Any) -> tuple[int | None, int | None]:
    """Return how much a command printed where that is more than the model's budget for it, and
    that budget where the model set it. Codex estimates tokens: what is within counts for nothing.
    """
    stated = _ORIGINAL.search(output[:400]) if output is not None else None
    given = decode(arguments)
    asked = given.get("max_output_tokens") if isinstance(given, Mapping) else None
    budget = asked if isinstance(asked, int) and asked > 0 else None
    if stated is None or int(stated[1]) <= (budget or _BUDGET):
        return None, None
    return int(stated[1]), budget


def _shown(record: LogRecord, output: str | None, hidden: str | None) -> Capture:
    # A preview's own length says nothing about the limits of the exporter.
    return capture_of(record, texts={} if hidden else {"output": output}, hidden=hidden)


def _is_own(scope: str) -> bool:
    # codex_exec, codex_cli_rs, codex_app_server: the program is the scope.
    return scope == "codex" or scope.startswith(("codex_", "codex-"))


def _event(record: LogRecord) -> str:
    return string(record.attributes, "event.name") or record.event_name


def _who(record: LogRecord, dialect: str, session: str, kind: str) -> dict[str, Any]:
    attributes = record.attributes
    call = string(attributes, "call_id") or ""
    return origin(record, dialect) | {
        "name": _event(record),
        "trace_id": trace_of(session),
        "span_id": span_of(session, kind, call, record.time_ns),
        "conversation_id": session,
        "agent_version": string(attributes, "app.version"),
    }


def _usage(record: LogRecord) -> Usage:
    return usage_of({name: record.attributes.get(key) for key, name in _COUNTS.items()})


def _why_off(said: Any) -> str:
    return "redacted" if redacted(said) else "content_off"
