"""Requests that are legal and hostile: neither memory, time nor other threads pay for them."""

import json
import sys
import threading

import pytest

from collector.errors import Permanent
from collector.otlp import batch, decode, json_cursor, wire
from exports import SPAN_ID, TRACE_ID, attribute, json_span, json_traces, logs, traces


def nested(depth, text="x"):
    return '{"arrayValue":{"values":[' * depth + json.dumps({"stringValue": text}) + "]}}" * depth


def with_value(value, *neighbours):
    span = json_span(9, attributes=[attribute("deep", "HERE"), attribute("k", {"intValue": 1})])
    return json_traces(span, *neighbours).replace(b'"HERE"', value.encode())


@pytest.mark.parametrize("depth", [400, 50_000])
def test_a_value_too_deep_to_parse_costs_that_attribute(depth):
    """As in protobuf, where the same span keeps its other attributes."""
    text = r'a "quoted" ] } \\ text'
    decoded = decode("traces", "json", with_value(nested(depth, text), json_span(1)))
    deep, neighbour = decoded.records
    assert (deep.attributes, deep.dropped) == ({"k": 1}, 1)
    assert (neighbour.dropped, decoded.rejected) == (0, 0)


def test_deep_values_elsewhere_cost_what_holds_them():
    event = {"name": "e", "attributes": [attribute("deep", "HERE"), attribute("k", {})]}
    span = json_span(events=[event], links="HERE", attributes={"deep": "HERE", "k": 1})
    body = json_traces(span).replace(b'"HERE"', nested(500).encode())
    (found,) = decode("traces", "json", body).records
    assert (found.attributes, found.events[0].attributes) == ({"k": 1}, {"k": None})
    assert found.dropped == 3


def test_a_deep_body_of_a_log_record_is_dropped():
    body = b'{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"eventName":"e","body":HERE}]}]}]}'
    (found,) = decode("logs", "json", body.replace(b"HERE", nested(500).encode())).records
    assert (found.event_name, found.body, found.dropped) == ("e", None, 1)


@pytest.mark.parametrize("tail", ["", "]" * 500, '"' + r"\"" * 500_000])
def test_a_deep_value_that_never_ends_is_no_json(tail):
    """Half a million quotes: to look for the end of a text from each would take minutes."""
    with pytest.raises(Permanent, match="no JSON"):
        decode("traces", "json", ('{"resourceSpans":[' + "[" * 5000 + tail).encode())


def test_resource_and_scope_may_follow_what_they_describe():
    """The members of a JSON object have no order."""
    part = {"spans": [json_span(1)], "scope": {"name": "s", "version": "2"}}
    resource = {"attributes": [attribute("service.name", {"stringValue": "desk"})]}
    group = {"scopeSpans": [part], "resource": resource}
    body = json.dumps({"resourceSpans": [group, {"scopeSpans": [{"spans": [json_span(2)]}]}]})
    first, second = decode("traces", "json", body.encode()).records
    assert (first.resource.text("service.name"), first.scope.version) == ("desk", "2")
    assert (second.resource.attributes, second.scope.name) == ({}, "")


@pytest.fixture
def three_records(monkeypatch):
    for module in (batch, "collector.otlp.json_request", "collector.otlp.protobuf_request"):
        name = module if isinstance(module, str) else module.__name__
        monkeypatch.setattr(f"{name}.MOST_RECORDS", 3)


def test_records_beyond_the_bound_are_refused_and_counted(three_records):
    in_json = decode("traces", "json", json_traces(*map(json_span, range(5))))
    in_protobuf = decode("traces", "protobuf", traces(5).SerializeToString())
    log_records = decode("logs", "protobuf", logs(5).SerializeToString())
    for decoded in (in_json, in_protobuf, log_records):
        assert len(decoded.records) == 3
        assert dict(decoded.refused) == {"too_many_records": 2}
        assert "at most 3 records" in decoded.message


@pytest.mark.parametrize(
    "value", ["[" + "{}," * 50 + "{}]", "[" + "[]," * 50 + "1]", "[" + "1," * 120 + "1]"]
)
def test_bodies_of_countless_tiny_values_are_refused_before_they_are_built(value, monkeypatch):
    monkeypatch.setattr(json_cursor.too_many, "__defaults__", (100,))
    with pytest.raises(Permanent, match="too many values") as refusal:
        decode("traces", "json", with_value(value))
    assert refusal.value.reason == "too_large"
    # What stands within texts is no value: tool results are full of it.
    in_text = with_value(json.dumps({"stringValue": value + r" \" {{{"}))
    assert len(decode("traces", "json", in_text).records) == 1


def field(number, content):
    length, size = b"", len(content)
    while size > 0x7F:
        length, size = length + bytes([size & 0x7F | 0x80]), size >> 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + content


EMPTIES = [
    field(1, b"") * 100,  # resource_spans
    field(1, field(2, b"") * 100),  # scope_spans
    field(1, field(1, field(1, b"") * 100)),  # attributes of the resource
    field(1, field(2, field(1, field(3, b"") * 100))),  # attributes of the scope
]


@pytest.mark.parametrize("body", EMPTIES)
def test_protobuf_of_countless_empty_messages_is_refused_before_it_is_built(body, monkeypatch):
    assert decode("traces", "protobuf", body).records == ()
    monkeypatch.setattr(wire, "MOST_FIELDS", 50)
    with pytest.raises(Permanent, match="too many parts") as refusal:
        decode("traces", "protobuf", body)
    assert refusal.value.reason == "too_large"


def test_one_record_of_countless_fields_costs_that_record(monkeypatch):
    monkeypatch.setattr(wire, "MOST_FIELDS", 50)
    ids = field(1, bytes.fromhex(TRACE_ID)) + field(2, bytes.fromhex(SPAN_ID))
    crowded = [ids + field(9, b"") * 100, ids + field(11, field(3, b"") * 100)]
    array = field(9, field(1, b"k") + field(2, field(5, field(1, b"") * 100)))
    spans = b"".join(field(2, span) for span in [*crowded, ids + array, ids])
    decoded = decode("traces", "protobuf", field(1, field(2, spans)))
    assert dict(decoded.refused) == {"malformed": 2}
    assert [span.dropped for span in decoded.records] == [1, 0]  # the array cost the attribute


@pytest.mark.parametrize("raw", [b"\xff" * 300, b"\x0b" * 300, b"\x0a\xff\xff", b"\x12" * 300])
def test_counting_fields_of_what_is_no_protobuf_ends(raw, monkeypatch):
    monkeypatch.setattr(wire, "MOST_FIELDS", 1000)
    assert wire.too_many_fields(raw, wire.REQUEST) is False
    monkeypatch.setattr(wire, "MOST_FIELDS", 1)
    assert isinstance(wire.too_many_fields(raw, wire.REQUEST), bool)


def test_other_threads_run_while_a_large_request_is_decoded():
    """Counted in turns of another thread, not in seconds: those depend on the machine."""
    turns = 0
    ended = threading.Event()

    def other():
        nonlocal turns
        while not ended.is_set():
            turns += 1
            ended.wait(0)

    attributes = [attribute(f"k{number}", {"intValue": "1"}) for number in range(100_000)]
    body = json_traces(json_span(attributes=attributes))
    before = sys.getswitchinterval()
    sys.setswitchinterval(0.0005)
    thread = threading.Thread(target=other)
    thread.start()
    try:
        turns = 0
        decode("traces", "json", body)
        assert turns > 20
    finally:
        ended.set()
        thread.join()
        sys.setswitchinterval(before)
