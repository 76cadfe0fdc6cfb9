"""Export requests as tests send them, and receivers that are really listening."""

import contextlib
import json
from collections import Counter
from dataclasses import dataclass, field

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

TRACE_ID = "5b8efff798038103d269b633813fc60c"  # the ids of the OTLP specification's examples
SPAN_ID = "eee19b7ec3c1b174"


def span_id(number):
    return f"{number + 1:016x}"


def traces(count=1, text="hello"):
    """A request with `count` spans, as protobuf message."""
    request = ExportTraceServiceRequest()
    group = request.resource_spans.add()
    group.resource.attributes.add(key="service.name").value.string_value = "desk-bot"
    part = group.scope_spans.add()
    part.scope.name = "opentelemetry.util.genai"
    for number in range(count):
        span = part.spans.add(
            trace_id=bytes.fromhex(TRACE_ID),
            span_id=bytes.fromhex(span_id(number)),
            name=f"chat {number}",
            start_time_unix_nano=1_796_050_000_000_000_000,
            end_time_unix_nano=1_796_050_001_000_000_000,
        )
        span.attributes.add(key="text").value.string_value = text
    return request


def logs(count=1):
    """A request with `count` log records, as protobuf message."""
    request = ExportLogsServiceRequest()
    part = request.resource_logs.add().scope_logs.add()
    for number in range(count):
        record = part.log_records.add(time_unix_nano=number + 1, event_name="gen_ai.choice")
        record.body.string_value = f"body {number}"
    return request


def json_traces(*spans):
    """A request in OTLP/JSON with the spans given as they are."""
    scope_spans = [{"scope": {"name": "s"}, "spans": list(spans)}]
    return json.dumps({"resourceSpans": [{"scopeSpans": scope_spans}]}).encode()


def json_span(number=0, **fields):
    return {"traceId": TRACE_ID, "spanId": span_id(number), "name": "chat", **fields}


def attribute(key, value):
    return {"key": key, "value": value}


@dataclass
class Recorder:
    """Consumes batches and counts, as the process would; `fails` is raised instead."""

    batches: list = field(default_factory=list)
    accepted_by: Counter = field(default_factory=Counter)
    refused_by: Counter = field(default_factory=Counter)
    fails: Exception | None = None

    async def consume(self, batch):
        if self.fails:
            raise self.fails
        self.batches.append(batch)

    def accepted(self, receiver, signal, count):
        self.accepted_by[receiver, signal] += count

    def refused(self, receiver, signal, reason, count):
        self.refused_by[receiver, signal, reason] += count

    @property
    def records(self):
        return [record for batch in self.batches for record in batch.records]


@contextlib.asynccontextmanager
async def serving(receiver, settings, recorder, consume=None, in_flight=None):
    """Start a receiver, and shut it down in the end."""
    server = receiver(settings, consume or recorder.consume, recorder, in_flight)
    await server.start()
    try:
        yield server
    finally:
        await server.shutdown(5)
