"""Builds entries for the tests of ledger and metrics."""

from collector.entry import Entry
from scorers.delivery.pair import Delivery, State
from scorers.score import Outcome, Score
from scorers.turn import RequesterContext, Turn

TRACE = "0af7651916cd43dd8448eb211c80319c"


def delivery(**changes):
    """A result of 100 characters of which 40 arrived, one field of two."""
    values = {
        "tool": "fetch_invoices",
        "call_id": "call_1",
        "state": State.cut,
        "strategy": "prefix_slice",
        "marker": False,
        "silent": True,
        "broken": True,
        "format": "json",
        "produced_characters": 100,
        "delivered_characters": 40,
        "kept_characters": 40,
        "fields": {"number": (2, 2), "due_date": (0, 2)},
        "rows": (1, 2),
        "reason": None,
    }
    return Delivery(**(values | changes))


def unseen(state, **changes):
    """A result one side of which was not seen."""
    missing = dict.fromkeys(
        ["strategy", "broken", "produced_characters", "kept_characters", "fields", "rows"]
    )
    return delivery(state=state, silent=False, **(missing | {"reason": "no_tool_span"} | changes))


def score(**changes):
    """A reply that failed for one coined label."""
    values = {
        "scorer": "lexical_reader",
        "version": "1",
        "outcome": Outcome.scored,
        "label": "failed",
        "value": 1.0,
        "explanation": "The requester can't know what is meant by “Q7-run”.",
        "evidence": {
            "failed": True,
            "answered": None,
            "same_language": True,
            "gaps": [{"start": 3, "end": 9, "span": "Q7-run", "category": "coined"}],
        },
    }
    return Score(**(values | changes))


def turn(turn_id="turn-1", **changes):
    values = {
        "trace_ids": (TRACE,),
        "requester": RequesterContext(),
        "request": "Which invoices are due?",
        "reply": "In Q7-run two are due.",
        "reply_trace_id": TRACE,
        "conversation_id": "conv-1",
        "agent": "billing",
        "agent_version": "1.4",
        "environment": "test",
        "model": "gpt-5-mini",
        "dialects": ("otel_genai",),
        "started_ns": 1_000,
        "ended_ns": 2_000,
        "tool_turns": 1,
        "model_calls": 2,
        "input_tokens": 900,
        "output_tokens": 40,
    }
    return Turn(turn_id=turn_id, **(values | changes))


def entry(turn_id="turn-1", *, deliveries=None, scores=None, states=None, **changes):
    return Entry(
        turn=turn(turn_id, **changes),
        deliveries=(delivery(),) if deliveries is None else tuple(deliveries),
        scores=(score(),) if scores is None else tuple(scores),
        states={"lexical_reader": "scored"} if states is None else states,
    )
