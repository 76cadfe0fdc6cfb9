"""What `make` sets up, where something is missing: a plain message, and the right status."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON_TOO_OLD = 'case "$*" in *version_info*) exit 1;; -V) echo Python 3.8.1;; esac'
PYTHON_WITHOUT_VENV = 'case "$*" in *ensurepip*) exit 1;; esac'


def script(name, tmp_path, *arguments, path):
    deploy = tmp_path / "deploy"
    deploy.mkdir()
    shutil.copy(ROOT / "deploy" / name, deploy)
    return subprocess.run(
        ["/bin/sh", str(deploy / name), *arguments],
        env={"PATH": path, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("python3", "said"),
    [
        (PYTHON_TOO_OLD, "setup: python3 is Python 3.8.1, and 3.11 or later is needed\n"),
        (PYTHON_WITHOUT_VENV, "this python3 has no venv (on Debian: apt-get install python3-venv)"),
    ],
)
def test_setup_says_what_python_lacks(tmp_path, python3, said):
    programs = tmp_path / "bin"
    programs.mkdir()
    fake = programs / "python3"
    fake.write_text(f"#!/bin/sh\n{python3}\n")
    fake.chmod(0o755)
    found = script("setup.sh", tmp_path, path=f"{programs}:/usr/bin:/bin")
    assert found.returncode == 1
    assert said in found.stderr
    assert not (tmp_path / ".venv").exists()


@pytest.mark.parametrize(("arguments", "status"), [(["--if-root"], 0), ([], 1)])
def test_servers_that_cannot_be_had_are_named(tmp_path, arguments, status):
    found = script("system-deps.sh", tmp_path, *arguments, path=str(tmp_path))
    assert found.returncode == status
    assert found.stderr == "system-deps: no apt-get here; not installed: prometheus\n"


def test_every_target_has_a_line_of_help():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = makefile.partition(".PHONY: ")[2].split()
    found = subprocess.run(
        # Under `make test` this make is a second one, which would say which folder it enters.
        ["make", "--no-print-directory", "help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert [line.split()[0] for line in found.stdout.splitlines()] == phony
