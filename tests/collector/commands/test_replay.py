"""`tellback replay` and `tellback turns`: the documented shape, and what they say of bad input."""

import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from collector.cli import main

REPORTS = Path(__file__).parents[2] / "golden" / "reports"
CASE = REPORTS / "01-int64-as-string"
PAIR = {
    "tool",
    "call_id",
    "state",
    "strategy",
    "marker",
    "silent",
    "broken",
    "format",
    "produced_characters",
    "delivered_characters",
    "kept_characters",
    "fields",
    "rows",
    "reason",
    "join",
    "dialect",
}
TURN = {
    "turn_id",
    "trace_ids",
    "conversation_id",
    "agent",
    "agent_version",
    "model",
    "dialects",
    "request",
    "reply",
    "tool_turns",
    "model_calls",
    "tool_errors",
    "input_tokens",
    "output_tokens",
    "closed_by",
    "stopped",
    "tool_results",
    "scores",
}
SCORE = {"scorer", "outcome", "label", "value", "explanation", "evidence"}
TOTALS = {
    "spans",
    "log_records",
    "turns",
    "turns_without_request",
    "empty_replies",
    "reply_states",
    "judge_calls",
    "stages",
    "tool_results_by_state",
    "observable_share",
    "char_survival",
    "field_survival",
    "yield",
}


def replayed(capsys, *arguments):
    assert main(["replay", *map(str, arguments), "--output", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_documented_keys_are_all_there(capsys):
    """The keys of design/interface.md; more may stand beside them."""
    document = replayed(capsys, CASE)
    [turn] = document["turns"]
    assert set(turn) >= TURN
    assert set(document["totals"]) >= TOTALS
    assert set(turn["tool_results"][0]) == PAIR
    assert all(set(score) >= SCORE for score in turn["scores"])
    assert set(document["totals"]["stages"]) == {"deliver", "act", "retain", "transfer", "persist"}
    for stage in document["totals"]["stages"].values():
        assert set(stage) == {"entered", "left", "lost", "unobservable", "findings"}
    assert set(document["totals"]["yield"]) == {"automatic", "configured"}


def test_files_folders_gzip_and_json_lines_give_the_same(capsys, tmp_path):
    body = (CASE / "001-traces.json").read_bytes()
    (tmp_path / "packed.json.gz").write_bytes(gzip.compress(body))
    (tmp_path / "lines.jsonl").write_text(json.dumps(json.loads(body)) + "\n\n")
    expected = replayed(capsys, CASE)
    assert replayed(capsys, CASE / "001-traces.json") == expected
    assert replayed(capsys, tmp_path / "packed.json.gz") == expected
    assert replayed(capsys, tmp_path / "lines.jsonl") == expected
    assert replayed(capsys, CASE, tmp_path) == expected, "copies change nothing"


def test_many_folders_at_once(capsys):
    document = replayed(capsys, CASE, REPORTS / "02-int64-and-times-as-numbers")
    assert document["totals"]["turns"] == 2


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("missing.json", None, "no such file or folder"),
        ("empty.json", b"", "empty.json"),
        ("text.json", b"hello", "text.json"),
        ("other.json", b'{"a": 1}', "resourceSpans"),
        ("cut.pb", b"\x0a\xff\xff", "cut.pb"),
        ("cut.json.gz", gzip.compress(b"{}" * 999)[:20], "cut.json.gz"),
        ("none.txt", b"x", "none.txt"),
    ],
)
def test_what_cant_be_read_is_one_plain_sentence(capsys, tmp_path, name, content, says):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    assert main(["replay", str(path), "--output", "json"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert says in err
    assert err.count("\n") == 1
    assert "Traceback" not in err


def test_an_empty_folder_is_named(capsys, tmp_path):
    assert main(["replay", str(tmp_path)]) == 2
    assert str(tmp_path) in capsys.readouterr().err


def test_damage_beside_good_telemetry_costs_only_itself(capsys, tmp_path):
    shutil.copy(CASE / "001-traces.json", tmp_path / "good.json")
    (tmp_path / "bad.json").write_bytes(b'{"resourceSpans": [')
    assert main(["replay", str(tmp_path), "--output", "json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["totals"]["turns"] == 1
    assert "bad.json" in err


def test_text_names_what_was_cut(capsys):
    folder = Path(__file__).parents[2].parent / "collector" / "demo" / "data"
    assert main(["replay", str(folder / "semconv-current-genai_openai-1.3b0")]) == 0
    out = capsys.readouterr().out
    assert "fetch_invoices" in out
    assert "1,500 of 6,441" in " ".join(out.split())


def test_a_reader_that_goes_away_is_no_error():
    """`tellback replay … | head -c 1`"""
    read, write = os.pipe()
    os.close(read)
    run = subprocess.run(
        [sys.executable, "-m", "collector", "replay", str(CASE), "--output", "json"],
        stdout=write, stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    os.close(write)
    assert "Traceback" not in run.stderr


def test_turns_of_a_ledger_that_is_not_there(capsys, tmp_path):
    path = tmp_path / "none.db"
    assert main(["turns", "--database", f"sqlite:///{path}"]) == 2
    assert "there is no ledger" in capsys.readouterr().err
    assert not path.exists()


def test_turns_with_a_time_that_is_none(capsys):
    assert main(["turns", "--since", "soon"]) == 2
    assert "soon" in capsys.readouterr().err
