"""OTLP as received: a `Span`, or a `LogRecord` that carries GenAI content.

Attribute values are plain Python: str, bool, int, float, bytes, list, dict or None. Texts are valid
Unicode (what was not is replaced by U+FFFD when decoded).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from scorers.value import value

Attributes = Mapping[str, Any]


@value
class Resource:
    """Who sent it: the attributes shared by all records of one process."""

    attributes: Attributes = field(default_factory=dict)

    def text(self, key: str) -> str | None:
        """Return a non-empty text attribute, else None."""
        value = self.attributes.get(key)
        return value if isinstance(value, str) and value else None


@value
class Scope:
    """The instrumentation library that made the record."""

    name: str = ""
    version: str = ""


@value
class Event:
    """A span event. `time_ns` is 0 where the sender gave none: list order counts."""

    name: str
    time_ns: int = 0
    attributes: Attributes = field(default_factory=dict)


@value(kw_only=True)
class Span:
    """One span. Ids are lower-case hex (32 and 16 digits); times Unix nanoseconds.

    `status` is 0 unset, 1 ok, 2 error. `dropped` is what the SDK says it dropped: attributes and
    events together. `size` is the span's size on the wire in bytes, about.
    """

    trace_id: str
    span_id: str
    parent_id: str | None = None
    name: str = ""
    kind: int = 0
    start_ns: int = 0
    end_ns: int = 0
    attributes: Attributes = field(default_factory=dict)
    events: tuple[Event, ...] = ()
    status: int = 0
    status_message: str = ""
    dropped: int = 0
    resource: Resource = field(default_factory=Resource)
    scope: Scope = field(default_factory=Scope)
    size: int = 0


@value(kw_only=True)
class LogRecord:
    """One log record. `trace_id` and `span_id` are "" where the record belongs to no span.

    `event_name` is the record's event name, else its attribute `event.name`, else "".
    """

    trace_id: str = ""
    span_id: str = ""
    time_ns: int = 0
    event_name: str = ""
    body: Any = None
    attributes: Attributes = field(default_factory=dict)
    dropped: int = 0
    resource: Resource = field(default_factory=Resource)
    scope: Scope = field(default_factory=Scope)
    size: int = 0


Record = Span | LogRecord
