"""Four times the telemetry takes about four times as long, whatever its shape: never sixteen.

Two runs within one test are compared, so that a slow machine changes nothing.
"""

import gc
import itertools
import sys
import time

import pytest

from running import run
from traces import SECOND, Trace, assistant, call, tool, user

FACTOR = 4
# Linear is 4, linear with a logarithm 5, quadratic 16. Counts have no noise, times do.
MOST_CALLS = 5.5
MOST_TIME = 8


def one_conversation(turns):
    """Every turn in a trace of its own, each showing only the new message."""
    traces = []
    for number in range(turns):
        trace = Trace(f"turn {number}", at=10 * number * SECOND)
        said = assistant(f"a{number}")
        trace.chat([user(f"q{number}")], said, conversation="one")
        traces.append(trace)
    return traces


def session_with_window(turns):
    """Turns in one trace that resend the last messages only."""
    trace = Trace("session")
    history = []
    with trace.around("session") as root:
        for number in range(turns):
            result = f"value {number * 1000 + 7}"
            asked = assistant(None, call(f"c{number}", "f", {}))
            history = [*history[-6:], user(f"Question {number}?")]
            trace.chat(history, asked, root)
            trace.execute("f", f"c{number}", {}, result, root)
            history = [*history, asked, tool((f"c{number}", result))]
            trace.chat(history, assistant(f"Answer {number}."), root)
            history = [*history, assistant(f"Answer {number}.")]
    return [trace]


def polling_without_ids(calls):
    """One tool called again and again with the same arguments and the same result."""
    trace = Trace("polling")
    history = []
    with trace.agent() as desk:
        for _ in range(calls):
            asked = assistant(None, call(None, "poll", {}))
            trace.chat([user("Wait"), *history], asked, desk)
            trace.execute("poll", None, {}, "pending", desk)
            history = [*history, asked, tool((None, "pending"))][-4:]
        trace.chat([user("Wait"), *history], assistant("done"), desk)
    return [trace]


def react_in_plain_text(calls):
    """Results that come back as user text."""
    trace = Trace("react")
    history = []
    with trace.agent() as desk:
        for number in range(calls):
            action = assistant(f"Action: look[{number}]")
            result = f"dock {number} holds {number * 77 + 1000} crates"
            trace.chat([user("Where?"), *history], action, desk)
            trace.execute("look", None, {"i": number}, result, desk)
            history = [*history, action, user(f"Observation: {result}")][-4:]
        trace.chat([user("Where?"), *history], assistant("there"), desk)
    return [trace]


SHAPES = [one_conversation, session_with_window, polling_without_ids, react_in_plain_text]
each_shape = pytest.mark.parametrize("shape", SHAPES)
# A turn carries its dialog, up to a bound, so that its calls grow with what was said before.
each_but_dialogs = pytest.mark.parametrize("shape", SHAPES[1:])


def calls(traces):
    """Return how many functions a run calls: the same on any machine."""
    counted = itertools.count()

    def note(_frame, event, _argument):
        if event in {"call", "c_call"}:
            next(counted)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        run(*traces)
    finally:
        sys.setprofile(before)
    return next(counted)


def seconds(traces):
    """Return the least processor time of three runs, without the collector of cyclic garbage."""
    taken = []
    gc.disable()
    try:
        for _ in range(3):
            start = time.process_time()
            run(*traces)
            taken.append(time.process_time() - start)
    finally:
        gc.enable()
    return min(taken)


def ratio(cost, shape, size):
    return cost(shape(FACTOR * size)) / cost(shape(size))


def test_every_turn_of_a_session_with_a_window_is_found():
    """What is counted below is the real work."""
    assert len(run(*session_with_window(50))["turns"]) == 50


@each_but_dialogs
def test_four_times_the_input_takes_about_four_times_the_calls(shape):
    assert ratio(calls, shape, 50) < MOST_CALLS


@each_shape
def test_four_times_the_input_takes_about_four_times_as_long(shape):
    """Copies and searches inside one built-in call cost time and no calls."""
    assert ratio(seconds, shape, 50) < MOST_TIME


@pytest.mark.slow
@each_shape
def test_long_runs_take_no_longer_for_each_span(shape):
    assert ratio(seconds, shape, 700) < MOST_TIME
