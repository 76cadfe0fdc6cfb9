"""Each target is fuzzed for some seconds: nothing breaks a rule, hangs or eats memory.

The mutations begin the same way every time, so that a failure can be had again; how far they get
is a matter of the machine. `make fuzz` goes on for longer (docs/fuzzing.md).
"""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from targets import TARGETS

FUZZ = Path(__file__).with_name("fuzz.py")
SECONDS = 12


@pytest.fixture
def atheris():
    if find_spec("atheris") is not None:
        return
    message = "atheris is not installed: its wheels are for Linux on x86-64 and Python 3.11 to 3.13"
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)


@pytest.mark.usefixtures("atheris")
@pytest.mark.parametrize("name", TARGETS)
def test_nothing_is_found(name, tmp_path):
    ended = subprocess.run(
        [sys.executable, FUZZ, name, "--seconds", str(SECONDS), "--found", tmp_path],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        timeout=240,
    )
    found = [f"{path.name}: {path.read_bytes()!r}" for path in tmp_path.iterdir()]
    assert ended.returncode == 0, "\n".join([*found, ended.stderr[-6000:]])
    executed = re.search(r"number_of_executed_units: (\d+)", ended.stderr)
    assert executed, ended.stderr[-2000:]
    assert int(executed[1]) >= 20, "hardly anything was tried"
