"""docs/dialects.md is what `bench/dialects.py` prints now; --rewrite-golden writes it."""

import importlib
import sys
from pathlib import Path

import pytest

from recorded import SHARED

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "dialects.md"
RUNS = SHARED / "data" / "dialects"
SHARED_TABLE = "## Recorded runs: the shared set"


@pytest.fixture(scope="module")
def generator():
    sys.path.append(str(ROOT / "bench"))
    yield importlib.import_module("dialects")
    sys.path.remove(str(ROOT / "bench"))


@pytest.fixture(scope="module")
def printed(generator):
    return generator.page(RUNS if RUNS.is_dir() else None)


def test_the_page_is_up_to_date(request, printed):
    if request.config.getoption("--rewrite-golden") and RUNS.is_dir():
        PAGE.write_text(printed, encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    if not RUNS.is_dir():  # its table can't be made here
        before, _, after = page.partition(SHARED_TABLE)
        page = before + after[after.index("## ") :]
    assert page == printed, "run make dialects DATA=…"


def test_capture_loss_is_never_called_a_cut_and_no_visible_cut_is_missed(generator):
    runs = [generator.truth.run(path.parent) for path in generator.GOLDEN.glob("*/*/expected.json")]
    assert len(runs) >= 25
    assert [run.name for run in runs if not run.right] == []
    assert sum(run.false_losses for run in runs) == 0
    assert sum(run.missed for run in runs) == 0


def test_a_wrong_cell_stands_out(generator, tmp_path):
    cell = generator.truth.Cell("intact", False)
    assert str(cell) == "**intact (wrong)**"
    assert not generator.truth.Run("r", (), (cell,), 0, 0).right


def test_every_dialect_has_a_section(printed):
    for dialect in importlib.import_module("collector.dialects").DIALECTS:
        assert f"\n## {dialect.name}\n" in printed


def test_without_the_shared_runs_their_table_is_left_out(generator):
    page = generator.page(None)
    assert SHARED_TABLE not in page
    assert "## Recorded runs: the repository's own" in page
