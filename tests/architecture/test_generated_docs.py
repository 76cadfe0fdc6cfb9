"""Generated pages are what the code would generate now; --rewrite-golden writes them."""

from pathlib import Path

from collector import capture_reference
from collector.exporters.reference import reference

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "metrics.md"
CAPTURE = DOCS / "capture-loss.md"


def test_the_metric_reference_is_up_to_date(request):
    if request.config.getoption("--rewrite-golden"):
        PAGE.write_text(reference(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == reference(), (
        "docs/metrics.md is not what `python -m collector.exporters.reference` writes"
    )


def test_the_page_of_reasons_is_up_to_date(request):
    if request.config.getoption("--rewrite-golden"):
        CAPTURE.write_text(capture_reference.reference(), encoding="utf-8")
    assert CAPTURE.read_text(encoding="utf-8") == capture_reference.reference(), (
        "docs/capture-loss.md is not what `python -m collector.capture_reference` writes"
    )
