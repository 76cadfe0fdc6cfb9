"""Tool results find their call: reused ids, no ids, several spans of one call, late results."""

import json

import pytest

from running import run
from traces import MINUTE, MS, SECOND, Trace, assistant, call, tool, user

INVOICES = json.dumps(
    [
        {"number": f"INV-{i}", "due_date": f"2026-12-{i % 28 + 1:02d}", "sum": i * 37.5}
        for i in range(60)
    ]
)


def results(turn):
    return [(pair["tool"], pair["call_id"], pair["state"]) for pair in turn["tool_results"]]


def states(document):
    return document["totals"]["tool_results_by_state"]


def dock(number):
    return f"dock {number} holds {number * 1000 + 77} crates of oak and {number * 3 + 41} barrels"


def conversation(call_ids, produced, delivered=None, *, one_trace=False):
    """Turns a minute apart that resend the whole history: question, one tool call, answer."""
    delivered = delivered or produced
    history = []
    traces = []
    for number, call_id in enumerate(call_ids):
        if not traces or not one_trace:
            traces.append(Trace(f"turn {number}", at=number * MINUTE))
        trace = traces[-1]
        with trace.agent() as desk:
            history = [*history, user(f"Question {number}?")]
            asked = assistant(None, call(call_id, "look", {"d": number}))
            trace.chat(history, asked, desk)
            trace.execute("look", call_id, {"d": number}, produced[number], desk)
            history = [*history, asked, tool((call_id, delivered[number]))]
            trace.chat(history, assistant(f"Answer {number}."), desk)
            history = [*history, assistant(f"Answer {number}.")]
        trace.now += MINUTE
    return traces


@pytest.mark.parametrize("one_trace", [True, False])
def test_a_result_is_reported_in_its_own_turn_only(one_trace):
    docks = [dock(number) for number in range(3)]
    document = run(*conversation(["c0", "c1", "c2"], docks, one_trace=one_trace))
    expected = [[("look", f"c{number}", "intact")] for number in range(3)]
    assert [results(turn) for turn in document["turns"]] == expected
    assert document["totals"]["observable_share"] == 1.0


@pytest.mark.parametrize("one_trace", [True, False])
def test_an_id_that_later_turns_use_again(one_trace):
    docks = [dock(number) for number in range(3)]
    document = run(*conversation(["call_0"] * 3, docks, one_trace=one_trace))
    assert states(document) == {"intact": 3}


def test_an_id_used_again_does_not_hide_a_cut():
    text = dock(7)
    document = run(*conversation(["call_0"] * 2, [text, text], [text, text[:10]]))
    found = [state for turn in document["turns"] for _, _, state in results(turn)]
    assert found == ["intact", "cut"]


@pytest.mark.parametrize("one_trace", [True, False])
def test_a_conversation_without_ids(one_trace):
    docks = [dock(number) for number in range(3)]
    document = run(*conversation([None] * 3, docks, one_trace=one_trace))
    assert states(document) == {"intact": 3}


@pytest.mark.parametrize("call_id", ["call_0", None])
def test_one_id_or_none_for_all_calls_of_a_turn(call_id):
    trace = Trace("sequence")
    history = [user("q")]
    with trace.agent() as desk:
        for number in range(3):
            asked = assistant(None, call(call_id, "look", {"d": number}))
            trace.chat(history, asked, desk)
            trace.execute("look", call_id, {"d": number}, dock(number), desk)
            history = [*history, asked, tool((call_id, dock(number)))]
        trace.chat(history, assistant("done"), desk)
    assert states(run(trace)) == {"intact": 3}


def test_polling_with_the_same_arguments_and_no_ids():
    trace = Trace("poll")
    history = [user("q")]
    with trace.agent() as desk:
        for result in ["pending", "pending", "pending", "ready: 41 barrels"]:
            asked = assistant(None, call(None, "poll", {"j": 1}))
            trace.chat(history, asked, desk)
            trace.execute("poll", None, {"j": 1}, result, desk)
            history = [*history, asked, tool((None, result))]
        trace.chat(history, assistant("ready"), desk)
    assert states(run(trace)) == {"intact": 4}


