"""Labels are bounded and valid whatever telemetry holds; promtool and Prometheus accept it."""

import math
import subprocess
import sys

import pytest
from entries import delivery, entry
from hypothesis import example, given, settings
from hypothesis import strategies as st
from prometheus_client import REGISTRY, CollectorRegistry
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.exposition import generate_latest as plain_text
from prometheus_client.metrics_core import Metric
from prometheus_client.openmetrics.exposition import ALLOWUTF8, CONTENT_TYPE_LATEST
from prometheus_client.openmetrics.exposition import generate_latest as openmetrics_text
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_text
from prometheus_client.samples import Exemplar
from prometheus_client.utils import floatToGoString

from collector.exporters import prometheus
from collector.exporters.aggregate import Aggregate
from collector.exporters.family import OVERFLOW, Family
from collector.exporters.label import clean
from collector.name import is_field, is_tool
from collector.telemetry import CAPS, Instrument

OPENMETRICS = "application/openmetrics-text"
NASTY = st.text(st.characters(codec=None), max_size=300)


def check(program, text):
    """Run promtool's own parser and linter over an exposition."""
    ended = subprocess.run(
        [program("promtool"), "check", "metrics"],
        input=text,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (ended.returncode, ended.stderr) == (0, b""), ended


@pytest.mark.server
def test_promtool_finds_nothing_to_say(program):
    aggregate = Aggregate(scorers=["lexical_reader"])
    check(program, aggregate.render()[0])
    aggregate.turn(entry(stopped="error"), close_delay_s=2)
    aggregate.refused("otlp_http", "unknown", "malformed", 1)
    aggregate.watch("tellback_open_turns", lambda: 2)
    check(program, aggregate.render()[0])


@pytest.mark.server
def test_promtool_reads_hostile_labels(program):
    aggregate = Aggregate()
    hostile = [
        'a"b',
        "a\\",
        "a\nb",
        "a\x00b",
        "\ud800",
        "\u2028",
        "名前",
        "x" * 10_000,
        "",
        "{}",
        " ",
    ]
    for text in hostile:
        aggregate.turn(
            entry(
                agent=text,
                model=text,
                deliveries=[delivery(tool=text, strategy=text, fields={text: (0, 1)})],
                states={text: text},
            )
        )
    check(program, aggregate.render()[0])


@given(texts=st.lists(NASTY, min_size=1, max_size=8))
@settings(max_examples=60, deadline=None)
def test_any_text_makes_a_valid_exposition(texts):
    aggregate = Aggregate()
    for text in texts:
        aggregate.turn(entry(agent=text, deliveries=[delivery(tool=text, fields={text: (1, 1)})]))
    openmetrics = aggregate.render(OPENMETRICS)[0].decode("utf-8")
    list(parse_openmetrics(openmetrics))
    plain = list(parse_text(aggregate.render()[0].decode("utf-8")))
    observed = next(one for one in plain if one.name == "tellback_replies_observed")
    assert sum(sample.value for sample in observed.samples) == len(texts)


@pytest.mark.parametrize("accept", ["", OPENMETRICS])
@given(texts=st.lists(NASTY, min_size=1, max_size=4), count=st.integers(0, 10**17))
@settings(max_examples=30, deadline=None)
def test_what_is_written_is_what_prometheus_client_writes(accept, texts, count):
    aggregate = Aggregate(scorers=["lexical_reader"], max_series=6)
    aggregate.watch("tellback_open_turns", lambda: count / 7)
    aggregate.refused("otlp_http", "traces", "too_large", count)
    for text in texts * 4:
        aggregate.turn(
            entry(
                agent=text, deliveries=[delivery(tool=text, fields={text: (1, 3), "due": (0, 1)})]
            ),
            close_delay_s=count / 3,
        )
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Reference(aggregate.snapshot()))
    write = openmetrics_text if accept else plain_text
    assert aggregate.render(accept)[0] == write(registry, escaping=ALLOWUTF8)


class Reference:
    """A snapshot as prometheus_client asks for it."""

    def __init__(self, snapshot):
        self.snapshot = snapshot

    def collect(self):
        for reading in self.snapshot:
            instrument = reading.instrument
            metric = Metric(instrument.family, instrument.help, instrument.kind, instrument.unit)
            for at, values in enumerate(reading.labels):
                labels = dict(zip(instrument.labels, values, strict=False))
                if instrument.labels and values == OVERFLOW:
                    labels = {"otel_metric_overflow": "true"}
                if not instrument.buckets:
                    metric.add_sample(
                        instrument.name,
                        labels,
                        reading.values[at],
                        exemplar=exemplar(reading.exemplars[at]),
                    )
                    continue
                bounds = (*map(floatToGoString, instrument.buckets), "+Inf")
                total = 0
                for bound, held, seen in zip(bounds, *reading.buckets[at], strict=True):
                    total += held
                    named = {**labels, "le": bound}
                    name = f"{instrument.name}_bucket"
                    metric.add_sample(name, named, total, exemplar=exemplar(seen))
                metric.add_sample(f"{instrument.name}_count", labels, total)
                metric.add_sample(f"{instrument.name}_sum", labels, reading.values[at])
            if reading.labels:
                yield metric


