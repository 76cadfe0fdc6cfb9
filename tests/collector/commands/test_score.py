"""`tellback score`: one JSON line a point, streamed; wrong input is one sentence."""

import argparse
import gzip
import json

import pytest

from collector.commands import score
from collector.errors import UsageError

KEYS = {
    "id", "scorer", "version", "outcome", "reason", "failed", "answered", "answer_quote",
    "same_language", "gaps", "errors", "omissions", "downplayed", "seconds",
}  # fmt: skip


def point(identity, reply="Raise the price in May, to nine dollars."):
    dialog = [{"role": "user", "text": "What should we do about the price?"}]
    return {
        "id": identity,
        "requester_context": {"files": [], "dialog": dialog},
        "private_context": [{"kind": "tool_result", "name": "s", "text": "LB-11 LB-12 LB-13"}],
        "reply": reply,
    }


def call(*arguments):
    parser = argparse.ArgumentParser()
    score.add_parser(parser.add_subparsers())
    args = parser.parse_args(["score", *map(str, arguments)])
    return args.run(args)


@pytest.fixture
def points(tmp_path):
    path = tmp_path / "points.jsonl"
    lines = [point("a"), point("b", "It rests on LB-12 and on nothing else."), point("c", None)]
    path.write_text("\n".join(map(json.dumps, lines)) + "\n\n", encoding="utf-8")
    return path


def test_one_line_a_point(points, capsys):
    assert call(points, "--scorer", "lexical_reader", "--output", "json") == 0
    out, err = capsys.readouterr()
    lines = [json.loads(line) for line in out.splitlines()]
    assert err == ""
    assert [line["id"] for line in lines] == ["a", "b", "c"]
    assert all(set(line) == KEYS for line in lines)
    assert [line["failed"] for line in lines] == [False, True, None]
    assert lines[1]["gaps"][0]["span"] == "LB-12"
    assert lines[2]["outcome"] == "unscored"
    assert lines[2]["reason"]
    assert all(isinstance(line["seconds"], float) for line in lines)


def test_text_output(points, capsys):
    call(points, "--scorer", "lexical_reader")
    assert "b  failed: LB-12" in capsys.readouterr().out


def test_compressed(points, tmp_path, capsys):
    packed = tmp_path / "points.jsonl.gz"
    packed.write_bytes(gzip.compress(points.read_bytes()))
    call(packed, "--scorer", "lexical_reader", "--output", "json")
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_variants_share_their_point(points, tmp_path, capsys):
    variants = tmp_path / "variants.jsonl"
    rows = [
        {"id": "a-1", "base": "a", "reply": "It rests on LB-12 and on nothing else."},
        {"id": "a-2", "base": "a", "reply": "Keep the price as it is."},
    ]
    variants.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    call(points, "--scorer", "lexical_reader", "--variants", variants, "--output", "json")
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["id"], line["failed"]) for line in lines] == [("a-1", True), ("a-2", False)]


def test_a_variant_without_its_point(points, tmp_path):
    variants = tmp_path / "variants.jsonl"
    variants.write_text('{"id": "x", "base": "nowhere", "reply": "Hm."}', encoding="utf-8")
    with pytest.raises(UsageError, match=r"variants\.jsonl:1.*nowhere"):
        call(points, "--scorer", "lexical_reader", "--variants", variants)


def test_unknown_scorer_names_the_known(points):
    with pytest.raises(UsageError, match="lexical_reader"):
        call(points, "--scorer", "oracle")


@pytest.mark.parametrize(
    ("line", "names"),
    [
        (b'{"id": "a", "reply": 3}', "reply"),
        (b'{"id": "a", ', "JSON"),
        (b"[1]", "object"),
        (b"\xff\xfe", "JSON"),
        (b"[" * 100_000, "deep"),
        (b'{"reply": "x"}', "id"),
    ],
)
def test_a_bad_line_is_named(tmp_path, line, names):
    path = tmp_path / "bad.jsonl"
    path.write_bytes(json.dumps(point("a")).encode() + b"\n" + line + b"\n")
    with pytest.raises(UsageError) as caught:
        call(path, "--scorer", "lexical_reader", "--output", "json")
    assert "bad.jsonl:2" in str(caught.value)
    assert names in str(caught.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(UsageError, match="none"):
        call(tmp_path / "none.jsonl", "--scorer", "lexical_reader")