def test_parallel_results_without_ids_out_of_order_are_no_cut():
    trace = Trace("parallel")
    calls = [call(None, "look", {"d": number}) for number in range(3)]
    asked = assistant(None, *calls)
    with trace.agent() as desk:
        trace.chat([user("q")], asked, desk)
        start = trace.now
        for number in range(3):
            place = {"start": start + number * MS, "end": start + 50 * MS}
            trace.execute("look", None, {"d": number}, dock(number), desk, **place)
        trace.now = start + 100 * MS
        delivered = [tool((None, dock(number))) for number in (2, 0, 1)]
        trace.chat([user("q"), asked, *delivered], assistant("done"), desk)
    assert "cut" not in states(run(trace))


@pytest.mark.parametrize("overlap", [True, False])
def test_sub_agents_that_count_their_ids_anew(overlap):
    trace = Trace("subs")
    asked = assistant(None, *[call(f"s{number}", "ask", {"k": number}) for number in range(2)])
    with trace.agent() as desk:
        trace.chat([user("Compare docks")], asked, desk)
        first = trace.now
        for number in range(2):
            if overlap:
                trace.now = first + number * 3 * MS
            with trace.agent("worker", desk) as worker:
                task = user(f"Inspect dock {number}")
                look = assistant(None, call("c", "look", {"d": number}))
                trace.chat([task], look, worker)
                trace.execute("look", "c", {"d": number}, dock(number), worker)
                given = [task, look, tool(("c", dock(number)))]
                trace.chat(given, assistant(f"dock {number}"), worker)
        trace.now += 100 * MS
        delivered = [tool((f"s{number}", f"dock {number}")) for number in range(2)]
        trace.chat([user("Compare docks"), asked, *delivered], assistant("done"), desk)
    turn = run(trace)["turns"][0]
    assert [pair for pair in results(turn) if pair[0] == "look"] == [("look", "c", "intact")] * 2


def test_a_failed_attempt_with_the_same_id_is_not_a_cut():
    trace = Trace("retry")
    asked = assistant(None, call("c", "f", {"a": 1}))
    with trace.agent() as desk:
        trace.chat([user("q")], asked, desk)
        trace.execute("f", "c", {"a": 1}, "upstream timed out after 30 s", desk, error="Timeout")
        trace.execute("f", "c", {"a": 1}, dock(4), desk)
        trace.chat([user("q"), asked, tool(("c", dock(4)))], assistant("done"), desk)
    document = run(trace)
    assert "cut" not in states(document), results(document["turns"][0])


def test_a_result_that_a_later_call_delivers_because_the_tool_was_still_running():
    trace = Trace("background")
    start = trace.now
    joke = "Why did the dock cross"
    asked = assistant(None, call("c1", "job", {}), call("c2", "joke", {}))
    waits = assistant(None, call("c3", "wait", {}))

    def at(begin, end):
        return {"start": start + begin * MS, "end": start + end * MS}

    with trace.agent() as desk:
        history = [user("Start the job, tell a joke")]
        trace.chat(history, asked, desk, **at(0, 10))
        trace.execute("joke", "c2", {}, joke, desk, **at(20, 30))
        trace.execute("job", "c1", {}, INVOICES, desk, **at(20, 500))
        history += [asked, tool(("c1", "started")), tool(("c2", joke))]
        trace.chat(history, waits, desk, **at(40, 50))
        trace.execute("wait", "c3", {}, "ok", desk, **at(60, 510))
        history += [waits, tool(("c3", "ok")), tool(("c1", INVOICES))]
        trace.chat(history, assistant("both done"), desk, **at(520, 600))
        trace.now = start + 700 * MS
    assert ("job", "c1", "intact") in results(run(trace)["turns"][0])


@pytest.mark.parametrize("second_id", ["c1", None])
def test_two_sibling_spans_of_one_tool_call_are_one_result(second_id):
    trace = Trace("siblings")
    asked = assistant(None, call("c1", "parcels", {"d": 1}))
    with trace.agent() as desk:
        trace.chat([user("q")], asked, desk)
        start = trace.now
        outer = {"start": start, "end": start + 50 * MS}
        inner = {"start": start + MS, "end": start + 49 * MS}
        trace.execute("parcels", "c1", {"d": 1}, INVOICES, desk, **outer)
        trace.execute("parcels", second_id, {"d": 1}, INVOICES, desk, **inner)
        trace.now = start + 100 * MS
        trace.chat([user("q"), asked, tool(("c1", INVOICES[:400]))], assistant("60"), desk)
    assert results(run(trace)["turns"][0]) == [("parcels", "c1", "cut")]


