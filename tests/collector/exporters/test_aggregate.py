"""What one turn adds to the metrics, read back from the exposition as Prometheus parses it."""

import threading

import pytest
from entries import TRACE, delivery, entry, score, unseen
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse

from collector.exporters.aggregate import Aggregate
from collector.telemetry import BY_NAME, INSTRUMENTS
from scorers.delivery.pair import State
from scorers.score import Outcome

OPENMETRICS = "application/openmetrics-text; version=1.0.0"
WHO = {"agent": "billing", "agent_version": "1.4", "environment": "test"}


@pytest.fixture
def aggregate():
    return Aggregate(scorers=["lexical_reader"], clock=lambda: 1_700_000_000.5)


def samples(aggregate):
    text = aggregate.render(OPENMETRICS)[0].decode()
    return [one for family in parse(text) for one in family.samples]


def value(aggregate, name, **labels):
    """The one sample with these labels; None where there is none."""
    found = [
        one.value
        for one in samples(aggregate)
        if one.name == name and labels.items() <= one.labels.items()
    ]
    assert len(found) < 2, found
    return found[0] if found else None


def total(aggregate, name):
    return sum(one.value for one in samples(aggregate) if one.name == name)


def test_fixed_series_are_zero_from_the_start_and_others_absent(aggregate):
    grpc = {"receiver": "otlp_grpc", "dialect": "gen_ai"}
    assert value(aggregate, "tellback_spans_received_total", **grpc) == 0
    assert value(aggregate, "tellback_ledger_writes_total", outcome="failed") == 0
    assert value(aggregate, "tellback_replies_pending", scorer="lexical_reader") == 0
    assert value(aggregate, "tellback_turn_close_delay_seconds_count") == 0
    for unknown in ("tellback_open_turns", "tellback_reply_verdicts_total"):
        assert unknown not in aggregate.render()[0].decode()


def test_receivers_and_pipeline_are_counted(aggregate):
    aggregate.accepted("otlp_grpc", "traces", 5)
    aggregate.accepted("otlp_http", "logs", 2)
    aggregate.refused("otlp_http", "unknown", "malformed", 1)
    aggregate.refused("otlp_http", "traces", "too_large", 7)
    aggregate.received("otlp_grpc", "traces", "openinference", 5)
    aggregate.received("otlp_http", "logs", "unknown", 2)
    aggregate.dropped("duplicate", 3)
    grpc = {"receiver": "otlp_grpc", "dialect": "openinference"}
    assert value(aggregate, "tellback_spans_received_total", **grpc) == 5
    logs = {"receiver": "otlp_http", "dialect": "unknown"}
    assert value(aggregate, "tellback_log_records_received_total", **logs) == 2
    assert value(aggregate, "tellback_requests_refused_total", reason="malformed") == 1
    assert value(aggregate, "tellback_spans_refused_total", reason="too_large") == 7
    assert value(aggregate, "tellback_spans_dropped_total", reason="duplicate") == 3
    stamp = "tellback_last_success_timestamp_seconds"
    assert value(aggregate, stamp, stage="receive") == 1_700_000_000.5
    assert value(aggregate, stamp, stage="turn") is None


def test_a_cut_result_is_counted_on_every_side(aggregate):
    aggregate.turn(entry())
    tool = {**WHO, "tool": "fetch_invoices"}
    assert value(aggregate, "tellback_tool_results_total", **tool, state="cut") == 1
    name = "tellback_tool_result_characters_total"
    assert value(aggregate, name, **tool, side="produced") == 100
    assert value(aggregate, name, **tool, side="delivered") == 40
    name = "tellback_tool_field_results_total"
    assert value(aggregate, name, **tool, field="due_date", delivered="false") == 2
    assert value(aggregate, name, **tool, field="due_date", delivered="true") == 0
    assert value(aggregate, name, **tool, field="number", delivered="true") == 2
    for kind in ("broken", "silent_cuts"):
        name = f"tellback_tool_results_{kind}_total"
        assert value(aggregate, name, **tool, strategy="prefix_slice") == 1
    name = "tellback_stage_items_total"
    assert value(aggregate, name, stage="deliver", outcome="lost") == 1
    assert value(aggregate, name, stage="act", outcome="whole") == 1


def test_what_was_not_seen_is_never_counted_as_lost_or_delivered(aggregate):
    aggregate.turn(entry(deliveries=[unseen(State.unobservable), unseen(State.lower_bound)]))
    name = "tellback_stage_items_total"
    assert value(aggregate, name, stage="deliver", outcome="unobservable") == 2
    assert value(aggregate, name, stage="deliver", outcome="lost") is None
    assert value(aggregate, name, stage="deliver", outcome="whole") is None
    for absent in ("tool_result_characters", "tool_field_results"):
        assert total(aggregate, f"tellback_{absent}_total") == 0


def test_joins_are_counted_by_how_they_were_made(aggregate):
    pairs = (delivery(join="id"), delivery(join="order"), delivery(join="order"), delivery())
    aggregate.turn(entry(deliveries=pairs))
    name = "tellback_tool_result_joins_total"
    counted = {
        join: value(aggregate, name, join=join) for join in ("id", "arguments", "order", "none")
    }
    assert counted == {"id": 1, "arguments": 0, "order": 2, "none": 1}


