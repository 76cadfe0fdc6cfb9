"""When turns close, what late spans do to them, and what our own bounds must not be mistaken for.

The defaults: a turn closes 10 s after its last span, 10 minutes after its first, and is remembered
for 10 minutes more.
"""

import pytest

from collector.assembly.assembler import GROUP_SHARE
from collector.assembly.settings import TurnsConfig
from running import Live, run
from traces import MINUTE, SECOND, Trace, assistant, call, tool, user


def one_turn(rows=300):
    """The spans of: question, one tool call, answer, and the agent around them."""
    trace = Trace("live")
    asked = assistant(None, call("c1", "f", {}))
    result = "rows " + " ".join(str(number * 37) for number in range(rows))
    with trace.agent() as desk:
        trace.chat([user("q")], asked, desk)
        trace.execute("f", "c1", {}, result, desk)
        trace.chat([user("q"), asked, tool(("c1", result))], assistant("done"), desk)
    return trace.spans


def only(live):
    [turn] = live.last.values()
    return turn


def test_what_was_left_out_for_its_size_is_not_unread():
    spans = one_turn(rows=900)
    first = Live()
    first.send(spans[:2])
    live = Live(TurnsConfig(max_open_bytes=GROUP_SHARE * first.pipeline.assembler.size))
    live.send(spans)
    live.wait(60)
    assert live.observer.left_out["turn_too_large"]
    turn = only(live)
    assert turn["tool_results"][0]["state"] == "unobservable", turn["tool_results"][0]["reason"]
    assert turn["reply_missing"] != "unfinished"


def test_a_turn_that_the_shutdown_cut_short_has_no_unread_results():
    live = Live(TurnsConfig())
    live.send(one_turn()[:2])
    live.wait(1)
    live.close("shutdown")
    turn = only(live)
    assert turn["closed_by"] == "shutdown"
    assert turn["tool_results"][0]["state"] == "unobservable"


def test_a_turn_that_the_deadline_cut_short_has_no_unread_results():
    live = Live(TurnsConfig())
    live.send(one_turn()[:2])
    live.wait(700)
    turn = only(live)
    assert turn["closed_by"] == "deadline"
    assert turn["tool_results"][0]["state"] == "unobservable"


@pytest.mark.parametrize("minutes", [12, 30])
def test_a_tool_that_runs_past_the_deadline_ends_in_the_whole_turn(minutes):
    spans = one_turn()
    live = Live(TurnsConfig())
    live.send(spans[:1])
    live.wait(minutes * 60)
    live.send(spans[1:])
    live.wait(60)
    turn = only(live)
    assert turn["reply"] == "done"
    assert (turn["model_calls"], turn["input_tokens"]) == (2, 200)


def test_a_late_tool_span_alone_is_no_turn():
    spans = one_turn()
    live = Live(TurnsConfig())
    live.send(spans)
    live.wait(700)
    live.send([spans[1]])
    live.wait(60)
    assert len(live.last) == 1


@pytest.mark.parametrize("first", [0, 1])
def test_two_traces_of_one_turn_in_either_order(first):
    asked = assistant(None, call("cX", "f", {}))
    asking, answering = Trace("asking"), Trace("answering", at=SECOND)
    asking.chat([user("q")], asked)
    asking.execute("f", "cX", {}, "value 1077")
    answering.chat([user("q"), asked, tool(("cX", "value 1077"))], assistant("done"))
    sent = [asking.spans, answering.spans]
    live = Live(TurnsConfig())
    for spans in (sent[first], sent[1 - first]):
        live.send(spans)
        live.wait(30)
    turn = only(live)
    assert (turn["request"], turn["reply"], turn["model_calls"]) == ("q", "done", 2)


def test_children_first_and_each_a_minute_apart():
    live = Live(TurnsConfig())
    for span in reversed(one_turn()):
        live.send([span])
        live.wait(60)
    live.wait(60)
    turn = only(live)
    assert (turn["reply"], turn["tool_results"][0]["state"]) == ("done", "intact")


def test_a_slow_session_gives_the_turns_that_its_replay_gives():
    trace = Trace("slow session")
    history = []
    with trace.around("session") as root:
        for number in range(4):
            result = f"value {number * 1000 + 7}"
            asked = assistant(None, call(f"c{number}", "f", {}))
            history = [*history, user(f"Question {number}?")]
            trace.chat(history, asked, root)
            trace.execute("f", f"c{number}", {}, result, root)
            history = [*history, asked, tool((f"c{number}", result))]
            trace.chat(history, assistant(f"Answer {number}."), root)
            history = [*history, assistant(f"Answer {number}.")]
    live = Live(TurnsConfig())
    for number in range(4):
        live.send(trace.spans[3 * number : 3 * number + 3])
        live.wait(15 * MINUTE // SECOND)
    live.send(trace.spans[12:])
    live.wait(60)

    def exchanges(turns):
        return {turn["turn_id"]: (turn["request"], turn["reply"]) for turn in turns}

    assert exchanges(live.last.values()) == exchanges(run(trace)["turns"])
