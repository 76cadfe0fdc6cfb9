"""`tellback compare`: one JSON line a pair; wrong input is one sentence."""

import argparse
import json

import pytest

from collector.commands import compare
from collector.errors import UsageError


def call(*arguments):
    parser = argparse.ArgumentParser()
    compare.add_parser(parser.add_subparsers())
    args = parser.parse_args(["compare", *map(str, arguments)])
    return args.run(args)


def lines(capsys):
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.fixture
def pairs(tmp_path):
    def write(*cases):
        path = tmp_path / "pairs.jsonl"
        path.write_text("".join(json.dumps(case) + "\n\n" for case in cases), encoding="utf-8")
        return path

    return write


def test_one_line_a_pair(pairs, capsys):
    text = "0123456789 " * 50
    path = pairs(
        {"id": "a", "produced": text, "delivered": text},
        {"id": 2, "tool": "bash", "produced": text, "delivered": text[:100]},
    )
    assert call("--jsonl", path, "--output", "json") == 0
    first, second = lines(capsys)
    assert (first["id"], first["state"]) == ("a", "intact")
    assert (second["id"], second["tool"], second["strategy"]) == (2, "bash", "prefix_slice")
    assert second["kept_characters"] == 100


def test_a_text_that_is_not_there(pairs, capsys):
    path = pairs(
        {"id": 1, "produced": None, "delivered": "a ...[truncated 5 chars]..."},
        {"id": 2, "produced": "x", "delivered": None},
    )
    assert call("--jsonl", path) == 0
    first, second = lines(capsys)
    assert (first["state"], first["produced_characters"]) == ("lower_bound", None)
    assert (second["state"], second["reason"]) == ("unobservable", "delivered_missing")


def test_a_lone_surrogate_prints_as_valid_json(tmp_path, capsys):
    path = tmp_path / "pairs.jsonl"
    text = '{\\"\\ud800\\": 1, \\"b\\": 2}'
    path.write_text(
        f'{{"id":"\\udfff","produced":"{text}","delivered":"{text}"}}', encoding="utf-8"
    )
    assert call("--jsonl", path) == 0
    out = capsys.readouterr().out
    out.encode("utf-8")
    assert json.loads(out)["fields"] == {"\ud800": [1, 1], "b": [1, 1]}


def test_two_files(tmp_path, capsys):
    produced, delivered = tmp_path / "produced.txt", tmp_path / "delivered.txt"
    produced.write_bytes("step 1\r\nstep 2\r\nörtlich\r\n".encode())
    delivered.write_bytes("step 1\nstep 2\nörtlich".encode())
    assert call(produced, delivered) == 0
    (found,) = lines(capsys)
    assert (found["id"], found["state"]) == (None, "intact")
    assert found["produced_characters"] == 25


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("zz", "line 2: not JSON"),
        ("[1]", "line 2: an object was expected"),
        ('{"produced": "x"}', 'line 2: "delivered" is missing'),
        ('{"produced": 1, "delivered": ""}', 'line 2: "produced" is not a text'),
        ("[" * 100_000, "line 2: not JSON"),
    ],
)
def test_a_bad_line_is_named_after_the_good_ones(tmp_path, capsys, line, message):
    path = tmp_path / "pairs.jsonl"
    path.write_text('{"id":1,"produced":"x","delivered":"x"}\n' + line, encoding="utf-8")
    with pytest.raises(UsageError, match=r"pairs\.jsonl") as caught:
        call("--jsonl", path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert [one["id"] for one in lines(capsys)] == [1]


def test_what_is_not_there_is_said(tmp_path):
    with pytest.raises(UsageError, match="absent"):
        call("--jsonl", tmp_path / "absent")
    with pytest.raises(UsageError, match="absent"):
        call(tmp_path / "absent", tmp_path / "absent")
    with pytest.raises(UsageError, match="two files"):
        call(tmp_path / "one")
    with pytest.raises(UsageError, match="either"):
        call()
