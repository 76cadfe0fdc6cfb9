"""`tellback inspect PATH…`: its document, its text, and a sentence for what it can't read."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from collector.cli import main
from traces import Trace, assistant, request, user

GOLDEN = Path(__file__).parents[2] / "golden"
BARE = GOLDEN / "dialects" / "openllmetry" / "traceloop-openai-0.62.4"
OFF = GOLDEN / "dialects" / "gen_ai_events" / "semconv-nocontent-openai_v2-2.4b0"
SERVICE = {
    "service", "versions", "sdks", "dialects", "scopes", "unclaimed", "visible", "advice",
    "warnings", "unknown_keys",
}  # fmt: skip


def run(*arguments, columns=100, terminal=False, **environ):
    """Run `tellback inspect` as a process, on a pipe or on what it takes for a terminal."""
    command = [sys.executable, "-m", "collector", "inspect", *map(str, arguments)]
    if terminal:
        environ |= {"FORCE_COLOR": "1", "TERM": "xterm-256color"}
    environ = {**os.environ, "COLUMNS": str(columns), **environ}
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=120, env=environ
    )


def document(capsys, *arguments):
    assert main(["inspect", *map(str, arguments), "--output", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_document(capsys):
    found = document(capsys, BARE)
    assert set(found) == {"spans", "log_records", "services"}
    [service] = found["services"]
    assert set(service) == SERVICE
    assert service["service"] == "billing-bot"
    [visible] = service["visible"]
    assert visible["produced"] == {"seen": 0, "of": 3, "missing": {"no_tool_span": 3}}
    told = json.dumps(service["advice"])
    assert "@tool(" in told
    assert "set_association_properties" in told


def test_many_paths_and_several_services(capsys):
    found = document(capsys, BARE, OFF, GOLDEN / "reports" / "01-int64-as-string")
    names = [service["service"] for service in found["services"]]
    assert names[0] == "billing-bot"
    assert len(names) == len(set(names)) == 2
    dialects = {each["dialect"] for each in found["services"][0]["dialects"]}
    assert dialects == {"openllmetry", "gen_ai", "gen_ai_events"}


@pytest.mark.parametrize("columns", [80, 120])
def test_the_text_fits_and_says_it_all(columns):
    found = run(OFF, BARE, columns=columns)
    assert found.returncode == 0, found.stderr
    assert max(map(len, found.stdout.splitlines())) <= columns
    assert "\x1b" not in found.stdout
    words = " ".join(found.stdout.split())
    for said in (
        "billing-bot", "read as", "3 no_tool_span", "2 content_off", "To see the rest, switch on",
        "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true", "0 of 3",
    ):  # fmt: skip
        assert said in words


def test_the_readme_shows_what_is_printed():
    readme = (GOLDEN.parents[1] / "README.md").read_text(encoding="utf-8")
    shown = readme.split("```text\n1 service")[1].split("```")[0]
    lines = [line.rstrip() for line in run(BARE, columns=90).stdout.splitlines()]
    assert ("1 service" + shown).splitlines() == lines


def test_colour_only_on_a_terminal():
    assert "\x1b[32m2 of 2" in run(BARE, terminal=True).stdout
    assert "\x1b[32m" not in run(BARE, terminal=True, NO_COLOR="1").stdout


def test_hostile_names_do_not_draw_on_the_terminal(tmp_path):
    trace = Trace("hostile")
    trace.chat([user("q")], assistant("a"))
    name = "\x1b]0;owned\x07\x1b[31m\u202e[bold]" + "n" * 100_000
    sent = json.loads(request(trace.spans, scope=name))
    sent["resourceSpans"][0]["resource"]["attributes"][0]["value"]["stringValue"] = name
    (tmp_path / "a.json").write_text(json.dumps(sent))
    found = run(tmp_path)
    assert found.returncode == 0, found.stderr
    assert len(found.stdout) < 10_000
    assert not {"\x1b", "\x07", "\u202e"} & set(found.stdout)
    assert "[bold]" in found.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "give either PATH…, or --live"),
        (["--live", "a.pb"], "give either PATH…, or --live"),
        (["a.pb", "--endpoint", "x"], "go with --live"),
        (["not-here"], "there is no such file or folder"),
        ([__file__], "expected OTLP traces or logs"),
        ([os.devnull], "expected OTLP traces or logs"),
        ([str(Path(__file__).parent)], "no span or log record was read"),
        (["--live", "--endpoint", "ftp://x"], "expected a URL such as"),
        (["--live", "--endpoint", "http://[::1"], "expected a URL such as"),
        (["--live", "--endpoint", "127.0.0.1:1"], "no sidecar answers"),
        (["--live", "--token-file", "not-here"], "not-here"),
    ],
)
def test_what_cannot_be_inspected_is_one_sentence(arguments, sentence, capsys):
    assert main(["inspect", *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert sentence in said.err
    assert said.err.count("\n") == 1
