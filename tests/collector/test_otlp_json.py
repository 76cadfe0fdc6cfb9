"""OTLP/JSON as the specification says, and as senders really write it."""

import base64
import json
import math

import pytest

from collector.errors import Permanent
from collector.otlp import decode
from exports import SPAN_ID, TRACE_ID, attribute, json_span, json_traces


def read(*spans):
    return decode("traces", "json", json_traces(*spans))


def only(batch):
    assert len(batch.records) == 1
    return batch.records[0]


def value(given):
    return only(read(json_span(attributes=[attribute("k", given)]))).attributes["k"]


def test_a_span_keeps_everything_that_was_sent():
    found = only(
        read(
            {
                "traceId": TRACE_ID.upper(),
                "spanId": SPAN_ID,
                "parentSpanId": "00f067aa0ba902b7",
                "name": "chat",
                "kind": 3,
                "startTimeUnixNano": "1796050000100000000",
                "endTimeUnixNano": 1796050000500000000,
                "status": {"code": 2, "message": "no"},
                "events": [{"name": "a", "timeUnixNano": "5"}, {"name": "b"}],
                "droppedAttributesCount": 1,
                "droppedEventsCount": "2",
            }
        )
    )
    assert (found.trace_id, found.span_id, found.parent_id) == (
        TRACE_ID,
        SPAN_ID,
        "00f067aa0ba902b7",
    )
    assert (found.kind, found.status, found.status_message, found.dropped) == (3, 2, "no", 3)
    assert found.end_ns - found.start_ns == 400_000_000
    assert [(event.name, event.time_ns) for event in found.events] == [("a", 5), ("b", 0)]


def test_snake_case_keys_mean_the_same():
    span = {
        "trace_id": TRACE_ID,
        "span_id": SPAN_ID,
        "parent_span_id": "00f067aa0ba902b7",
        "start_time_unix_nano": "5",
        "end_time_unix_nano": "6",
        "dropped_attributes_count": 1,
        "attributes": [
            attribute("i", {"int_value": "7"}),
            attribute("l", {"array_value": {"values": [{"string_value": "x"}]}}),
        ],
        "events": [{"name": "e", "time_unix_nano": 1}],
    }
    body = {"resource_spans": [{"scope_spans": [{"spans": [span]}]}]}
    found = only(decode("traces", "json", json.dumps(body).encode()))
    assert (found.trace_id, found.parent_id) == (TRACE_ID, "00f067aa0ba902b7")
    assert (found.start_ns, found.end_ns, found.dropped) == (5, 6, 1)
    assert found.attributes == {"i": 7, "l": ["x"]}
    assert found.events[0].time_ns == 1


def test_ids_may_come_in_base64():
    span = {
        "traceId": base64.b64encode(bytes.fromhex(TRACE_ID)).decode(),
        "spanId": base64.b64encode(bytes.fromhex(SPAN_ID)).decode().rstrip("="),
    }
    found = only(read(span))
    assert (found.trace_id, found.span_id) == (TRACE_ID, SPAN_ID)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"stringValue": "x"}, "x"),
        ({"boolValue": False}, False),
        ({"boolValue": "true"}, True),
        ({"intValue": "100"}, 100),
        ({"intValue": 100}, 100),
        ({"intValue": 100.0}, 100),
        ({"intValue": 1.5}, 1.5),
        ({"intValue": "-9223372036854775808"}, -(2**63)),
        ({"intValue": "many"}, "many"),
        ({"intValue": "9" * 100}, "9" * 100),
        ({"doubleValue": 0.5}, 0.5),
        ({"doubleValue": "Infinity"}, math.inf),
        ({"doubleValue": "-Infinity"}, -math.inf),
        ({"doubleValue": "half"}, "half"),
        ({"bytesValue": "AP8="}, b"\x00\xff"),
        ({"bytesValue": "not base64!"}, "not base64!"),
        ({"arrayValue": {"values": [{"intValue": 1}, {}]}}, [1, None]),
        ({"arrayValue": {}}, []),
        ({"kvlistValue": {"values": [attribute("a", {"boolValue": True})]}}, {"a": True}),
        ({"kvlistValue": {}}, {}),
        ({}, None),
        (None, None),
        ({"stringValue": None}, None),
        # Types that OTLP doesn't foresee: kept as something sensible, never a refusal.
        ({"stringValue": 5}, "5"),
        ({"stringValue": {"a": 1}}, '{"a": 1}'),
        ("bare", "bare"),
        (7, 7),
        ([1, "a"], [1, "a"]),
        ({"answer": 42}, {"answer": 42}),
        ({"arrayValue": 3}, "3"),
    ],
)
def test_values(given, meant):
    assert value(given) == meant


