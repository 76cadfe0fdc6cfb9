"""The import rules of docs/architecture.md, as pyproject.toml states them, hold."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_import_contracts():
    run = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_ingest_imports_nothing_heavy():
    """Importing the service pulls in no model library, data frame or plotting package."""
    heavy = "litellm openai pandas numpy matplotlib kafka torch"
    code = (
        "import sys, collector.service;"
        f"sys.exit(' '.join(m for m in {heavy!r}.split() if m in sys.modules) or 0)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
