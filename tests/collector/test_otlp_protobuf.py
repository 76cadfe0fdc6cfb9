"""Protobuf requests become records; what is wrong inside one costs that one."""

import pytest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue

from collector.errors import Permanent
from collector.otlp import decode
from exports import SPAN_ID, TRACE_ID, logs, traces


def only(batch):
    assert len(batch.records) == 1
    return batch.records[0]


def read(request):
    signal = "traces" if hasattr(request, "resource_spans") else "logs"
    return decode(signal, "protobuf", request.SerializeToString())


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number, payload):
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def test_a_span_keeps_everything_that_was_sent():
    request = traces()
    group = request.resource_spans[0]
    group.scope_spans[0].scope.version = "1.3"
    span = group.scope_spans[0].spans[0]
    span.span_id = bytes.fromhex(SPAN_ID)
    span.parent_span_id = bytes.fromhex("00f067aa0ba902b7")
    span.kind = 3
    span.status.code = 2
    span.status.message = "timed out"
    span.dropped_attributes_count = 2
    span.dropped_events_count = 1
    event = span.events.add(name="gen_ai.choice", time_unix_nano=7)
    event.attributes.add(key="index").value.int_value = 4

    found = only(read(request))

    assert (found.trace_id, found.span_id, found.parent_id) == (
        TRACE_ID,
        SPAN_ID,
        "00f067aa0ba902b7",
    )
    assert (found.name, found.kind, found.status, found.status_message) == (
        "chat 0",
        3,
        2,
        "timed out",
    )
    assert found.end_ns - found.start_ns == 1_000_000_000
    assert found.attributes == {"text": "hello"}
    assert found.dropped == 3
    assert found.resource.text("service.name") == "desk-bot"
    assert (found.scope.name, found.scope.version) == ("opentelemetry.util.genai", "1.3")
    assert [(e.name, e.time_ns, e.attributes) for e in found.events] == [
        ("gen_ai.choice", 7, {"index": 4})
    ]
    assert abs(found.size - span.ByteSize()) < 64


def test_every_kind_of_value_becomes_plain_python():
    request = traces()
    attributes = request.resource_spans[0].scope_spans[0].spans[0].attributes
    del attributes[:]
    attributes.add(key="text").value.string_value = "é"
    attributes.add(key="yes").value.bool_value = True
    attributes.add(key="int").value.int_value = -(2**63)
    attributes.add(key="float").value.double_value = float("inf")
    attributes.add(key="bytes").value.bytes_value = b"\x00\xff"
    attributes.add(key="none").value.SetInParent()
    attributes.add(key="list").value.array_value.values.add().string_value = "a"
    inner = attributes.add(key="dict").value.kvlist_value.values.add(key="k").value
    inner.array_value.values.add().int_value = 1
    assert only(read(request)).attributes == {
        "text": "é",
        "yes": True,
        "int": -(2**63),
        "float": float("inf"),
        "bytes": b"\x00\xff",
        "none": None,
        "list": ["a"],
        "dict": {"k": [1]},
    }


def test_of_equal_keys_the_last_counts():
    request = traces()
    attributes = request.resource_spans[0].scope_spans[0].spans[0].attributes
    attributes.add(key="text").value.string_value = "again"
    assert only(read(request)).attributes == {"text": "again"}


def test_a_log_record_needs_no_ids():
    found = only(read(logs()))
    assert (found.trace_id, found.span_id, found.event_name) == ("", "", "gen_ai.choice")
    assert (found.body, found.time_ns) == ("body 0", 1)


def test_a_log_record_takes_the_time_it_was_observed_and_its_older_event_name():
    request = logs()
    record = request.resource_logs[0].scope_logs[0].log_records[0]
    record.time_unix_nano = 0
    record.observed_time_unix_nano = 9
    record.event_name = ""
    record.attributes.add(key="event.name").value.string_value = "gen_ai.user.message"
    found = only(read(request))
    assert (found.time_ns, found.event_name) == (9, "gen_ai.user.message")


@pytest.mark.parametrize("signal", ["traces", "logs"])
def test_an_empty_request_is_valid(signal):
    batch = decode(signal, "protobuf", b"")
    assert (batch.records, batch.rejected, batch.message) == ((), 0, "")


@pytest.mark.parametrize(
    ("ids", "complaint"),
    [
        ({"trace_id": b"\1" * 15}, "trace id has 15 bytes, expected 16"),
        ({"trace_id": bytes(16)}, "trace id is all zeros"),
        ({"span_id": b""}, "span id has 0 bytes, expected 8"),
        ({"span_id": bytes(8)}, "span id is all zeros"),
    ],
)
def test_a_span_with_a_bad_id_is_refused_and_its_neighbours_are_kept(ids, complaint):
    request = traces(3)
    for name, value in ids.items():
        setattr(request.resource_spans[0].scope_spans[0].spans[1], name, value)
    batch = read(request)
    assert [span.name for span in batch.records] == ["chat 0", "chat 2"]
    assert (batch.rejected, dict(batch.refused)) == (1, {"invalid_id": 1})
    assert complaint in batch.message


