"""Files and folders of OTLP, among other things and half-written."""

import gzip
import json

import pytest

from collector.errors import Permanent
from collector.receivers import file
from exports import json_span, json_traces, logs, traces

LINE = json_traces(json_span())


def write(folder, name, body):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(body) if name.endswith(".gz") else body)
    return path


@pytest.mark.parametrize(
    ("name", "body", "signal", "encoding"),
    [
        ("001-traces.pb", traces().SerializeToString(), "traces", "protobuf"),
        ("001-logs.pb", logs().SerializeToString(), "logs", "protobuf"),
        ("anything.pb.gz", logs().SerializeToString(), "logs", "protobuf"),
        ("001-traces.json", LINE, "traces", "json"),
        ("pretty.json", json.dumps(json.loads(LINE), indent=1).encode(), "traces", "json"),
        ("001-traces.JSON.gz", LINE, "traces", "json"),
        ("lines.jsonl", LINE, "traces", "json"),
    ],
)
def test_one_file(tmp_path, name, body, signal, encoding):
    (batch,) = file.read(write(tmp_path, name, body))
    assert (batch.signal, batch.encoding, batch.receiver) == (signal, encoding, "file")
    assert len(batch.records) == 1
    assert batch.body.strip() == body.strip()


@pytest.mark.parametrize("name", ["export.jsonl", "export.json", "export.jsonl.gz"])
def test_json_lines(tmp_path, name):
    """The Collector's file exporter writes one request a line, whatever the file is called."""
    metrics = b'{"resourceMetrics": [{}]}'
    body = b"\n".join([LINE, b"", metrics, json_traces(json_span(1), json_span(2)), b""])
    batches = list(file.read(write(tmp_path, name, body)))
    assert [len(batch.records) for batch in batches] == [1, 2]


def test_a_half_written_last_line_is_reported_and_the_others_are_kept(tmp_path):
    path = write(tmp_path, "export.jsonl", LINE + b"\n" + LINE[:40])
    good, damaged = file.read(path)
    assert len(good.records) == 1
    assert (damaged.records, dict(damaged.refused)) == ((), {"malformed": 1})
    assert "line 2" in damaged.message


def test_a_damaged_first_line_too(tmp_path):
    damaged, good = file.read(write(tmp_path, "export.jsonl", LINE[:40] + b"\n" + LINE))
    assert (damaged.rejected, len(good.records)) == (1, 1)


def test_a_refused_span_is_named_with_its_place(tmp_path):
    path = write(tmp_path, "a.json", json_traces(json_span(), {"traceId": "1"}))
    (batch,) = file.read(path)
    assert (len(batch.records), batch.rejected) == (1, 1)
    assert str(path) in batch.message


def test_a_folder_is_read_in_order_and_other_files_are_passed_over(tmp_path):
    write(tmp_path, "002-traces.json", json_traces(json_span(2)))
    write(tmp_path, "001-traces.pb", traces(3).SerializeToString())
    write(tmp_path, "b/001-logs.pb.gz", logs(4).SerializeToString())
    write(tmp_path, "expected.json", b'{"kind": "wire"}')
    write(tmp_path, "notes.json", b"[1, 2")
    write(tmp_path, "points.jsonl", b'{"id": "p1"}\n{"id": "p2"}\n')
    write(tmp_path, "001-metrics.json", b'{"resourceMetrics": []}')
    write(tmp_path, "wire/001.json", b'{"messages": []}')
    write(tmp_path, "README.md", b"# read me")
    assert [len(batch.records) for batch in file.read(tmp_path)] == [3, 1, 4]


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("cut.pb", traces().SerializeToString()[:-4]),
        ("cut.json", LINE[:60]),
        ("cut.jsonl", LINE[:60]),
        ("text.pb", b"hello"),
    ],
)
def test_damage_in_a_folder_is_reported_and_the_others_are_read(tmp_path, name, body):
    write(tmp_path, "a.json", LINE)
    path = write(tmp_path, name, body)
    write(tmp_path, "z.json", LINE)
    first, damaged, last = file.read(tmp_path)
    assert (len(first.records), len(last.records)) == (1, 1)
    assert damaged.rejected == 1
    assert str(path) in damaged.message


def test_a_truncated_gzip_file_keeps_its_whole_lines(tmp_path):
    path = tmp_path / "export.jsonl.gz"
    lines = b"".join(json_traces(json_span(i)) + b"\n" for i in range(500))
    path.write_bytes(gzip.compress(lines)[:-20])
    *good, damaged = file.read(path)
    assert len(good) > 100
    assert "can't be read" in damaged.message


@pytest.mark.parametrize(
    ("name", "body", "complaint"),
    [
        ("expected.json", b'{"kind": "wire"}', "no resourceSpans"),
        ("cut.json", LINE[:60], "no JSON"),
        ("array.json", b"[1]", "a JSON list"),
        ("001-metrics.json", b'{"resourceMetrics": []}', "holds metrics"),
        ("001-metrics.jsonl", b'{"resourceMetrics": []}\n' * 3, "holds metrics"),
        ("text.pb", b"hello", "no ExportTraceServiceRequest"),
        ("note.txt", b"hello", "no ExportTraceServiceRequest"),
        ("rubbish.jsonl", b"x\n" * 1_000, "line 1"),
        ("zip.json.gz", None, "can't be read"),
        ("missing.json", None, "can't be read"),
    ],
)
def test_a_named_file_without_otlp_is_an_error(tmp_path, name, body, complaint):
    path = tmp_path / name
    if body is not None:
        write(tmp_path, name, body)
    elif name.startswith("zip"):
        path.write_bytes(b"PK not gzip")
    with pytest.raises(Permanent, match=complaint) as error:
        list(file.read(path))
    assert str(path) in str(error.value)
    assert "expected OTLP" in str(error.value)


def test_an_empty_request_is_one(tmp_path):
    (batch,) = file.read(write(tmp_path, "001-traces.pb", b""))
    assert (batch.records, batch.rejected) == ((), 0)


def test_files_are_read_one_at_a_time(tmp_path):
    write(tmp_path, "1.json", LINE)
    second = write(tmp_path, "2.pb", traces().SerializeToString())
    batches = file.read(tmp_path)
    next(batches)
    second.write_bytes(b"changed")
    assert "no ExportTraceServiceRequest" in next(batches).message
