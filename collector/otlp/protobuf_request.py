"""Export requests in protobuf → records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any

from google.protobuf.message import DecodeError

from collector.errors import Permanent
from collector.otlp import messages
from collector.otlp.batch import MOST_RECORDS, Refusals, Signal
from collector.otlp.identifier import (
    SPAN_BYTES,
    TRACE_BYTES,
    InvalidIdError,
    from_bytes,
    optional_bytes,
)
from collector.otlp.text import from_utf8
from collector.otlp.value import LAST_INT64, MAX_DEPTH, UNREADABLE
from collector.otlp.wire import PLAIN, REQUEST, SPAN, Shape, too_many_fields
from collector.span import Event, LogRecord, Record, Resource, Scope, Span


def decode(signal: Signal, body: bytes) -> tuple[list[Record], Refusals]:
    """Read a request. Raises `Permanent` when its outer parts are no protobuf."""
    if too_many_fields(body, REQUEST):
        raise Permanent("the body holds too many parts: send smaller batches", reason="too_large")
    request = messages.TracesRequest if signal == "traces" else messages.LogsRequest
    try:
        parsed = request.FromString(body)
    except DecodeError:
        raise Permanent(
            f"the body ({len(body)} bytes) is no {request.DESCRIPTOR.name} in protobuf"
        ) from None
    records: list[Record] = []
    refusals = Refusals()
    if signal == "traces":
        for group in parsed.resource_spans:
            resource = _resource(group.resource)
            for part in group.scope_spans:
                _read_all(part.spans, _span, (resource, _scope(part.scope)), records, refusals)
    else:
        for group in parsed.resource_logs:
            resource = _resource(group.resource)
            for part in group.scope_logs:
                found = (resource, _scope(part.scope))
                _read_all(part.log_records, _log_record, found, records, refusals)
    return records, refusals


def _read_all(
    raw_records: Sequence[bytes],
    read: Callable[[bytes, Resource, Scope], Record],
    origin: tuple[Resource, Scope],
    records: list[Record],
    refusals: Refusals,
) -> None:
    room = max(MOST_RECORDS - len(records) - refusals.total, 0)
    beyond = len(raw_records) - room
    for raw in islice(raw_records, room):
        try:
            records.append(read(raw, *origin))
        except InvalidIdError as error:
            refusals.add("invalid_id", str(error))
        except DecodeError:
            refusals.add("malformed", f"a record of {len(raw)} bytes is no valid protobuf")
    refusals.add_too_many(beyond)


def _parsed(kind: Any, raw: bytes, shape: Shape) -> Any:
    if too_many_fields(raw, shape):
        raise DecodeError("too many fields")
    return kind.FromString(raw)


def _resource(message: Any) -> Resource:
    return Resource(attributes=_attributes(message.attributes)[0])


def _scope(message: Any) -> Scope:
    return Scope(name=from_utf8(message.name), version=from_utf8(message.version))


def _span(raw: bytes, resource: Resource, scope: Scope) -> Span:
    message = _parsed(messages.Span, raw, SPAN)
    attributes, unreadable = _attributes(message.attributes)
    events = []
    for event in message.events:
        found, lost = _attributes(event.attributes)
        unreadable += lost + event.dropped_attributes_count
        time_ns = _time(event.time_unix_nano)
        events.append(Event(name=from_utf8(event.name), time_ns=time_ns, attributes=found))
    return Span(
        trace_id=from_bytes(message.trace_id, TRACE_BYTES, "trace id"),
        span_id=from_bytes(message.span_id, SPAN_BYTES, "span id"),
        parent_id=optional_bytes(message.parent_span_id, SPAN_BYTES) or None,
        name=from_utf8(message.name),
        kind=message.kind,
        start_ns=_time(message.start_time_unix_nano),
        end_ns=_time(message.end_time_unix_nano),
        attributes=attributes,
        events=tuple(events),
        status=message.status.code,
        status_message=from_utf8(message.status.message),
        dropped=message.dropped_attributes_count + message.dropped_events_count + unreadable,
        resource=resource,
        scope=scope,
        size=len(raw),
    )


def _log_record(raw: bytes, resource: Resource, scope: Scope) -> LogRecord:
    message = _parsed(messages.LogRecord, raw, PLAIN)
    attributes, unreadable = _attributes(message.attributes)
    body = _value(message.body, 0)
    named = attributes.get("event.name")
    return LogRecord(
        trace_id=optional_bytes(message.trace_id, TRACE_BYTES),
        span_id=optional_bytes(message.span_id, SPAN_BYTES),
        time_ns=_time(message.time_unix_nano) or _time(message.observed_time_unix_nano),
        event_name=from_utf8(message.event_name) or (named if isinstance(named, str) else ""),
        body=None if body is UNREADABLE else body,
        attributes=attributes,
        dropped=message.dropped_attributes_count + unreadable + (body is UNREADABLE),
        resource=resource,
        scope=scope,
        size=len(raw),
    )


def _time(value: int) -> int:
    return value if value <= LAST_INT64 else 0


def _attributes(pairs: Iterable[Any]) -> tuple[dict[str, Any], int]:
    """Return the attributes (of equal keys the last one) and how many can't be read."""
    attributes = {}
    unreadable = 0
    for pair in pairs:
        value = _value(pair.value, 0)
        if value is UNREADABLE:
            unreadable += 1
        else:
            attributes[from_utf8(pair.key)] = value
    return attributes, unreadable


def _value(message: Any, depth: int) -> Any:
    kind = message.WhichOneof("value")
    if kind == "string_value":
        return from_utf8(message.string_value)
    if kind is None or kind == "string_value_strindex":  # an index into a table OTLP doesn't send
        return None
    if kind not in {"array_value", "kvlist_value"}:
        return getattr(message, kind)
    if depth >= MAX_DEPTH:
        return UNREADABLE
    try:
        if kind == "array_value":
            return _array(message.array_value, depth + 1)
        return _kvlist(message.kvlist_value, depth + 1)
    except DecodeError:
        return UNREADABLE


def _array(raw: bytes, depth: int) -> Any:
    values = []
    for item in _parsed(messages.ArrayValue, raw, PLAIN).values:
        value = _value(messages.AnyValue.FromString(item), depth)
        if value is UNREADABLE:
            return UNREADABLE
        values.append(value)
    return values


def _kvlist(raw: bytes, depth: int) -> Any:
    found = {}
    for item in _parsed(messages.KeyValueList, raw, PLAIN).values:
        pair = messages.KeyValue.FromString(item)
        value = _value(pair.value, depth)
        if value is UNREADABLE:
            return UNREADABLE
        found[from_utf8(pair.key)] = value
    return found
