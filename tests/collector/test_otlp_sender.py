"""The service that a request begins with, told without decoding it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from collector.otlp import decode
from collector.otlp.sender import service_of


def request(**attributes):
    made = ExportTraceServiceRequest()
    part = made.resource_spans.add()
    for key, value in attributes.items():
        pair = part.resource.attributes.add(key=key.replace("_", "."))
        if isinstance(value, int):
            pair.value.int_value = value
        else:
            pair.value.string_value = value
    part.scope_spans.add().spans.add(trace_id=b"1" * 16, span_id=b"2" * 8, name="x" * 3000)
    return made


@given(st.text(max_size=300), st.text(max_size=300))
def test_it_is_what_decoding_tells(name, other):
    body = request(telemetry_sdk_name=other, service_name=name).SerializeToString()
    [span] = decode("traces", "protobuf", body).records
    assert service_of(body) == span.resource.attributes["service.name"] == name


@pytest.mark.parametrize(
    "made",
    [
        ExportTraceServiceRequest(),
        request(),
        request(service_name=3),
        request(service_namespace="shop"),
    ],
    ids=["empty", "no attributes", "no text", "another name"],
)
def test_nothing_is_told_of_a_request_that_does_not_say_it(made):
    assert service_of(made.SerializeToString()) is None


def test_a_request_that_ends_too_soon_tells_nothing():
    body = request(service_name="billing").SerializeToString()
    whole = body.index(b"billing") + len("billing")
    assert {service_of(body[:size]) for size in range(whole)} == {None}
    assert service_of(body[:whole]) == "billing"


@given(st.binary(max_size=60), st.integers(0, 40))
def test_any_bytes_can_be_asked(noise, at):
    body = request(service_name="billing").SerializeToString()
    service_of(noise)
    service_of(body[:at] + noise + body[at:])
