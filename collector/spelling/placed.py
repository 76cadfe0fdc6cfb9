"""Records without ids, or with ids of no use: they stand together by the session they name."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

from collector.span import LogRecord, Record, Span
from collector.spelling.convention import string


def placed(record: Record) -> Record | None:
    """Give a log record without ids ids of its own; None where nothing tells it from others."""
    if isinstance(record, Span) or (record.trace_id and record.span_id):
        return record
    attributes = record.attributes
    response = string(attributes, "gen_ai.response.id")
    group = string(attributes, "gen_ai.conversation.id", "session.id") or response
    if not group:
        return None
    of_call = f"{response}\n{record.time_ns}"
    return replace(
        record,
        trace_id=record.trace_id or trace_of(group),
        span_id=record.span_id or span_of(of_call),
    )


class InSession:
    """Where a log record stands: in its session, under the span or the prompt that it names."""

    def __init__(self, session: str, parent_id: str | None) -> None:
        self.session = session
        self.parent_id = parent_id

    @classmethod
    def of(cls, record: LogRecord, prompt_key: str) -> InSession | None:
        """Return a record's place, None where it names no session."""
        session = string(record.attributes, "session.id")
        if session is None:
            return None
        prompt = string(record.attributes, prompt_key)
        return cls(session, record.span_id or (span_of(session, prompt) if prompt else None))

    def fields(self, *told: object) -> dict[str, Any]:
        """Return an operation's place as keyword arguments; `told` tells it from the others."""
        return {
            "trace_id": trace_of(self.session),
            "span_id": span_of(self.session, *told),
            "parent_id": self.parent_id,
            "conversation_id": self.session,
        }


def trace_of(group: str) -> str:
    """Return the trace id that stands for a group of records."""
    return _digest(group, 32)


def span_of(*told: object) -> str:
    """Return the span id that stands for what tells a record from others."""
    return _digest("\n".join(map(str, told)), 16)


def _digest(value: str, digits: int) -> str:
    return hashlib.sha256(value.encode("utf-8", "replace")).hexdigest()[:digits]
