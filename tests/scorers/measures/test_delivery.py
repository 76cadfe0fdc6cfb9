"""The states of a tool result, and what the measure reports of a turn."""

import json
from dataclasses import replace

import pytest

from scorers.delivery.spill import pointers
from scorers.measures import MEASURES
from scorers.measures import delivery as measure
from scorers.measures.delivery import (
    Delivery,
    DeliveryMeasure,
    State,
    compare,
    deliver,
    deliveries,
)
from scorers.score import Outcome
from scorers.scorer import Scorer
from scorers.testing import a_turn
from scorers.turn import RequesterContext, ToolResult, Turn

LOG = "\n".join(f"2026-11-30 08:{n:02}:00 INFO job {n} finished in {n * 37} ms" for n in range(50))
# The keys of a PAIR, as design/interface.md of the project states them.
KEYS = [
    "tool",
    "call_id",
    "state",
    "strategy",
    "marker",
    "silent",
    "broken",
    "format",
    "produced_characters",
    "delivered_characters",
    "kept_characters",
    "fields",
    "rows",
    "reason",
    "join",
    "dialect",
]


def result(**known):
    values = {"tool": "bash", "call_id": "c1", "produced": LOG, "delivered": LOG, "calls_after": 1}
    return ToolResult(**{**values, **known})


def turn(*results):
    return Turn(
        turn_id="t", trace_ids=("a",), requester=RequesterContext(), tool_results=tuple(results)
    )


def test_intact():
    pair = deliver(result())
    assert (pair.state, pair.strategy, pair.marker, pair.silent) == (
        State.intact,
        None,
        False,
        False,
    )
    assert pair.kept_characters == pair.produced_characters == len(LOG)
    assert pair.rows == (50, 50)


def test_cut():
    pair = deliver(result(delivered=LOG[:1500]))
    assert (pair.state, pair.strategy, pair.silent) == (State.cut, "prefix_slice", True)
    assert pair.kept_characters == 1500


def test_dropped_counts_every_field_and_row_as_lost():
    produced = json.dumps([{"id": 1, "x": "a"}, {"id": 2}])
    pair = deliver(result(produced=produced, delivered=None))
    assert (pair.state, pair.silent, pair.kept_characters) == (State.dropped, True, 0)
    assert dict(pair.fields) == {"id": (0, 2), "x": (0, 1)}
    assert pair.rows == (0, 2)
    assert pair.delivered_characters is None


def test_unread_is_no_loss():
    pair = deliver(result(delivered=None, calls_after=0))
    assert (pair.state, pair.kept_characters, pair.fields) == (State.unread, None, None)
    assert pair.reason == "no_later_model_call"


def test_spilled():
    pair = deliver(
        result(delivered="Output too long: saved to /tmp/out/run-17.txt, read it there.")
    )
    assert (pair.state, pair.strategy, pair.reason) == (State.spilled, "spill_pointer", "pointer")
    assert pair.kept_characters == 0
    assert pair.marker


@pytest.mark.parametrize(
    ("known", "reason"),
    [
        ({"capture_cut": "attribute_limit"}, "attribute_limit"),
        ({"produced": None}, "no_tool_result"),
        ({"produced": None, "produced_missing": "content_off"}, "content_off"),
        ({"delivered": None, "delivered_missing": "input_is_delta"}, "input_is_delta"),
        ({"produced": None, "delivered": "Error: boom", "failed": True}, "no_tool_result"),
        ({"delivered": ""}, "delivered_empty"),
        ({"delivered": "[Scrubbed due to 'password']"}, "delivered_redacted"),
        ({"produced": LOG[:1024], "delivered": LOG}, "produced_cut_by_capture"),
    ],
)
def test_unobservable_says_why_and_counts_nothing(known, reason):
    pair = deliver(result(**known))
    assert (pair.state, pair.reason) == (State.unobservable, reason)
    assert (pair.kept_characters, pair.fields, pair.rows, pair.strategy) == (None,) * 4


def test_a_stated_size_gives_a_floor():
    delivered = LOG[:200] + "\n...[truncated 1004 chars]..."
    pair = deliver(result(produced=None, delivered=delivered))
    assert (pair.state, pair.marker) == (State.lower_bound, True)
    assert pair.produced_characters is None
    assert "1004" in pair.reason


def test_a_failed_tool_without_a_result_is_never_a_floor():
    pair = deliver(result(produced=None, failed=True, delivered="...[truncated 10 chars]..."))
    assert pair.state == State.unobservable


