"""What is wrong with how telemetry arrives: traces in pieces, copies, limits, new versions."""

import json
from pathlib import Path

from inspected import Inspected, inspected, warned

from collector.otlp import decode
from traces import Trace, assistant, attribute, call, request, tool, user

GOLDEN = Path(__file__).parents[2] / "golden" / "dialects"
ASKED = assistant(None, call("c1", "look", {}))


def sent(*requests, scope="opentelemetry.util.genai"):
    watched = Inspected()
    for spans in requests:
        watched.send(*spans, scope=scope)
    return watched.service


def whole(name):
    trace = Trace(name)
    with trace.agent() as agent:
        trace.chat([user("q")], ASKED, agent)
        trace.execute("look", "c1", {}, "result", agent)
        trace.chat([user("q"), ASKED, tool(("c1", "result"))], assistant("done"), agent)
    return trace.spans


def test_sound_traces_give_no_warning():
    assert sent(whole("a"), whole("b"))["warnings"] == []


def test_a_turn_over_two_traces():
    first, second = Trace("first"), Trace("second", at=10**9)
    first.chat([user("q")], assistant(None, call("call-of-first", "look", {})))
    asked = assistant(None, call("call-of-first", "look", {}))
    second.chat([user("q"), asked, tool(("call-of-first", "r"))], assistant("done"))
    found = warned(sent(first.spans, second.spans))
    assert found["split_traces"]["count"] == 1
    assert "spread over several traces" in found["split_traces"]["text"]


def test_tools_in_traces_of_their_own():
    calls, alone = Trace("calls"), Trace("alone")
    # Without ids nothing joins the two: this is what a lost context looks like.
    asked = assistant(None, call(None, "look", {}))
    with calls.agent() as agent:
        calls.chat([user("q")], asked, agent)
        calls.chat([user("q"), asked, tool((None, "r"))], assistant("done"), agent)
    alone.execute("look", None, {}, "r")
    found = warned(sent(calls.spans, alone.spans))["tools_without_calls"]
    assert (found["count"], found["of"]) == (1, 2)
    assert "1 results that the model was given have no tool span" in found["text"]


def test_parents_that_never_arrive():
    def without_root(name):
        return whole(name)[:-1]

    assert warned(sent(without_root("a"), without_root("b")))["missing_parents"]["count"] == 2
    torn = warned(sent(without_root("a"), whole("b"), whole("c")))
    assert "missing_parents" not in torn
    assert (torn["torn_traces"]["count"], torn["torn_traces"]["of"]) == (1, 3)
    assert "sampler" in torn["torn_traces"]["text"]


def test_tool_spans_that_are_there_for_some_results_only():
    bare = whole("c")
    del bare[1]
    found = warned(sent(whole("a"), whole("b"), bare))["missing_tool_spans"]
    assert (found["count"], found["of"]) == (1, 3)
    assert "results of look" in found["text"]
    assert "missing_tool_spans" not in warned(sent(bare))


def test_calls_of_a_turn_that_nothing_joins():
    """Two calls, each in a trace of its own, and no id that one of them shares with the other."""
    asks, answers = Trace("asks"), Trace("answers", at=10**9)
    asks.chat([user("How many?")], assistant(None, call(None, "look", "{}")))
    given = [user("How many?"), assistant(None, call(None, "look", "{}")), tool((None, "17"))]
    answers.chat(given, assistant("17."))
    found = warned(sent(asks.spans, answers.spans))["unfinished_turns"]
    assert (found["count"], found["of"]) == (1, 2)
    assert "in traces of their own" in found["text"]


def test_a_call_that_two_instrumentations_recorded():
    trace = Trace("twice")
    with trace.agent() as agent:
        outer = trace.span_id()
        start = trace.now
        trace.chat([user("q")], assistant("a"), outer)
        trace.chat(
            [user("q")], assistant("a"), agent, span_id=outer, start=start, end=trace.now + 10**6
        )
    inner, other, root = trace.spans
    watched = Inspected()
    watched.send(inner, scope="opentelemetry.instrumentation.genai.openai")
    watched.send(other, root, scope="opentelemetry.instrumentation.genai.langchain")
    found = warned(watched.service)["recorded_twice"]
    assert found["count"] == 1
    assert "genai.langchain and opentelemetry.instrumentation.genai.openai" in found["text"]


