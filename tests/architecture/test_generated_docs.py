"""Generated pages are what the code would generate now; --rewrite-golden writes them."""

from pathlib import Path

from collector.exporters.reference import reference

PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"


def test_the_metric_reference_is_up_to_date(request):
    if request.config.getoption("--rewrite-golden"):
        PAGE.write_text(reference(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == reference(), (
        "docs/metrics.md is not what `python -m collector.exporters.reference` writes"
    )