def test_an_unread_result_is_lost_in_acting(aggregate):
    aggregate.turn(entry(deliveries=[unseen(State.unread)], stopped="step_budget"))
    assert value(aggregate, "tellback_tool_results_unread_total", reason="step_budget") == 1
    assert value(aggregate, "tellback_turns_stopped_total", reason="step_budget") == 1
    assert value(aggregate, "tellback_stage_items_total", stage="act", outcome="lost") == 1


def test_replies_verdicts_and_failures(aggregate):
    wrong = {"gaps": [], "same_language": False, "answered": False}
    aggregate.turn(entry("a", tool_turns=2))
    aggregate.turn(entry("b", tool_turns=3, scores=[score(evidence=wrong)]))
    aggregate.turn(entry("c", tool_turns=0, scores=[score(label="usable", evidence={})]))
    declined = score(outcome=Outcome.unscored, label=None, reason="too short", evidence={})
    aggregate.turn(entry("d", scores=[declined], states={"lexical_reader": "unobservable"}))
    verdicts = "tellback_reply_verdicts_total"
    assert value(aggregate, verdicts, tool_turns="1-2", verdict="failed") == 1
    assert value(aggregate, verdicts, tool_turns="3+", verdict="failed") == 1
    assert value(aggregate, verdicts, tool_turns="0", verdict="usable") == 1
    assert value(aggregate, verdicts, tool_turns="0", verdict="failed") == 0
    failures = "tellback_reply_failures_total"
    kinds = {"coined": 1, "not_answered": 1, "wrong_language": 1, "pointer": 0}
    assert {kind: value(aggregate, failures, kind=kind) for kind in kinds} == kinds
    assert value(aggregate, "tellback_scores_total", outcome="unscored") == 1
    assert value(aggregate, "tellback_information_gaps_bucket", le="0.0") == 2
    assert value(aggregate, "tellback_information_gaps_count") == 3
    assert value(aggregate, "tellback_reply_states_total", state="unobservable") == 1


def test_observed_replies_are_states_and_pending_for_every_scorer(aggregate):
    aggregate.turn(entry("a"))
    aggregate.turn(entry("b", states={"lexical_reader": "filtered"}))
    aggregate.turn(entry("c", states={}))  # its end is still to come
    observed = total(aggregate, "tellback_replies_observed_total")
    pending = value(aggregate, "tellback_replies_pending", scorer="lexical_reader")
    assert observed == 3
    assert pending == 1
    assert observed == total(aggregate, "tellback_reply_states_total") + pending


def test_gauges_are_read_at_the_scrape_and_a_broken_one_is_absent(aggregate, caplog):
    current = [3.0]
    aggregate.watch("tellback_open_turns", lambda: current[0])
    aggregate.watch("tellback_ledger_size_bytes", lambda: 1 / 0)
    assert value(aggregate, "tellback_open_turns") == 3
    current[0] = None
    assert value(aggregate, "tellback_open_turns") is None
    assert value(aggregate, "tellback_ledger_size_bytes") is None
    assert "tellback_ledger_size_bytes" in caplog.text
    with pytest.raises(ValueError, match="not a gauge"):
        aggregate.watch("tellback_spans_dropped_total", lambda: 1)


def test_exemplars_carry_the_trace(aggregate):
    aggregate.turn(entry(), close_delay_s=3.0)
    found = {one.name: one.exemplar for one in samples(aggregate) if one.exemplar}
    for name in ("tellback_reply_verdicts_total", "tellback_tool_results_total"):
        assert found[name].labels == {"trace_id": TRACE}
        assert float(found[name].timestamp) == 1_700_000_000.5
    assert value(aggregate, "tellback_turn_close_delay_seconds_bucket", le="2.5") == 0
    assert value(aggregate, "tellback_turn_close_delay_seconds_bucket", le="5.0") == 1


def test_a_trace_id_that_is_none_is_no_exemplar(aggregate):
    aggregate.turn(entry(reply_trace_id='x"}\n', trace_ids=("é" * 32, "a" * 500)))
    assert not [one for one in samples(aggregate) if one.exemplar]


def test_every_instrument_can_be_filled(aggregate):
    aggregate.accepted("otlp_grpc", "traces", 1)
    for signal in ("traces", "logs", "metrics"):
        aggregate.refused("otlp_http", signal, "malformed", 1)
    for signal in ("traces", "logs"):
        aggregate.received("otlp_grpc", signal, "openinference", 1)
    aggregate.dropped("duplicate")
    aggregate.watch("tellback_open_turns", lambda: 0)
    aggregate.watch("tellback_ledger_size_bytes", lambda: 0)
    aggregate.watch("tellback_journal_size_bytes", lambda: 0)
    aggregate.journaled("written", 1)
    aggregate.synced()
    aggregate.written("new")
    aggregate.pruned(2)
    results = [delivery(), unseen(State.unread)]
    aggregate.turn(entry(deliveries=results, stopped="error"), close_delay_s=1)
    shown = {reading.instrument.name for reading in aggregate.snapshot() if reading.labels}
    assert shown == set(BY_NAME), "a metric in the table that nothing fills"
    assert len(BY_NAME) == len(INSTRUMENTS)


def test_counting_and_scraping_at_once_loses_nothing(aggregate):
    def work():
        for number in range(200):
            aggregate.turn(entry(agent=f"agent-{number % 7}"))
            aggregate.received("otlp_grpc", "traces", "gen_ai", 1)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        aggregate.render(OPENMETRICS)
    for thread in threads:
        thread.join()
    assert total(aggregate, "tellback_replies_observed_total") == 600
    assert total(aggregate, "tellback_spans_received_total") == 600