def test_a_bad_parent_id_costs_the_parent_only():
    request = traces()
    request.resource_spans[0].scope_spans[0].spans[0].parent_span_id = b"\1" * 3
    assert only(read(request)).parent_id is None


def test_a_damaged_record_among_good_ones_is_refused_alone():
    good = traces().resource_spans[0].scope_spans[0].spans[0].SerializeToString()
    spans = field(2, good) + field(2, good[:-3]) + field(2, good)
    batch = decode("traces", "protobuf", field(1, field(2, spans)))
    assert len(batch.records) == 2
    assert dict(batch.refused) == {"malformed": 1}


def test_nothing_but_damage_is_refused_for_good():
    good = traces().resource_spans[0].scope_spans[0].spans[0].SerializeToString()
    with pytest.raises(Permanent, match="no record"):
        decode("traces", "protobuf", field(1, field(2, field(2, good[:-3]))))


@pytest.mark.parametrize("body", [b"hello, this is not protobuf", b"\x0a\xff\xff\x03abc", b"[1]"])
def test_other_bytes_are_refused_for_good(body):
    with pytest.raises(Permanent) as error:
        decode("traces", "protobuf", body)
    assert error.value.reason == "malformed"


def test_unknown_fields_are_ignored():
    body = traces().SerializeToString() + field(99, b"from the future") + b"\xa8\x06\x01"
    assert len(decode("traces", "protobuf", body).records) == 1


def test_half_a_character_costs_that_character():
    body = traces(text="gate code changed ✓").SerializeToString()
    cut = body.replace("✓".encode(), "✓".encode()[:2] + b"!")
    assert only(decode("traces", "protobuf", cut)).attributes == {
        "text": "gate code changed \ufffd!"
    }


def test_strings_that_are_no_utf8_are_kept_everywhere():
    request = traces()
    body = request.SerializeToString()
    for text in (b"desk-bot", b"chat 0", b"service.name", b"opentelemetry.util.genai"):
        body = body.replace(text, text[:-1] + b"\xff")
    found = only(decode("traces", "protobuf", body))
    assert found.name == "chat \ufffd"
    assert found.resource.attributes == {"service.nam\ufffd": "desk-bo\ufffd"}


@pytest.mark.parametrize("kind", ["array_value", "kvlist_value"])
@pytest.mark.parametrize("depth", [30, 60, 5000])
def test_deep_nesting_costs_the_attribute_at_most(kind, depth):
    value = AnyValue(int_value=1).SerializeToString()
    for _ in range(depth):
        if kind == "array_value":
            value = field(5, field(1, value))
        else:
            value = field(6, field(1, field(1, b"k") + field(2, value)))
    deep = field(9, field(1, b"deep") + field(2, value))
    good = traces().resource_spans[0].scope_spans[0].spans[0].SerializeToString()
    found = only(decode("traces", "protobuf", field(1, field(2, field(2, good + deep)))))
    assert found.attributes["text"] == "hello"
    assert ("deep" in found.attributes) == (depth == 30)
    assert found.dropped == (depth != 30)


def test_times_are_kept_as_sent_also_when_they_make_no_sense():
    request = traces()
    span = request.resource_spans[0].scope_spans[0].spans[0]
    span.start_time_unix_nano, span.end_time_unix_nano = 5, 0
    assert (only(read(request)).start_ns, only(read(request)).end_ns) == (5, 0)
    span.end_time_unix_nano = 2**64 - 1  # would overflow every store of signed integers
    assert only(read(request)).end_ns == 0


def test_ten_thousand_spans_and_one_attribute_of_20_mb():
    assert len(read(traces(10_000)).records) == 10_000
    assert len(only(read(traces(text="x" * 20_000_000))).attributes["text"]) == 20_000_000


def test_logs_sent_as_traces_are_no_spans():
    batch = decode("traces", "protobuf", logs(2).SerializeToString())
    assert (batch.records, batch.rejected) == ((), 2)


def test_many_equal_complaints_make_a_short_message():
    request = traces(100)
    for span in request.resource_spans[0].scope_spans[0].spans:
        span.trace_id = b""
    batch = read(request)
    assert batch.rejected == 100
    assert batch.message.endswith("and 97 more")
    assert len(batch.message) < 300
