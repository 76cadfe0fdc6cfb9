"""The same telemetry in any order, split anyhow or sent twice: the same turns, ids and totals."""

import copy

import pytest

from running import Live, finished, in_order, run, run_requests
from traces import BASE, MS, SECOND, Trace, arrangements, assistant, call, request, tool, user

TIMES = ("startTimeUnixNano", "endTimeUnixNano")


def session(time):
    """Three turns under one span, with every time put through `time`."""
    trace = Trace("session")
    history = []
    with trace.around("session") as root:
        for number in range(3):
            result = f"result {number} value {number * 1000 + 7}"
            asked = assistant(None, call(f"c{number}", "f", {"i": number}))
            history = [*history, user(f"Question {number}?")]
            trace.chat(history, asked, root)
            trace.execute("f", f"c{number}", {"i": number}, result, root)
            history = [*history, asked, tool((f"c{number}", result))]
            trace.chat(history, assistant(f"Answer {number}."), root)
            history = [*history, assistant(f"Answer {number}.")]
            trace.now += 400 * MS
    for span in trace.spans:
        span.update({key: str(time(int(span[key]))) for key in TIMES})
    return trace


@pytest.mark.parametrize(
    "time",
    [
        pytest.param(lambda _: 0, id="all zero"),
        pytest.param(lambda _: BASE, id="all equal"),
        pytest.param(lambda time: time // SECOND * SECOND, id="whole seconds"),
    ],
)
def test_clocks_that_give_no_order(time):
    trace = session(time)
    expected = in_order(run(trace))
    for requests in arrangements(trace.spans):
        assert in_order(run_requests(*requests)) == expected


@pytest.mark.parametrize(("same_arguments", "ids"), [(True, False), (False, True), (False, False)])
def test_parallel_tools_that_start_at_once(same_arguments, ids):
    trace = Trace("parallel")
    results = [f"value {number} is {number * 1111 + 5}" for number in range(3)]
    arguments = [{"x": 1 if same_arguments else number} for number in range(3)]
    calls = [call(f"c{number}", "look", arguments[number]) for number in range(3)]
    asked = assistant(None, *calls)
    with trace.agent() as desk:
        trace.chat([user("q")], asked, desk)
        start = trace.now
        for number, result in enumerate(results):
            place = {"start": start, "end": start + 50 * MS}
            call_id = f"c{number}" if ids else None
            trace.execute("look", call_id, arguments[number], result, desk, **place)
        trace.now = start + 100 * MS
        delivered = [tool((f"c{number}", result)) for number, result in enumerate(results)]
        trace.chat([user("q"), asked, *delivered], assistant("ok"), desk)
    expected = in_order(run(trace))
    for requests in arrangements(trace.spans):
        document = in_order(run_requests(*requests))
        assert document == expected
        assert document["totals"]["tool_results_by_state"] == {"intact": 3}


def one_turn():
    """Question, one tool call with a long result, answer."""
    trace = Trace("copied")
    asked = assistant(None, call("c1", "f", {}))
    rows = "rows " + " ".join(str(number * 37) for number in range(300))
    with trace.agent() as desk:
        trace.chat([user("q")], asked, desk)
        trace.execute("f", "c1", {}, rows, desk)
        given = [user("q"), asked, tool(("c1", rows))]
        trace.chat(given, assistant("Three invoices."), desk)
    return trace.spans


def both_ways(first, second):
    """Return the turns of two copies sent one after the other, and the other way round."""
    return [run_requests(*order)["turns"] for order in ((first, second), (second, first))]


def test_a_copy_with_truncated_values_never_wins():
    cut = one_turn()
    for span in cut:
        for item in span["attributes"]:
            if "stringValue" in item["value"]:
                item["value"]["stringValue"] = item["value"]["stringValue"][:200]
    one, other = both_ways(one_turn(), cut)
    assert one == other
    assert other[0]["tool_results"][0]["state"] == "intact"


def test_a_longer_copy_without_content_never_wins():
    bare = copy.deepcopy(one_turn())
    for span in bare:
        span["endTimeUnixNano"] = str(int(span["endTimeUnixNano"]) + 1)
        span["attributes"] = [
            item
            for item in span["attributes"]
            if "messages" not in item["key"] and "call.result" not in item["key"]
        ]
    for turns in both_ways(one_turn(), bare):
        assert turns[0]["reply"] == "Three invoices."


def test_of_differing_copies_of_equal_size_the_same_one_wins_in_any_order():
    other = one_turn()
    for span in other:
        for item in span["attributes"]:
            if "stringValue" in item["value"]:
                value = item["value"]["stringValue"].replace("Three", "Seven")
                item["value"]["stringValue"] = value
    assert b"Seven" in request(other)
    one, reverse = both_ways(one_turn(), other)
    assert one == reverse


@pytest.mark.parametrize("copies", [2, 3])
def test_sibling_instrumentations_without_response_id_count_one_call(copies):
    trace = Trace("sibling instrumentations")
    asked = assistant(None, call("c1", "parcels", {}))

    def instrumented(given, said, start, parent):
        for number in range(copies):
            place = {"start": start + number * MS, "end": start + (80 - number) * MS}
            trace.chat(given, said, parent, **place)

    with trace.agent() as desk:
        instrumented([user("q")], asked, BASE + MS, desk)
        place = {"start": BASE + 101 * MS, "end": BASE + 151 * MS}
        trace.execute("parcels", "c1", {}, "31 parcels", desk, **place)
        given = [user("q"), asked, tool(("c1", "31 parcels"))]
        instrumented(given, assistant("31."), BASE + 201 * MS, desk)
        trace.now = BASE + 301 * MS
    live = Live()
    for number, span in enumerate(trace.spans):
        live.send([span], scope=f"instrumentation.{number % copies}")
    [turn] = finished(live)["turns"]
    assert (turn["model_calls"], turn["input_tokens"], turn["tool_turns"]) == (2, 200, 1)
