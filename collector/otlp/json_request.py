"""Export requests in JSON → records.

As OTLP/JSON says, and as senders really write it: snake_case keys, 64-bit integers and times as
numbers or texts, enums by number or name, ids in hex or base64.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from collector.errors import Permanent
from collector.otlp.batch import MOST_RECORDS, Refusals, Signal
from collector.otlp.identifier import (
    SPAN_BYTES,
    TRACE_BYTES,
    InvalidIdError,
    from_text,
    optional_text,
)
from collector.otlp.json_cursor import Cursor, too_many
from collector.otlp.json_fields import Fields, read_fields
from collector.otlp.json_value import (
    JsonObject,
    any_value,
    count,
    field,
    integer,
    text_of,
    time_ns,
)
from collector.otlp.value import FRAME_BYTES, UNREADABLE, weight
from collector.span import LogRecord, Record, Resource, Scope, Span

_KINDS = {"INTERNAL": 1, "SERVER": 2, "CLIENT": 3, "PRODUCER": 4, "CONSUMER": 5}
_STATUSES = {"OK": 1, "ERROR": 2}
_PATHS = {
    "traces": (
        ("resourceSpans", "resource_spans"),
        ("scopeSpans", "scope_spans"),
        ("spans", "spans"),
    ),
    "logs": (
        ("resourceLogs", "resource_logs"),
        ("scopeLogs", "scope_logs"),
        ("logRecords", "log_records"),
    ),
    "metrics": (("resourceMetrics", "resource_metrics"),),
}


def signals(body: bytes) -> list[str]:
    """Name the signals a body holds: traces, logs, metrics. Raises `Permanent` as `decode` does."""
    cursor = _begin(body)
    keys = set()
    try:
        for key in cursor.members():
            keys.add(key)
            cursor.value()
    except ValueError as error:
        raise _no_json(body, error) from None
    return [signal for signal, path in _PATHS.items() if not keys.isdisjoint(path[0])]


def decode(signal: Signal, body: bytes) -> tuple[list[Record], Refusals]:
    """Read a request. Raises `Permanent` when it is no JSON object of that signal.

    An empty body, and an object without records, are empty requests.
    """
    if not body.strip():
        return [], Refusals()
    if too_many(body):
        raise Permanent("the body holds too many values: send smaller batches", reason="too_large")
    reading = _Reading(signal, _begin(body))
    try:
        held = reading.request()
    except ValueError as error:
        raise _no_json(body, error) from None
    if held and signal not in held:
        raise Permanent(f"the body holds {' and '.join(held)}, expected {signal}")
    return reading.records, reading.refusals


def _begin(body: bytes) -> Cursor:
    cursor = Cursor(body.decode("utf-8-sig", "replace"))
    if cursor.kind() != "object":
        try:
            given = cursor.value()
        except ValueError as error:
            raise _no_json(body, error) from None
        raise Permanent(f"the body is {_named(given)}, expected an object")
    return cursor


def _no_json(body: bytes, error: ValueError) -> Permanent:
    return Permanent(f"the body ({len(body)} bytes) is no JSON: {error}")


def _named(value: Any) -> str:
    kind = "value that nests too deep" if value is UNREADABLE else type(value).__name__
    return f"a JSON {kind}"


class _Reading:
    """Walks one request, so that no more of it than a single record exists in parts."""

    def __init__(self, signal: Signal, cursor: Cursor) -> None:
        self.records: list[Record] = []
        self.refusals = Refusals()
        self._cursor = cursor
        self._outer, self._middle, self._inner = _PATHS[signal]
        self._read = _span if signal == "traces" else _log_record
        self._seen = 0

    def request(self) -> list[str]:
        """Read the whole of it; return the signals that it names."""
        keys = set()
        for key in self._cursor.members():
            keys.add(key)
            if key in self._outer:
                for _ in self._objects(self._outer):
                    self._group()
            else:
                self._cursor.value()
        self._cursor.end()
        self.refusals.add_too_many(self._seen - MOST_RECORDS)
        return [signal for signal, path in _PATHS.items() if not keys.isdisjoint(path[0])]

    def _group(self) -> None:
        resource = Resource()
        first = last = len(self.records)
        for key in self._cursor.members():
            if key in self._middle:
                for _ in self._objects(self._middle):
                    self._part(resource)
            elif key == "resource":
                resource, last = Resource(attributes=self._child().attributes), len(self.records)
            else:
                self._cursor.value()
        for at in range(first, last):  # they came before their resource
            self.records[at] = dataclasses.replace(self.records[at], resource=resource)

    def _part(self, resource: Resource) -> None:
        scope = Scope()
        first = last = len(self.records)
        for key in self._cursor.members():
            if key in self._inner:
                for _ in self._objects(self._inner):
                    self._record(resource, scope)
            elif key == "scope":
                scope, last = _scope(self._child().values), len(self.records)
            else:
                self._cursor.value()
        for at in range(first, last):
            self.records[at] = dataclasses.replace(self.records[at], scope=scope)

    def _record(self, resource: Resource, scope: Scope) -> None:
        self._seen += 1
        if self._seen > MOST_RECORDS:
            self._cursor.value()
            return
        fields = read_fields(self._cursor)
        try:
            self.records.append(self._read(fields, resource, scope))
        except InvalidIdError as error:
            self.refusals.add("invalid_id", str(error))

    def _child(self) -> Fields:
        if self._cursor.kind() == "object":
            return read_fields(self._cursor)
        self._cursor.value()
        return Fields()

    def _objects(self, names: tuple[str, str]) -> Iterator[None]:
        """Yield before each object of an array; what is neither is refused."""
        cursor = self._cursor
        if cursor.kind() != "array":
            given = cursor.value()
            if given is not None:
                message = f"{names[0]} is {_named(given)}, expected an array"
                self.refusals.add("malformed", message)
            return
        for _ in cursor.items():
            if cursor.kind() == "object":
                yield
            else:
                message = f"{names[0]} holds {_named(cursor.value())}, expected an object"
                self.refusals.add("malformed", message)


def _child(holder: JsonObject, name: str) -> JsonObject:
    child = holder.get(name)
    return child if isinstance(child, dict) else {}


def _scope(given: JsonObject) -> Scope:
    return Scope(name=text_of(given.get("name")), version=text_of(given.get("version")))


def _enum(value: Any, names: dict[str, int]) -> int:
    if isinstance(value, str) and not value.strip().isdecimal():
        return names.get(value.strip().upper().rpartition("_")[2], 0)
    return integer(value) or 0


def _span(fields: Fields, resource: Resource, scope: Scope) -> Span:
    raw, attributes, events = fields.values, fields.attributes, tuple(fields.events)
    status = _child(raw, "status")
    name = text_of(raw.get("name"))
    return Span(
        trace_id=from_text(field(raw, "traceId", "trace_id"), TRACE_BYTES, "traceId"),
        span_id=from_text(field(raw, "spanId", "span_id"), SPAN_BYTES, "spanId"),
        parent_id=optional_text(field(raw, "parentSpanId", "parent_span_id"), SPAN_BYTES) or None,
        name=name,
        kind=_enum(raw.get("kind"), _KINDS),
        start_ns=time_ns(field(raw, "startTimeUnixNano", "start_time_unix_nano")),
        end_ns=time_ns(field(raw, "endTimeUnixNano", "end_time_unix_nano")),
        attributes=attributes,
        events=events,
        status=_enum(status.get("code"), _STATUSES),
        status_message=text_of(status.get("message")),
        dropped=fields.lost
        + count(field(raw, "droppedAttributesCount", "dropped_attributes_count"))
        + count(field(raw, "droppedEventsCount", "dropped_events_count")),
        resource=resource,
        scope=scope,
        size=FRAME_BYTES
        + weight(name)
        + weight(attributes)
        + sum(weight(event.name) + weight(event.attributes) for event in events),
    )


def _log_record(fields: Fields, resource: Resource, scope: Scope) -> LogRecord:
    raw, attributes = fields.values, fields.attributes
    body = any_value(raw.get("body"))
    named = attributes.get("event.name")
    return LogRecord(
        trace_id=optional_text(field(raw, "traceId", "trace_id"), TRACE_BYTES),
        span_id=optional_text(field(raw, "spanId", "span_id"), SPAN_BYTES),
        time_ns=time_ns(field(raw, "timeUnixNano", "time_unix_nano"))
        or time_ns(field(raw, "observedTimeUnixNano", "observed_time_unix_nano")),
        event_name=text_of(field(raw, "eventName", "event_name"))
        or (named if isinstance(named, str) else ""),
        body=None if body is UNREADABLE else body,
        attributes=attributes,
        dropped=fields.lost
        + (body is UNREADABLE)
        + count(field(raw, "droppedAttributesCount", "dropped_attributes_count")),
        resource=resource,
        scope=scope,
        size=FRAME_BYTES + weight(attributes) + (0 if body is UNREADABLE else weight(body)),
    )