def test_the_anthropic_sdk_records_its_calls_again():
    [service] = inspected(GOLDEN / "gen_ai" / "semconv-current-genai_anthropic-1.3b0")["services"]
    assert warned(service)["recorded_twice"]["count"] == 4


def test_one_scope_is_not_two_instrumentations():
    [service] = inspected(GOLDEN / "openinference" / "openinference-llama_index-4.6.1")["services"]
    assert "recorded_twice" not in warned(service)


def test_copies_and_pending_spans():
    spans = whole("a")
    found = warned(sent(spans, spans))
    assert found["duplicates"]["count"] == len(spans)
    assert "pending_spans" not in found
    pending = [
        {**span, "attributes": [*span["attributes"], attribute("logfire.span_type", kind)]}
        for kind in ("pending_span", "span")
        for span in whole("b")
    ]
    found = warned(sent(pending))
    assert found["pending_spans"]["count"] == 4
    assert "duplicates" not in found


def test_log_records_that_belong_to_nothing():
    watched = Inspected()
    record = {"eventName": "gen_ai.client.inference.operation.details", "timeUnixNano": "1",
              "body": {"kvlistValue": {"values": []}}}  # fmt: skip
    logs = {"scopeLogs": [{"scope": {"name": "mine"}, "logRecords": [record]}]}
    watched.take(decode("logs", "json", json.dumps({"resourceLogs": [logs]}).encode()))
    [service] = watched.inspection.report()["services"]
    assert service["service"] is None
    found = warned(service)["no_trace_id"]
    assert found["count"] == 1
    assert "mine" in found["text"]


def test_limits_of_the_sdk():
    [service] = inspected(
        GOLDEN / "gen_ai" / "semconv-current-genai_openai-1.3b0-limit1000"
    )["services"]  # fmt: skip
    assert "at 1,000 characters" in warned(service)["attribute_length_limit"]["text"]
    run = GOLDEN / "openinference" / "openinference-openai-0.1.66-longhistory"
    [service] = inspected(run)["services"]
    found = warned(service)
    assert found["attribute_count_limit"]["count"] == 4
    # Its longest text in one trace is what the harness left of a result: no limit of the SDK.
    assert "attribute_length_limit" not in found


def test_keys_that_nobody_knows_are_named_without_their_values():
    spans = whole("a")
    for span in spans[:2]:
        span["attributes"] += [
            attribute("gen_ai.message.trail.7.text", "a secret"),
            attribute("gen_ai.message.trail.8.text", "a secret"),
            attribute("shop.basket", "not ours"),
            attribute("traceloop.association.properties.tenant", "a user's own"),
        ]
    watched = Inspected()
    watched.send(*spans)
    service = watched.service
    [found] = service["unknown_keys"]["listed"]
    assert found["key"] == "gen_ai.message.trail.N.text"
    assert (found["count"], found["dialect"]) == (2, "gen_ai")
    assert "secret" not in str(watched.inspection.report())


def test_what_nobody_reads_is_named_most_frequent_first():
    spans = [
        {**span, "attributes": [attribute("llm.novel", "x")], "name": f"step {n // 3}"}
        for n, span in enumerate([*whole("a"), *whole("b")])
    ]
    service = sent(spans, scope="my.new.library")
    unclaimed = service["unclaimed"]
    assert (unclaimed["spans"], unclaimed["with_genai_keys"]) == (8, 8)
    assert [(one["name"], one["count"]) for one in unclaimed["names"]] == [
        ("step 0", 3), ("step 1", 3), ("step 2", 2),
    ]  # fmt: skip
    assert service["unknown_keys"]["listed"][0] == {
        "key": "llm.novel", "dialect": None, "scope": "my.new.library", "version": None, "count": 8,
    }  # fmt: skip
    assert service["visible"] == []


def test_recorded_libraries_hold_no_unknown_keys():
    """Every key of the recordings is in the list; `make known-keys` adds those of new ones."""
    found = {
        (key["key"], run.name)
        for run in sorted({path.parent for path in GOLDEN.glob("*/*/operations.json")})
        if not run.name[:2].isdigit()  # made up by hand
        for service in inspected(run)["services"]
        for key in service["unknown_keys"]["listed"]
    }
    assert found == set()


def test_requests_of_other_shapes_are_no_trouble():
    watched = Inspected()
    watched.take(decode("traces", "json", request([])))
    assert watched.inspection.report() == {"spans": 0, "log_records": 0, "services": []}
