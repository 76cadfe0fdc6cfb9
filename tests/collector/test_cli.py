"""The command line's frame: what every command shares."""

import importlib
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from collector import cli
from collector.commands import COMMANDS, validate
from collector.config import without_password
from collector.errors import ConfigError, UsageError

ROOT = Path(__file__).parents[2]


def run(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "collector", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        **options,
    )


def test_help_names_every_command_and_costs_little():
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = run("--help")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert found.returncode == 0
    assert all(name in found.stdout for name, _ in COMMANDS)
    # Processor time, so that a busy machine does not matter.
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 0.3


@pytest.mark.parametrize("name", [name for name, _ in COMMANDS])
def test_every_command_has_a_parser_and_help(name, capsys):
    module = importlib.import_module(f"collector.commands.{name}")
    assert callable(module.run)
    with pytest.raises(SystemExit) as ended:
        cli.main([name, "--help"])
    assert ended.value.code == 0
    assert f"tellback {name}" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [[], ["frobnicate"], ["--frobnicate"], ["validate", "--x"]])
def test_wrong_usage_is_status_2_with_nothing_on_standard_output(arguments):
    found = run(*arguments)
    assert found.returncode == 2
    assert found.stdout == ""
    assert "usage: tellback" in found.stderr
    assert "Traceback" not in found.stderr


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (ConfigError("a.yaml:1: x: unknown key"), 2, "tellback: a.yaml:1: x: unknown key\n"),
        (UsageError("one\ntwo"), 2, "tellback: one\ntellback: two\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_errors_become_sentences_and_statuses(monkeypatch, capsys, error, status, said):
    def fail(_):
        raise error

    monkeypatch.setattr(validate, "run", fail)
    assert cli.main(["validate"]) == status
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", said)


def test_a_reader_that_leaves_is_no_error():
    shell = f"{sys.executable} -m collector validate --schema | head -c 10"
    found = subprocess.run(
        ["sh", "-c", shell], capture_output=True, text=True, check=False, timeout=60
    )
    assert found.stderr == ""
    assert found.stdout == '{\n  "$schem'[:10]


def test_a_terminal_without_unicode_is_no_error(tmp_path):
    path = tmp_path / "t.yaml"
    path.write_text("storage: {directory: '数据'}\n", encoding="utf-8")
    environ = os.environ | {"PYTHONIOENCODING": "ascii"}
    found = run("validate", "--config", str(path), env=environ)
    assert found.returncode == 0
    assert "\\u6570\\u636e" in found.stdout


def test_validate_says_what_would_run_and_changes_nothing(tmp_path):
    path = tmp_path / "t.yaml"
    path.write_text("storage: {database: '${env:DB}'}\nturns: {quiet_period: 3s}\n")
    environ = os.environ | {"DB": "postgresql://u:secret@h/d"}
    found = run("validate", "--config", str(path), cwd=tmp_path, env=environ)
    assert found.returncode == 0
    for text in (
        "127.0.0.1:4317",
        "127.0.0.1:4318",
        "127.0.0.1:9473",
        "3s",
        "postgresql://u:***@h",
    ):
        assert text in found.stdout
    assert "secret" not in found.stdout
    assert list(tmp_path.iterdir()) == [path]


def test_validate_in_json(tmp_path):
    path = tmp_path / "t.yaml"
    path.write_text("scoring: {judges: {reader: {model: a/b}}}\n")
    found = run("validate", "--config", str(path), "--output", "json")
    document = json.loads(found.stdout)
    assert document["valid"] is True
    assert document["runs"]["OTLP/HTTP"] == "127.0.0.1:4318"
    assert "a/b is not called" in document["warnings"][0]


def test_validate_says_which_files_of_secrets_are_not_here(tmp_path):
    path = tmp_path / "t.yaml"
    path.write_text(
        "receivers: {otlp: {grpc: {tls: {cert_file: no.pem, key_file: no.key}}}}\n"
        "service: {admin: {auth: {bearer_token_file: no.token}}}\n"
    )
    found = run("validate", "--config", str(path), cwd=tmp_path)
    assert found.returncode == 0
    warned = found.stderr.splitlines()
    assert len(warned) == 2
    assert "receivers.otlp.grpc.tls.cert_file no.pem: can't be read" in warned[0]
    assert "service.admin.auth.bearer_token_file no.token: can't be read" in warned[1]
    assert all(line.endswith("`tellback run` would not start here") for line in warned)


def test_validate_refuses_with_the_place(tmp_path):
    path = tmp_path / "t.yaml"
    path.write_text("turns: {quiet: 3s}\n")
    found = run("validate", "--config", str(path))
    assert found.returncode == 2
    assert found.stdout == ""
    assert f"{path}:1: turns.quiet: unknown key" in found.stderr


def test_validate_opens_no_socket_and_starts_no_task(monkeypatch, capsys):
    def refuse(*_, **__):
        raise AssertionError("validate must stay offline")

    monkeypatch.setattr("socket.socket", refuse)
    monkeypatch.setattr("threading.Thread.start", refuse)
    assert cli.main(["validate", "--output", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["valid"] is True


def test_the_schema_names_every_section(capsys):
    assert cli.main(["validate", "--schema"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert {"receivers", "storage", "turns", "scoring", "privacy", "exporters", "service"} <= set(
        schema["properties"]
    )
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("sqlite:///a.db", "sqlite:///a.db"),
        ("postgresql+psycopg://u:p:w@x@h:1/d", "postgresql+psycopg://u:***@h:1/d"),
        ("postgresql://u@h/d", "postgresql://u@h/d"),
    ],
)
def test_passwords_are_hidden(url, shown):
    assert without_password(url) == shown
