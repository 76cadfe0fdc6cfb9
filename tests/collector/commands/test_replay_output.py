"""`tellback replay` as a process: output that can't be written and input that holds nothing."""

import subprocess
import sys

import pytest

from traces import Trace, assistant, request, user


@pytest.fixture
def recorded(tmp_path):
    trace = Trace("command")
    trace.chat([user("q")], assistant("a"))
    path = tmp_path / "a.json"
    path.write_bytes(request(trace.spans))
    return path


def replay(path, *arguments, then=""):
    """Run `tellback replay` in a shell, which does with its output what `then` says."""
    shell = f'"$@" {then}'
    command = [sys.executable, "-m", "collector", "replay", str(path), *arguments]
    return subprocess.run(
        ["bash", "-c", shell, "bash", *command],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_text_for_people(recorded):
    found = replay(recorded)
    assert found.returncode == 0, found.stderr
    assert "Traceback" not in found.stderr


@pytest.mark.parametrize(
    "then",
    [
        pytest.param(">&-", id="closed"),
        pytest.param("> /dev/full", id="no space left"),
        pytest.param("| true; exit ${PIPESTATUS[0]}", id="reader gone"),
    ],
)
def test_output_that_cannot_be_written_is_no_traceback(recorded, then):
    found = replay(recorded, "--output", "json", then=then)
    assert "Traceback" not in found.stderr
    assert "Exception ignored" not in found.stderr


def test_empty_input_says_so():
    found = replay("/dev/null")
    assert found.returncode == 2
    assert "Traceback" not in found.stderr
