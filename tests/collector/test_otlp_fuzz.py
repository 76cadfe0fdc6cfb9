"""Whatever arrives: a batch comes of it, or `Permanent`."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collector.errors import Permanent
from collector.otlp import sniff
from decoded import decoded
from exports import attribute, json_span, json_traces, logs, traces

SIGNALS = st.sampled_from(["traces", "logs"])
ENCODINGS = st.sampled_from(["protobuf", "json"])
VALID = [
    traces(3, text="ünïcode ✓").SerializeToString(),
    logs(3).SerializeToString(),
    json_traces(
        json_span(
            1,
            attributes=[
                attribute("a", {"stringValue": "\ud83e"}),
                attribute("b", {"kvlistValue": {"values": [attribute("c", {"intValue": "1"})]}}),
            ],
            events=[{"name": "e", "timeUnixNano": "5"}],
        ),
        json_span(2, status={"code": 2}),
    ),
]


@given(SIGNALS, ENCODINGS, st.binary(max_size=300))
def test_any_bytes(signal, encoding, body):
    decoded(signal, encoding, body)


@settings(max_examples=300)
@given(SIGNALS, ENCODINGS, st.sampled_from(VALID), st.data())
def test_valid_requests_with_bytes_changed(signal, encoding, valid, data):
    body = bytearray(valid)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(body) - 1))
        body[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
        body = body or bytearray(b"x")
    decoded(signal, encoding, bytes(body))


KEYS = ["key", "value", "values", "stringValue", "intValue", "arrayValue", "name", "x"]
KEYS += ["kvlistValue", "boolValue", "doubleValue", "bytesValue", "code", "message"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYS),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
FIELDS = ["name", "kind", "attributes", "events", "status", "startTimeUnixNano", "parentSpanId"]
FIELDS += ["droppedAttributesCount", "body", "traceId", "spanId", "eventName", "links"]


@settings(max_examples=300)
@given(SIGNALS, st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=5), JSON)
def test_any_json_in_any_field(signal, fields, outer):
    names = {"traces": ("resourceSpans", "scopeSpans", "spans")}
    group, part, record = names.get(signal, ("resourceLogs", "scopeLogs", "logRecords"))
    found = {part: [{"scope": outer, record: [json_span(**fields), json_span(), outer]}]}
    decoded(signal, "json", json.dumps({group: [found, {"resource": outer}]}).encode())


@given(st.binary(max_size=200) | st.sampled_from(VALID), st.text(max_size=20))
def test_sniffing_any_file(body, name):
    try:
        signal, encoding = sniff(body, name)
    except Permanent as error:
        assert error.reason == "not_otlp"  # noqa: PT017 - either outcome is right
    else:
        assert signal in {"traces", "logs", "metrics"}
        assert encoding in {"protobuf", "json"}


@pytest.mark.parametrize(
    ("name", "body", "meant"),
    [
        ("001-logs.pb", b"", ("logs", "protobuf")),
        ("001-traces.pb", b"", ("traces", "protobuf")),
        ("unnamed", VALID[0], ("traces", "protobuf")),
        ("unnamed", VALID[1], ("logs", "protobuf")),
        ("unnamed", VALID[2], ("traces", "json")),
        ("misnamed-logs.pb", VALID[0], ("traces", "protobuf")),
        ("a.json", b'{"resource_logs": [', ("logs", "json")),
        ("a.json", b'{"x": 1, "resourceMetrics": []}', ("metrics", "json")),
        # 0x0A 0x7B is a field of 123 bytes; as text it would be a line break and a brace.
        ("unnamed", b"\n{" + b"\x12y" + b"\x12w" + b"x" * 119, ("traces", "protobuf")),
    ],
)
def test_sniffing(name, body, meant):
    assert sniff(body, name) == meant
