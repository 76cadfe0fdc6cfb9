"""A value length limit of the SDK is recognised in real telemetry, whatever the limit is."""

from dataclasses import replace
from pathlib import Path

import pytest

from collector.assembly.lengths import Lengths
from collector.assembly.settings import TurnsConfig
from collector.ledger.record import turn_record
from collector.pipeline import default_pipeline
from collector.receivers import file
from collector.span import Span

RUNS = Path(__file__).parents[3] / "collector" / "demo" / "data"
LIBRARIES = sorted(path.name for path in RUNS.iterdir() if "-1." in path.name or "-0." in path.name)
PRODUCED = 6441  # characters of the invoices that the billing agent's tool returns
DELIVERED = 1500  # and of what the model is given


class Silent:
    def received(self, receiver, signal, dialect, count):
        pass

    def dropped(self, reason, count):
        pass


def shortened(span, limit):
    """A span as an SDK with OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT exports it."""
    cut = {k: v[:limit] if isinstance(v, str) else v for k, v in span.attributes.items()}
    return replace(span, attributes=cut)


def invoices(library, limit):
    pipeline = default_pipeline(TurnsConfig(), clock=lambda: 0.0, observer=Silent())
    for batch in file.read(RUNS / library):
        spans = tuple(shortened(span, limit) for span in batch.records)
        pipeline.consume(replace(batch, records=spans))
    entries = [e for c in pipeline.due(final="quiet") for e in pipeline.finish(c)[1]]
    pairs = [pair for entry in entries for pair in turn_record(entry)["tool_results"]]
    return [pair for pair in pairs if pair["tool"] == "fetch_invoices"]


@pytest.mark.parametrize("limit", [64, 128, 250, 500, 800, 1000, 1200, 1500, 2048, 4096, 6000])
@pytest.mark.parametrize("library", LIBRARIES)
def test_what_the_sdk_cut_is_never_the_agents_loss(library, limit):
    # Below the limit, what the model was given may be seen whole: less than is seen of what was
    # produced, which is a floor for the agent's loss.
    allowed = ("unobservable",) if limit <= DELIVERED else ("unobservable", "lower_bound")
    for pair in invoices(library, limit):
        assert pair["state"] in allowed, (pair["state"], pair["produced_characters"])
        assert pair["kept_characters"] is None


@pytest.mark.parametrize("library", LIBRARIES)
def test_without_a_limit_the_agents_cut_is_seen(library):
    [pair] = invoices(library, 10**9)
    assert (pair["state"], pair["produced_characters"], pair["kept_characters"]) == (
        "cut",
        PRODUCED,
        1500,
    )


def seen(*values):
    lengths = Lengths()
    lengths.add(Span(trace_id="1", span_id="1", attributes=dict(enumerate(values))))
    return lengths.limit


def test_what_shows_a_limit():
    assert seen("a" * 100, "b" * 100, "c" * 100) == 100
    assert seen('{"a": "' + "x" * 93, "b" * 100) == 100
    assert seen("a" * 16, "b" * 16, "c" * 16, "d" * 16, "e" * 16) == 16


def test_what_shows_none():
    assert seen("a" * 100, "a" * 100, "a" * 100) is None, "one text, told three times"
    assert seen("a" * 100, "b" * 100, "c" * 101) is None, "a longer one was kept"
    assert seen("a" * 16, "b" * 16, "c" * 16) is None, "short names have the same length often"
    assert seen() is None
    assert seen(1, True, None, b"x" * 100, ["y" * 100]) is None
