"""Export requests in protobuf → records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from collector.otlp.pairs import parsed, read_attributes, read_name, read_value
from collector.otlp.value import FRAME_BYTES, LAST_INT64, UNREADABLE
from collector.otlp.wire import PLAIN, REQUEST, SPAN, is_large, too_many_fields
from collector.span import Event, LogRecord, Record, Resource, Scope, Span
from collector.text import from_utf8

_Part = tuple[Sequence[Any], tuple[Resource, Scope]]


def decode(signal: Signal, body: bytes) -> tuple[list[Record], Refusals]:
    """Read a request. Raises `Permanent` when its outer parts are no protobuf."""
    if too_many_fields(body, REQUEST):
        raise Permanent("the body holds too many parts: send smaller batches", reason="too_large")
    traces = signal == "traces"
    # The fields of a large body's records are counted too, record by record.
    parts = None if is_large(body) else _parts(traces, body, apart=False)
    parts = _parts(traces, body, apart=True) if parts is None else parts
    if parts is None:
        kind = messages.TracesRequest if traces else messages.LogsRequest
        raise Permanent(f"the body ({len(body)} bytes) is no {kind.DESCRIPTOR.name} in protobuf")
    records: list[Record] = []
    refusals = Refusals()
    read = _span if traces else _log_record
    for raw_records, origin in parts:
        _read_all(raw_records, read, origin, records, refusals)
    return records, refusals


def _parts(traces: bool, body: bytes, *, apart: bool) -> list[_Part] | None:  # noqa: FBT001 - which of two signals it is
    """Return the records of a request with where they come from, part by part; None where it
    can't be parsed. `apart`: with each record as bytes, so that one that is damaged costs itself.
    """
    if traces:
        request = messages.TracesRequestApart if apart else messages.TracesRequest
    else:
        request = messages.LogsRequestApart if apart else messages.LogsRequest
    found: list[_Part] = []
    try:
        message = request.FromString(body)
        for group in message.resource_spans if traces else message.resource_logs:
            resource = Resource(attributes=dict(read_attributes(group.resource.attributes)[0]))
            for part in group.scope_spans if traces else group.scope_logs:
                scope = Scope(read_name(part.scope.name), read_name(part.scope.version))
                found.append((part.spans if traces else part.log_records, (resource, scope)))
    except DecodeError:
        return None
    return found


def _read_all(
    raw_records: Sequence[Any],
    read: Callable[[Any, Resource, Scope], Record],
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
            refusals.add("malformed", "a record is no valid protobuf")
    refusals.add_too_many(beyond)


def _span(raw: Any, resource: Resource, scope: Scope) -> Span:
    message = parsed(messages.Span, raw, SPAN) if isinstance(raw, bytes) else raw
    attributes, unreadable, size = read_attributes(message.attributes)
    events = []
    for event in message.events:
        found, lost, weight = read_attributes(event.attributes)
        unreadable += lost + event.dropped_attributes_count
        size += weight + len(event.name) + FRAME_BYTES
        time_ns = _time(event.time_unix_nano)
        events.append(Event(name=read_name(event.name), time_ns=time_ns, attributes=found))
    parent, name = message.parent_span_id, message.name
    status = message.status if message.HasField("status") else None
    return Span(
        trace_id=from_bytes(message.trace_id, TRACE_BYTES, "trace id"),
        span_id=from_bytes(message.span_id, SPAN_BYTES, "span id"),
        parent_id=(optional_bytes(parent, SPAN_BYTES) or None) if parent else None,
        name=read_name(name),
        kind=message.kind,
        start_ns=_time(message.start_time_unix_nano),
        end_ns=_time(message.end_time_unix_nano),
        attributes=attributes,
        events=tuple(events),
        status=status.code if status else 0,
        status_message=from_utf8(status.message) if status else "",
        dropped=message.dropped_attributes_count + message.dropped_events_count + unreadable,
        resource=resource,
        scope=scope,
        size=size + len(name) + FRAME_BYTES,
    )


def _log_record(raw: Any, resource: Resource, scope: Scope) -> LogRecord:
    message = parsed(messages.LogRecord, raw, PLAIN) if isinstance(raw, bytes) else raw
    attributes, unreadable, size = read_attributes(message.attributes)
    body = read_value(message.body, 0)
    named = attributes.get("event.name")
    return LogRecord(
        trace_id=optional_bytes(message.trace_id, TRACE_BYTES),
        span_id=optional_bytes(message.span_id, SPAN_BYTES),
        time_ns=_time(message.time_unix_nano) or _time(message.observed_time_unix_nano),
        event_name=read_name(message.event_name) or (named if isinstance(named, str) else ""),
        body=None if body is UNREADABLE else body,
        attributes=attributes,
        dropped=message.dropped_attributes_count + unreadable + (body is UNREADABLE),
        resource=resource,
        scope=scope,
        size=size + message.body.ByteSize() + FRAME_BYTES,
    )


def _time(value: int) -> int:
    return value if value <= LAST_INT64 else 0
