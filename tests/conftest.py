"""Shared by all tests: the flag that rewrites golden files, and where real data lies."""

import json
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# How long examples take says something of the machine, and on a new one of tables that hypothesis
# builds once; neither makes a test fail.
settings.register_profile(
    "any machine", suppress_health_check=[HealthCheck.too_slow], deadline=None
)
settings.load_profile("any machine")


def pytest_addoption(parser):
    parser.addoption(
        "--rewrite-golden",
        action="store_true",
        help="write what the product gives now into the golden files, for review with git diff",
    )


@pytest.fixture
def golden(request):
    """Compare a JSON value with a golden file; with --rewrite-golden, write it instead."""

    def check(path: Path, actual):
        text = json.dumps(actual, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
        if request.config.getoption("--rewrite-golden"):
            path.write_text(text, encoding="utf-8")
            return
        assert path.exists(), f"{path} is missing: run make golden and review it"
        assert json.loads(text) == json.loads(path.read_text(encoding="utf-8"))

    return check


@pytest.fixture
def program():
    """Return the path of a real server program; skipped by name where it can't be had, but in CI
    its absence is a failure."""

    def find(name: str) -> str:
        path = shutil.which(name)
        if path is None:
            message = f"{name} is not installed (make system-deps installs it)"
            if os.environ.get("CI"):
                pytest.fail(message)
            pytest.skip(message)
        return path

    return find