@pytest.mark.parametrize("delivered", ["", "   ", "The command produced no output."])
def test_an_empty_result_is_intact(delivered):
    pair = compare("", delivered)
    assert (pair.state, pair.kept_characters, dict(pair.fields)) == (State.intact, 0, {})


def test_a_pair_is_json_with_the_interfaces_keys():
    for pair in (
        deliver(result()),
        deliver(result(delivered=None)),
        deliver(result(produced=None)),
    ):
        assert list(pair.as_pair()) == KEYS
        assert json.loads(json.dumps(pair.as_pair())) == pair.as_pair()


def test_measure_reports_survival_over_what_was_observed():
    measure = DeliveryMeasure()
    assert isinstance(measure, Scorer)
    assert measure.name in {one.name for one in MEASURES}
    score = measure.score(
        turn(result(), result(delivered=LOG[: len(LOG) // 2]), result(produced=None))
    )
    assert score.outcome == Outcome.scored
    assert score.value == pytest.approx(0.75, abs=0.001)
    states = [pair["state"] for pair in score.evidence["tool_results"]]
    assert states == ["intact", "cut", "unobservable"]


@pytest.mark.parametrize(
    ("results", "reason"),
    [((), "no_tool_results"), ((result(produced=None),), "nothing_observed")],
)
def test_nothing_measured_is_never_zero(results, reason):
    score = DeliveryMeasure().score(turn(*results))
    assert (score.outcome, score.value, score.reason) == (Outcome.unscored, None, reason)


def test_deliveries_keep_the_order():
    found = deliveries(turn(result(tool="a"), result(tool="b", delivered=None)))
    assert [pair.tool for pair in found] == ["a", "b"]
    assert replace(found[0], tool="b").tool == "b"
    assert isinstance(found[0], Delivery)


def test_what_was_read_back_counts():
    notice = "Output too long: saved to /tmp/out/run-17.txt, read it there."
    spilled = result(delivered=notice)
    lines = LOG.splitlines()
    first, second = "\n".join(lines[:25]), "\n".join(lines[25:])
    reads = [
        result(
            tool="read", arguments='{"path": "/tmp/out/run-17.txt", "page": 1}', delivered=first
        ),
        result(tool="read", arguments='{"path": "/tmp/other.txt"}', delivered=second),
    ]
    half = deliveries(turn(spilled, *reads))[0]
    assert (half.state, half.rows) == (State.spilled, (25, 50))
    assert half.kept_characters == pytest.approx(len(first), abs=1)
    reads[1] = replace(reads[1], arguments='{"path": "/tmp/out/run-17.txt", "page": 2}')
    whole = deliveries(turn(spilled, *reads))[0]
    assert (whole.state, whole.rows) == (State.spilled, (50, 50))
    assert whole.reason == "pointer; read back 2 times"
    # A read before the spill, or of nothing, brings nothing back.
    assert deliveries(turn(*reads, spilled))[2].kept_characters == 0


@pytest.mark.parametrize(
    ("notice", "pointer"),
    [
        ("Full output saved to: /home/u/out/tool_01\nUse Grep", "/home/u/out/tool_01"),
        ("Result stored as artifact art_9f3e2 (42 KB).", "art_9f3e2"),
        ("see https://store.test/blob/77.json", "https://store.test/blob/77.json"),
        ("Output (4.4KB) persisted. Artifact ID: cmd-170.txt", "cmd-170.txt"),
    ],
)
def test_pointers(notice, pointer):
    assert pointers(notice)[0] == pointer


def test_a_result_that_breaks_the_measure_takes_no_other_with_it(monkeypatch):
    def broken(result):
        if result.tool == "bad":
            raise RuntimeError("odd")
        return deliver(result)

    deliver = measure.deliver
    monkeypatch.setattr(measure, "deliver", broken)
    results = (
        ToolResult("bad", produced="x" * 50, delivered="y"),
        ToolResult("good", produced="a", delivered="a"),
    )
    turn = replace(a_turn(), tool_results=results)
    bad, good = measure.deliveries(turn)
    assert (bad.state, bad.reason, bad.kept_characters) == ("unobservable", "measure_failed", None)
    assert good.state == "intact"


def test_a_tools_own_count_is_no_floor_of_a_loss():
    result = ToolResult(tool="list", delivered="a.txt\nb.txt\n[50 lines were left out]")
    assert deliver(result).state == State.unobservable
