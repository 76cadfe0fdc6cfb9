"""The OTLP messages, in a private pool with two changes that stay compatible on the wire.

* Strings are `bytes`: protobuf refuses a whole request for one string that is no UTF-8, and
  instrumentation does cut texts in the middle of a character. (It also spends most of its time on
  that check.)
* Attributes and nested attribute values are `bytes` too, taken apart one by one: what is wrong
  inside one of them costs that one, not the request, nesting is bounded here instead of by
  protobuf, and of most attributes no object is ever built.
"""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2
from opentelemetry.proto.common.v1 import common_pb2
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.metrics.v1 import metrics_pb2
from opentelemetry.proto.resource.v1 import resource_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

_FILES = (
    common_pb2,
    resource_pb2,
    trace_pb2,
    logs_pb2,
    metrics_pb2,
    trace_service_pb2,
    logs_service_pb2,
    metrics_service_pb2,
)
_TAKEN_APART_LATER = {
    ("Resource", "attributes"),
    ("Span", "attributes"),
    ("Event", "attributes"),
    ("LogRecord", "attributes"),
    ("AnyValue", "array_value"),
    ("AnyValue", "kvlist_value"),
    ("ArrayValue", "values"),
    ("KeyValueList", "values"),
    ("Span", "links"),
}
_RECORDS = {("ScopeSpans", "spans"), ("ScopeLogs", "log_records")}
_FIELD = descriptor_pb2.FieldDescriptorProto


def _pool(taken_apart: set[tuple[str, str]]) -> descriptor_pool.DescriptorPool:
    pool = descriptor_pool.DescriptorPool()
    for module in _FILES:
        file = descriptor_pb2.FileDescriptorProto.FromString(module.DESCRIPTOR.serialized_pb)
        for message in file.message_type:
            _loosen(message, taken_apart)
        pool.Add(file)
    return pool


def _loosen(message: descriptor_pb2.DescriptorProto, taken_apart: set[tuple[str, str]]) -> None:
    for field in message.field:
        if (message.name, field.name) in taken_apart or field.type == _FIELD.TYPE_STRING:
            field.type = _FIELD.TYPE_BYTES
            field.ClearField("type_name")
    for nested in message.nested_type:  # Span.Event, Span.Link
        _loosen(nested, taken_apart)


_whole = _pool(_TAKEN_APART_LATER)
_apart = _pool(_TAKEN_APART_LATER | _RECORDS)


def _message(name: str, pool: descriptor_pool.DescriptorPool = _whole) -> Any:
    descriptor = pool.FindMessageTypeByName("opentelemetry.proto." + name)
    return message_factory.GetMessageClass(descriptor)


_TRACES = "collector.trace.v1.ExportTraceServiceRequest"
_LOGS = "collector.logs.v1.ExportLogsServiceRequest"

TracesRequest = _message(_TRACES)
LogsRequest = _message(_LOGS)
# The same with each record as bytes: what is wrong inside of one costs that one.
TracesRequestApart = _message(_TRACES, _apart)
LogsRequestApart = _message(_LOGS, _apart)
Span = _message("trace.v1.Span")
Event = _message("trace.v1.Span.Event")
LogRecord = _message("logs.v1.LogRecord")
Metric = _message("metrics.v1.Metric")
AnyValue = _message("common.v1.AnyValue")
ArrayValue = _message("common.v1.ArrayValue")
KeyValue = _message("common.v1.KeyValue")
KeyValueList = _message("common.v1.KeyValueList")