def exemplar(found):
    if found is None:
        return None
    trace, value, seconds = found
    return Exemplar({"trace_id": trace}, value, round(seconds, 3))


@given(text=NASTY)
def test_a_label_is_short_valid_and_never_empty(text):
    label = clean(text)
    assert 0 < len(label) <= 109
    label.encode("utf-8")
    assert not set(label) & set("\n\r\x00\u2028")


def test_long_texts_with_one_beginning_stay_apart():
    assert clean("x" * 500 + "a") != clean("x" * 500 + "b")
    assert clean("x" * 500) == clean("x" * 500)
    assert clean(None) == clean("") == clean("\n") == "unknown"


def test_what_a_long_label_was_made_of_is_not_kept():
    text = "".join(map(str, range(1000)))
    before = sys.getrefcount(text)
    clean(text)
    is_field(text)
    is_tool(text)
    assert sys.getrefcount(text) == before


def test_too_many_tools_go_to_the_overflow_and_sums_stay_whole():
    aggregate = Aggregate()
    for number in range(CAPS["tool"] + 50):
        aggregate.turn(entry(deliveries=[delivery(tool=f"tool_{number}")]))
    series = _values(aggregate, "tellback_tool_results_total")
    assert len(series) == CAPS["tool"] + 1
    assert series[OVERFLOW] == 50
    assert sum(series.values()) == CAPS["tool"] + 50
    text = aggregate.render(OPENMETRICS)[0].decode()
    assert 'tellback_tool_results_total{otel_metric_overflow="true"} 50.0' in text


def test_one_agents_invented_tools_leave_room_for_another():
    aggregate = Aggregate()
    for number in range(CAPS["tool"] * 2):
        aggregate.turn(entry(agent="wild", deliveries=[delivery(tool=f"tool_{number}")]))
    aggregate.turn(entry(agent="calm", deliveries=[delivery(tool="search")]))
    series = _values(aggregate, "tellback_tool_results_total")
    assert ("calm", "1.4", "test", "search", "deliver", "cut") in series


def test_fields_that_look_like_data_are_no_labels_and_are_counted():
    aggregate = Aggregate()
    fields = {
        "due_date": (1, 1),
        "ann@example.org": (1, 1),
        "4915123456": (0, 1),
        "A. Person": (0, 1),
    } | {f"key_{number}": (0, 1) for number in range(300)}
    aggregate.turn(entry(deliveries=[delivery(fields=fields)]))
    series = _values(aggregate, "tellback_tool_field_results_total")
    assert sum(series.values()) == 304
    named = {labels[4] for labels in series if labels}
    assert "due_date" in named
    assert len(named) == CAPS["field"]


def test_the_configured_number_of_series_holds():
    aggregate = Aggregate(max_series=10)
    for number in range(40):
        aggregate.turn(entry(agent=f"agent-{number}"))
    for reading in aggregate.snapshot():
        # Labels that are filled come together, so that the last ones may exceed it; those that are
        # shown before the first span are as many as there are dialects.
        shown = math.prod(map(len, reading.instrument.values.values()))
        assert len(reading.labels) <= 10 + max(8, shown), reading.instrument.name
    assert sum(_values(aggregate, "tellback_replies_observed_total").values()) == 40


def test_a_histogram_is_cumulative_and_holds_values_at_its_bounds():
    family = Family(Instrument(name="x", kind="histogram", help="X.", buckets=(1, 5)))
    for value in (0, 1, 1.5, 5, 99):
        family.observe((), value)
    reading = family.read()
    assert reading.buckets == [([2, 2, 1], [None, None, None])]
    assert reading.values == [106.5]


def test_the_format_follows_the_accept_header():
    aggregate = Aggregate()
    # What Prometheus 2.42 sends.
    prometheus = (
        "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;"
        "q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
    )
    body, kind = aggregate.render(prometheus)
    assert kind.startswith("application/openmetrics-text; version=1.0.0")
    assert body.endswith(b"# EOF\n")
    for accept in ("", "text/html, */*", "application/openmetrics-text;q=0", ";;,,;=", "é"):
        body, kind = aggregate.render(accept)
        assert kind == "text/plain; version=0.0.4; charset=utf-8"
        assert not body.endswith(b"# EOF\n")


def test_the_global_registry_is_left_alone():
    before = set(REGISTRY._collector_to_names)
    aggregate = Aggregate()
    aggregate.render()
    assert set(REGISTRY._collector_to_names) == before
    assert b"python_gc" not in aggregate.render()[0]


def _values(aggregate, name):
    reading = next(one for one in aggregate.snapshot() if one.instrument.name == name)
    return dict(zip(reading.labels, reading.values, strict=True))


@given(st.floats() | st.integers(-(10**18), 10**18))
@example(float("inf"))
@example(1e6)
@example(1e21)
def test_numbers_are_written_as_the_library_writes_them(value):
    assert prometheus._number(value) == floatToGoString(value)


def test_content_types_are_the_librarys():
    assert prometheus.TEXT == CONTENT_TYPE_PLAIN_0_0_4
    assert prometheus.OPENMETRICS == CONTENT_TYPE_LATEST
