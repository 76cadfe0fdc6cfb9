"""The table of metrics obeys the naming rules, and nothing else names a metric."""

import re
from pathlib import Path

import pytest

from collector import telemetry
from collector.dialects import DIALECTS
from collector.exporters.reference import reference
from collector.pipeline import UNKNOWN
from collector.telemetry import BY_NAME, INSTRUMENTS

ROOT = Path(__file__).parents[2]
SUFFIX = re.compile(r"_(bucket|sum|count|created)$")
# A name as documents, rules and dashboards write it: whole, with a suffix that only metrics have,
# or with a selector behind it.
MENTION = re.compile(
    r"\btellback_[a-z0-9_]+?(?:_total|_seconds|_bytes|_ratio|_info|_bucket|_sum|_count)\b"
    r"|\btellback_[a-z0-9_]+(?=[{\[])"
)
FORBIDDEN_LABELS = {"trace", "trace_id", "conversation", "conversation_id", "user", "text", "le"}


@pytest.mark.parametrize("instrument", INSTRUMENTS, ids=lambda each: each.name)
def test_the_name_says_what_it_is(instrument):
    name = instrument.name
    assert re.fullmatch(r"tellback(_[a-z0-9]+)+", name)
    assert name.endswith("_total") == (instrument.kind == "counter")
    assert name.endswith("_info") == (instrument.kind == "info")
    assert not re.search(r"_(ms|percent|count|sum|bucket|milliseconds)(_total)?$", name)
    if instrument.unit:
        # OpenMetrics: the family's name ends in its unit.
        assert instrument.family.endswith(f"_{instrument.unit}")
    for unit in ("seconds", "bytes", "ratio"):
        assert (unit in instrument.family.split("_")) == (instrument.unit == unit)
    assert instrument.help.endswith(".")


@pytest.mark.parametrize("instrument", INSTRUMENTS, ids=lambda each: each.name)
def test_its_labels_are_few_and_no_ids(instrument):
    assert len(set(instrument.labels)) == len(instrument.labels) <= 6
    assert not FORBIDDEN_LABELS & set(instrument.labels)
    assert set(instrument.values) <= set(instrument.labels)
    assert instrument.filled is None or instrument.filled in instrument.values
    assert bool(instrument.buckets) == (instrument.kind == "histogram")
    assert list(instrument.buckets) == sorted(set(instrument.buckets))


def test_names_are_declared_once():
    assert len({each.family for each in INSTRUMENTS}) == len(INSTRUMENTS) == len(BY_NAME)


def _documents():
    folders = ("docs", "deploy", "helm")
    found = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()]
    return [
        path
        for path in (ROOT / "README.md", *found)
        if path.exists() and path.suffix in {".md", ".yaml", ".yml", ".json", ".html"}
    ]


@pytest.mark.parametrize("path", _documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_metric_a_document_names_exists(path):
    mentioned = set(MENTION.findall(path.read_text(encoding="utf-8")))
    known = set(BY_NAME) | {each.family for each in INSTRUMENTS}
    assert {
        name for name in mentioned if name not in known and SUFFIX.sub("", name) not in known
    } == set()


def test_the_reference_names_every_metric():
    page = reference()
    assert [name for name in BY_NAME if f"`{name}`" not in page] == []


def test_the_dialects_are_those_that_are_asked():
    assert (*(dialect.name for dialect in DIALECTS), UNKNOWN) == telemetry.DIALECTS
