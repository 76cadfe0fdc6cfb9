"""Export requests in JSON → records.

As OTLP/JSON says, and as senders really write it: snake_case keys, 64-bit integers and times as
numbers or texts, enums by number or name, ids in hex or base64.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from collector.errors import Permanent
from collector.otlp.batch import Refusals, Signal
from collector.otlp.identifier import (
    SPAN_BYTES,
    TRACE_BYTES,
    InvalidIdError,
    from_text,
    optional_text,
)
from collector.otlp.json_value import (
    JsonObject,
    any_value,
    attributes_of,
    count,
    field,
    integer,
    text_of,
    time_ns,
    whole_number,
)
from collector.otlp.value import UNREADABLE, weight
from collector.span import Event, LogRecord, Record, Resource, Scope, Span

# What a record costs on the wire beside its texts: ids, times, field tags.
_FRAME_BYTES = 64

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


def parse(body: bytes) -> dict[str, Any]:
    """Parse a body. Raises `Permanent` when it is no JSON object."""
    try:
        parsed = json.loads(body.decode("utf-8-sig", "replace"), parse_int=whole_number)
    except RecursionError:
        raise Permanent("the body is JSON that nests too deep") from None
    except ValueError as error:
        raise Permanent(f"the body ({len(body)} bytes) is no JSON: {error}") from None
    if not isinstance(parsed, dict):
        raise Permanent(f"the body is a JSON {type(parsed).__name__}, expected an object")
    return parsed


def signals(parsed: JsonObject) -> list[str]:
    """Name the signals a parsed body holds: traces, logs, metrics."""
    return [signal for signal, path in _PATHS.items() if any(key in parsed for key in path[0])]


def decode(signal: Signal, body: bytes) -> tuple[list[Record], Refusals]:
    """Read a request. Raises `Permanent` when it is no JSON object of that signal.

    An empty body, and an object without records, are empty requests.
    """
    records: list[Record] = []
    refusals = Refusals()
    if not body.strip():
        return records, refusals
    parsed = parse(body)
    held = signals(parsed)
    if held and signal not in held:
        raise Permanent(f"the body holds {' and '.join(held)}, expected {signal}")
    read = _span if signal == "traces" else _log_record
    outer, middle, inner = _PATHS[signal]
    for group in _objects(parsed, outer, refusals):
        resource = Resource(attributes=attributes_of(_child(group, "resource"))[0])
        for part in _objects(group, middle, refusals):
            scope = _scope(_child(part, "scope"))
            for raw in _objects(part, inner, refusals):
                try:
                    records.append(read(raw, resource, scope))
                except InvalidIdError as error:
                    refusals.add("invalid_id", str(error))
    return records, refusals


def _objects(
    holder: JsonObject, names: tuple[str, str], refusals: Refusals
) -> Iterator[JsonObject]:
    given = field(holder, *names)
    if given is None:
        return
    if not isinstance(given, list):
        kind = type(given).__name__
        refusals.add("malformed", f"{names[0]} is a JSON {kind}, expected an array")
        return
    for item in given:
        if isinstance(item, dict):
            yield item
        else:
            kind = type(item).__name__
            refusals.add("malformed", f"{names[0]} holds a JSON {kind}, expected an object")


def _child(holder: JsonObject, name: str) -> JsonObject:
    child = holder.get(name)
    return child if isinstance(child, dict) else {}


def _scope(given: JsonObject) -> Scope:
    return Scope(name=text_of(given.get("name")), version=text_of(given.get("version")))


def _enum(value: Any, names: dict[str, int]) -> int:
    if isinstance(value, str) and not value.strip().isdecimal():
        return names.get(value.strip().upper().rpartition("_")[2], 0)
    return integer(value) or 0


def _span(raw: JsonObject, resource: Resource, scope: Scope) -> Span:
    attributes, unreadable = attributes_of(raw)
    events, lost = _events(raw.get("events"))
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
        dropped=unreadable
        + lost
        + count(field(raw, "droppedAttributesCount", "dropped_attributes_count"))
        + count(field(raw, "droppedEventsCount", "dropped_events_count")),
        resource=resource,
        scope=scope,
        size=_FRAME_BYTES
        + weight(name)
        + weight(attributes)
        + sum(weight(event.name) + weight(event.attributes) for event in events),
    )


def _events(given: Any) -> tuple[tuple[Event, ...], int]:
    """Return the events in list order, and how many events and attributes can't be read."""
    if not isinstance(given, list):
        return (), 1 if given else 0
    events = []
    lost = 0
    for item in given:
        if not isinstance(item, dict):
            lost += 1
            continue
        attributes, unreadable = attributes_of(item)
        lost += unreadable
        lost += count(field(item, "droppedAttributesCount", "dropped_attributes_count"))
        at = time_ns(field(item, "timeUnixNano", "time_unix_nano"))
        events.append(Event(name=text_of(item.get("name")), time_ns=at, attributes=attributes))
    return tuple(events), lost


def _log_record(raw: JsonObject, resource: Resource, scope: Scope) -> LogRecord:
    attributes, unreadable = attributes_of(raw)
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
        dropped=unreadable
        + (body is UNREADABLE)
        + count(field(raw, "droppedAttributesCount", "dropped_attributes_count")),
        resource=resource,
        scope=scope,
        size=_FRAME_BYTES + weight(attributes) + (0 if body is UNREADABLE else weight(body)),
    )