@pytest.mark.parametrize("given", ['{"doubleValue": "NaN"}', '{"doubleValue": NaN}'])
def test_nan_is_a_number_that_is_none(given):
    body = json_traces(json_span(attributes=[attribute("k", "HERE")])).replace(
        b'"HERE"', given.encode()
    )
    assert math.isnan(only(decode("traces", "json", body)).attributes["k"])


def test_a_number_of_thousands_of_digits_is_no_error():
    body = json_traces(json_span(attributes=[attribute("k", {"intValue": 12345})]))
    found = only(decode("traces", "json", body.replace(b"12345", b"9" * 100_000)))
    assert found.attributes["k"] == math.inf


def test_attributes_as_a_plain_object():
    assert only(read(json_span(attributes={"a": "x", "b": {"intValue": "1"}}))).attributes == {
        "a": "x",
        "b": 1,
    }


@pytest.mark.parametrize("attributes", ["text", 5, [1, None], [{"value": {"intValue": 1}}]])
def test_attributes_that_are_none_count_as_dropped(attributes):
    found = only(read(json_span(attributes=attributes)))
    assert found.attributes == {}
    assert found.dropped >= 1


@pytest.mark.parametrize(
    ("kind", "status", "meant"),
    [
        ("SPAN_KIND_CLIENT", "STATUS_CODE_ERROR", (3, 2)),
        ("client", "ok", (3, 1)),
        ("3", "2", (3, 2)),
        ("strange", None, (0, 0)),
        ([], {}, (0, 0)),
    ],
)
def test_enums_by_number_or_name(kind, status, meant):
    found = only(read(json_span(kind=kind, status={"code": status})))
    assert (found.kind, found.status) == meant


@pytest.mark.parametrize("time", [None, "", "soon", -5, [], True, "1e999", 10**30, math.nan])
def test_a_time_that_is_none_is_zero(time):
    assert only(read(json_span(startTimeUnixNano=time))).start_ns in {0, 1}


@pytest.mark.parametrize(
    ("span", "reason", "complaint"),
    [
        ({"spanId": SPAN_ID}, "invalid_id", "traceId is absent, expected 32 hex digits"),
        (json_span(traceId="0" * 32), "invalid_id", "traceId is all zeros"),
        (json_span(spanId="abc"), "invalid_id", "spanId is 'abc', expected 16 hex digits"),
        (json_span(traceId=5), "invalid_id", "traceId is a JSON int"),
        (json_span(traceId="g" * 32), "invalid_id", "expected 32 hex digits"),
        ("text", "malformed", "spans holds a JSON str, expected an object"),
        (None, "malformed", "spans holds a JSON NoneType"),
    ],
)
def test_a_bad_span_is_refused_and_its_neighbours_are_kept(span, reason, complaint):
    batch = read(json_span(1), span, json_span(2))
    assert len(batch.records) == 2
    assert dict(batch.refused) == {reason: 1}
    assert complaint in batch.message


def test_a_bad_group_is_refused_and_its_neighbours_are_kept():
    good = json.loads(json_traces(json_span()))["resourceSpans"]
    body = {"resourceSpans": [7, {"scopeSpans": "x"}, {"resource": 5, "scopeSpans": [[]]}, *good]}
    batch = decode("traces", "json", json.dumps(body).encode())
    assert (len(batch.records), batch.rejected) == (1, 3)


