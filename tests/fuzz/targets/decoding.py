"""OTLP request bytes → records, in both encodings, of both signals."""

import json
import re

import seeds
from collector.errors import Permanent
from collector.otlp import decode, sniff
from decoded import decoded
from exports import json_span, logs, traces
from request_mutation import RequestMutation

_MEMBERS = re.compile(rb'\{\s*"')
# Two good records of each signal, as protobuf and as a member of a JSON object.
PROTOBUF = {"traces": traces(2).SerializeToString(), "logs": logs(2).SerializeToString()}
JSON = {
    "traces": {"resourceSpans": [{"scopeSpans": [{"spans": [json_span(1), json_span(2)]}]}]},
    "logs": {"resourceLogs": [{"scopeLogs": [{"logRecords": [{"body": 1}, {"body": 2}]}]}]},
}


class Decoding:
    """An input is a request body."""

    def __init__(self):
        self.mutated = RequestMutation(seeds.requests())

    def seeds(self):
        return seeds.requests()

    def check(self, data):
        for signal in ("traces", "logs"):
            _check(signal, "protobuf", data, PROTOBUF[signal], data + PROTOBUF[signal])
            # An object may name the same array twice; both are read.
            good = json.dumps(JSON[signal]).encode()
            _check(signal, "json", data, good, good[:-1] + b"," + data[1:])
        try:
            sniff(data, "")
        except Permanent as error:
            assert error.reason == "not_otlp"  # noqa: PT017 - either outcome is right


def _check(signal, encoding, body, good, both):
    """Good records beside a request are read as if they were alone, and so is the request."""
    batch = decoded(signal, encoding, body)
    if batch is None or (encoding == "json" and not _MEMBERS.match(body)):
        return
    expected = decode(signal, encoding, good).records
    found = decode(signal, encoding, both)
    assert len(found.records) == len(batch.records) + len(expected)
    assert found.refused == batch.refused
    at = 0 if encoding == "json" else len(batch.records)
    assert found.records[at : at + len(expected)] == expected
