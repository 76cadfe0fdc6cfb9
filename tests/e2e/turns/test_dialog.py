"""One conversation of calls that show only the new message: the dialog of each turn."""

import random

import pytest

from running import turns_of
from traces import MINUTE, Trace, assistant, spans_of, user


def conversation(turns=7):
    traces = []
    for number in range(turns):
        trace = Trace(f"turn {number}", at=number * MINUTE)
        said = assistant(f"Answer {number}")
        trace.chat([user(f"Question {number}")], said, conversation="kk")
        traces.append(trace)
    return traces


def expected(turns):
    """The whole dialog of the last of some turns, as it was said."""
    before = [f"{who} {number}" for number in range(turns - 1) for who in ("Question", "Answer")]
    return [*before, f"Question {turns - 1}"]


def dialogs(*requests):
    found = turns_of(*requests)
    return {turn.request: [said.text for said in turn.requester.dialog] for turn in found}


def test_every_turn_has_all_that_was_said_before():
    found = dialogs(*(trace.spans for trace in conversation()))
    assert found == {f"Question {number}": expected(number + 1) for number in range(7)}


@pytest.mark.parametrize("seed", range(4))
def test_traces_in_any_order_give_the_same_dialogs(seed):
    traces = conversation()
    random.Random(seed).shuffle(traces)
    found = dialogs(*(trace.spans for trace in traces))
    assert found == {f"Question {number}": expected(number + 1) for number in range(7)}


def test_many_turns_in_one_trace_have_the_same_dialog():
    trace = Trace("one trace")
    for number in range(4):
        said = assistant(f"Answer {number}")
        trace.chat([user(f"Question {number}")], said, conversation="kk")
        trace.now += MINUTE
    assert dialogs(spans_of(trace))["Question 3"] == expected(4)