@pytest.mark.parametrize("body", [b"", b"  \n", b"{}", b'{"resourceSpans": null}', b'{"x": 1}'])
def test_an_empty_request_is_valid(body):
    batch = decode("traces", "json", body)
    assert (batch.records, batch.rejected) == ((), 0)


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (b"[1,2,3]", "a JSON list, expected an object"),
        (b'"text"', "a JSON str"),
        (b'{"resourceSpans": [', "no JSON"),
        (b"\xff\xfe\x00", "no JSON"),
        (b'{"resourceSpans": "x"}', "resourceSpans is a JSON str, expected an array"),
        (b'{"resourceLogs": []}', "holds logs, expected traces"),
        (b'{"resourceMetrics": []}', "holds metrics, expected traces"),
        (b"[" * 100_000, "no JSON"),
        (b'{"a":' * 100_000, "no JSON"),
        (b"[" * 100_000 + b"]" * 100_000, "expected an object"),
        (b'{"resourceSpans": 1,}', "no JSON"),
        (b'{"resourceSpans" 1}', "no JSON"),
        (b'{"resourceSpans": []} {}', "no JSON: Extra data"),
        (b'{"resourceSpans": [1}', "no JSON"),
    ],
)
def test_what_is_no_request_is_refused_for_good(body, complaint):
    with pytest.raises(Permanent, match=complaint) as error:
        decode("traces", "json", body)
    assert error.value.reason == "malformed"


@pytest.mark.parametrize("wrap", ['{"arrayValue":{"values":[%s]}}', "[%s]", '{"x":%s}'])
@pytest.mark.parametrize("depth", [20, 200, 20_000])
def test_deep_nesting_costs_the_attribute_at_most(wrap, depth):
    given = '{"intValue":1}'
    for _ in range(depth):
        given = wrap.replace("%s", given)
    span = json_span(attributes=[attribute("deep", "HERE"), attribute("ok", {"boolValue": True})])
    found = only(decode("traces", "json", json_traces(span).replace(b'"HERE"', given.encode())))
    assert found.attributes["ok"] is True
    assert ("deep" in found.attributes) == (depth == 20)
    assert found.dropped == (depth != 20)


def test_half_a_surrogate_pair_costs_that_character():
    span = json_span(
        name="Pip \ud83e", attributes=[attribute("k\udd16", {"stringValue": "\ud83e"})]
    )
    found = only(read(span))
    assert found.name == "Pip \ufffd"
    assert found.attributes == {"k\ufffd": "\ufffd"}
    assert only(read(json_span(name="\U0001f916"))).name == "\U0001f916"


def test_half_a_surrogate_pair_in_json_within_a_text_costs_that_character():
    inner = r'[{"content": "Pip \ud83e and \ud83e\udd16, \\ud83e"}]'
    found = value({"stringValue": inner})
    assert json.loads(found)[0]["content"] == "Pip \ufffd and \U0001f916, \\ud83e"
    assert value({"stringValue": r"plain \ud83e"}) == r"plain \ud83e"


def test_log_records():
    record = {
        "observedTimeUnixNano": "9",
        "body": {"kvlistValue": {"values": [attribute("content", {"stringValue": "hi"})]}},
        "attributes": [attribute("event.name", {"stringValue": "gen_ai.choice"})],
        "traceId": "",
        "spanId": "nonsense",
    }
    body = {"resourceLogs": [{"scopeLogs": [{"logRecords": [record, 5]}]}]}
    batch = decode("logs", "json", json.dumps(body).encode())
    found = only(batch)
    assert (found.trace_id, found.span_id, found.time_ns) == ("", "", 9)
    assert (found.event_name, found.body) == ("gen_ai.choice", {"content": "hi"})
    assert batch.rejected == 1


def test_the_size_is_about_that_of_the_texts():
    text = "x" * 10_000
    found = only(read(json_span(attributes=[attribute("k", {"stringValue": text})])))
    assert 10_000 < found.size < 10_500