@pytest.mark.parametrize("wrapped", ["Observation: {}", "{}", "<tool_result>{}</tool_result>"])
def test_a_result_delivered_as_user_text_is_not_dropped(wrapped):
    trace = Trace("as user text")
    asked = assistant(None, call("c1", "look", {}))
    with trace.agent() as desk:
        trace.chat([user("q")], asked, desk)
        trace.execute("look", "c1", {}, dock(1), desk)
        trace.chat([user("q"), asked, user(wrapped.format(dock(1)))], assistant("done"), desk)
    assert results(run(trace)["turns"][0]) == [("look", "c1", "intact")]


def test_a_tool_span_in_a_trace_of_its_own_is_joined():
    asking = Trace("asking")
    running = Trace("running", at=SECOND // 2)
    answering = Trace("answering", at=SECOND)
    asked = assistant(None, call("cX", "look", {}))
    asking.chat([user("q")], asked)
    running.execute("look", "cX", {}, dock(1))
    answering.chat([user("q"), asked, tool(("cX", dock(1)))], assistant("done"))
    [turn] = run(asking, answering, running)["turns"]
    assert results(turn) == [("look", "cX", "intact")]


def test_ids_counted_anew_in_a_session_whose_turns_have_no_spans_of_their_own():
    """The sub-agent of the second turn stays with it, although its tool call has the first's id."""
    trace = Trace("counted")
    look = assistant(None, call("c1", "look", {"d": 0}))
    ask = assistant(None, call("c1", "ask", {"d": 1}))
    with trace.around("session") as session:
        trace.chat([user("Question 0?")], look, session)
        trace.execute("look", "c1", {"d": 0}, dock(0), session)
        given = [user("Question 0?"), look, tool(("c1", dock(0)))]
        trace.chat(given, assistant("Answer 0."), session)
        trace.now += MINUTE
        trace.chat([user("Question 1?")], ask, session)
        delegated = trace.span_id()
        start = trace.now
        with trace.agent("worker", delegated) as worker:
            trace.chat([user("Inspect dock 1")], assistant("Inspected."), worker)
        place = {"span_id": delegated, "start": start, "end": trace.now}
        trace.execute("ask", "c1", {"d": 1}, dock(1), session, **place)
        given = [user("Question 1?"), ask, tool(("c1", dock(1)))]
        trace.chat(given, assistant("Answer 1."), session)
    turns = run(trace)["turns"]
    expected = [(2, [("look", "c1", "intact")]), (3, [("ask", "c1", "intact")])]
    assert [(turn["model_calls"], results(turn)) for turn in turns] == expected


@pytest.mark.parametrize("delivered", [0, 1])
@pytest.mark.parametrize("kept", [len, lambda text: 30])
def test_one_of_two_parallel_results_without_ids_is_not_both(delivered, kept):
    trace = Trace("one of two")
    asked = assistant(None, *[call(None, "look", {"d": number}) for number in range(2)])
    docks = [dock(number) for number in range(2)]
    text = docks[delivered][: kept(docks[delivered])]
    with trace.agent() as desk:
        trace.chat([user("q")], asked, desk)
        for number in range(2):
            trace.execute("look", None, {"d": number}, docks[number], desk)
        trace.chat([user("q"), asked, tool((None, text))], assistant("done"), desk)
    found = [state for _, _, state in results(run(trace)["turns"][0])]
    expected = ["dropped", "dropped"]
    expected[delivered] = "intact" if text == docks[delivered] else "cut"
    assert found == expected


def test_one_text_that_tells_two_results_answers_both():
    trace = Trace("both in one")
    asked = assistant(None, *[call(None, "look", {"d": number}) for number in range(2)])
    with trace.agent() as desk:
        trace.chat([user("q")], asked, desk)
        for number in range(2):
            trace.execute("look", None, {"d": number}, dock(number), desk)
        text = f"Observation: {dock(0)}\n{dock(1)}"
        trace.chat([user("q"), asked, user(text)], assistant("done"), desk)
    states_found = [state for _, _, state in results(run(trace)["turns"][0])]
    assert states_found == ["intact", "intact"]
