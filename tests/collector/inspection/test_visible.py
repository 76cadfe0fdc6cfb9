"""What is visible of turns and tool results, counted with the reasons; and what would show more.

The recorded runs are of real libraries with content off, one side hidden, or limits set.
"""

import json
from pathlib import Path

import pytest
from inspected import Inspected, inspected, settings

from traces import Trace, assistant, call, spans_of, tool, user

GOLDEN = Path(__file__).parents[2] / "golden" / "dialects"
CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"


def recorded(name):
    [service] = inspected(GOLDEN / name)["services"]
    return service


@pytest.mark.parametrize(
    ("run", "facet", "reason", "setting"),
    [
        ("gen_ai_events/semconv-nocontent-openai_v2-2.4b0", "request", "content_off",
         f"{CAPTURE}=true"),
        ("gen_ai/semconv-current-genai_openai_agents-1.3b0", "delivered", "no_model_call",
         "opentelemetry-instrumentation-genai-openai"),
        ("openinference/openinference-openai-0.1.66-hideinputs", "delivered", "redacted",
         "OPENINFERENCE_HIDE_INPUTS"),
        ("openinference/openinference-haystack-0.1.46", "produced", "no_tool_span",
         "openinference.span.kind=TOOL"),
        ("openinference/openinference-openai_agents-2.6.0", "session", "not_recorded",
         "using_session(session_id=…)"),
        ("openllmetry/traceloop-sdk-0.62.4-nocontent", "reply", "content_off",
         "TRACELOOP_TRACE_CONTENT"),
        ("openllmetry/traceloop-openai-0.62.4", "produced", "no_tool_span", "@tool("),
        ("openllmetry/traceloop-crewai-0.40.14", "usage", "no_model_call",
         "opentelemetry-instrumentation-openai"),
        ("gen_ai/google_adk-2.13.0-logs", "produced", "content_off", f"{CAPTURE}=span_only"),
        ("agent_framework/agent_framework-1.23.0", "session", "not_recorded",
         "gen_ai.conversation.id"),
        ("litellm/litellm-otel-1.110.2", "produced", "no_tool_span", "gen_ai.tool.call.result"),
        ("pydantic_ai/pydantic_ai-1.0.10-instr3", "session", "not_recorded", "conversation_id=…"),
        ("vercel_ai/vercel_ai-7.0.173-legacyotel", "session", "not_recorded",
         "metadata: { sessionId }"),
        ("gen_ai/semconv-current-genai_openai-1.3b0-limit1000", "compared",
         "attribute_length_limit", "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT"),
        ("openinference/openinference-openai-0.1.66-longhistory", "produced", None,
         "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT"),
    ],
)  # fmt: skip
def test_what_is_missing_has_its_reason_and_its_switch(run, facet, reason, setting):
    service = recorded(run)
    if reason is not None:
        share = service["visible"][0][facet]
        assert share["missing"].get(reason), share
        assert share["seen"] + sum(share["missing"].values()) == share["of"]
    told = settings(service, facet)
    assert any(setting in one for listed in told.values() for one in listed), told


def test_a_run_that_shows_everything_needs_no_switch():
    service = recorded("gen_ai/semconv-current-genai_langchain-1.3b0")
    [visible] = service["visible"]
    assert visible["dialects"] == ["gen_ai"]
    assert (visible["turns"], visible["tool_results"]) == (2, 3)
    for facet in ("request", "reply", "session", "agent", "usage"):
        assert visible[facet] == {"seen": 2, "of": 2, "missing": {}}
    for facet in ("produced", "delivered", "compared"):
        assert visible[facet] == {"seen": 3, "of": 3, "missing": {}}
    assert {each["topic"] for each in service["advice"]} <= {"version"}
    assert service["sdks"] == [{"language": "python", "version": "1.45.2"}]
    assert service["dialects"][0]["dialect"] == "gen_ai"
    assert service["dialects"][0]["spans"] == service["scopes"]["listed"][0]["count"]


def test_a_result_that_nobody_was_there_to_read_is_not_missing():
    trace = Trace("unread")
    with trace.agent() as agent:
        trace.chat([user("q")], assistant(None, call("c1", "look", {})), agent)
        trace.execute("look", "c1", {}, "result", agent)
    watched = Inspected()
    watched.send(*trace.spans)
    [visible] = watched.service["visible"]
    assert visible["produced"]["of"] == 1
    assert visible["delivered"] == {"seen": None, "of": 0, "missing": {}}


def test_a_dropped_result_is_visible():
    trace = Trace("dropped")
    asked = assistant(None, call("c1", "look", {}))
    with trace.agent() as agent:
        trace.chat([user("q")], asked, agent)
        trace.execute("look", "c1", {}, "result", agent)
        trace.chat([user("q"), user("go on")], assistant("done"), agent)
    watched = Inspected()
    watched.send(*trace.spans)
    [visible] = watched.service["visible"]
    assert visible["delivered"] == {"seen": 1, "of": 1, "missing": {}}


def test_a_turn_that_is_told_again_with_more_in_it_counts_once():
    trace = Trace("late")
    asked = assistant(None, call("c1", "look", {}))
    with trace.agent(said="done") as agent:
        trace.chat([user("q")], asked, agent)
        trace.execute("look", "c1", {}, "result", agent)
        trace.chat([user("q"), asked, tool(("c1", "result"))], assistant("done"), agent)
    late, *early = [trace.spans[1], trace.spans[0], *trace.spans[2:]]
    watched = Inspected()
    watched.send(*early)
    before = watched.service["visible"][0]
    assert before["produced"] == {"seen": 0, "of": 1, "missing": {"no_tool_span": 1}}
    watched.send(late)
    [after] = watched.service["visible"]
    assert after["turns"] == 1
    assert after["produced"] == {"seen": 1, "of": 1, "missing": {}}
    assert after["request"] == {"seen": 1, "of": 1, "missing": {}}


def test_the_agent_is_not_named_by_its_service():
    trace = Trace("bare")
    trace.chat([user("q")], assistant("a"))
    watched = Inspected()
    watched.send(*spans_of(trace))
    service = watched.service
    assert service["service"] == "desk-bot"
    assert service["visible"][0]["agent"]["seen"] == 0
    assert "agent" in {each["topic"] for each in service["advice"]}


@pytest.mark.parametrize(
    "run", sorted(path.parent for path in GOLDEN.glob("*/*/operations.json")),
    ids=lambda path: f"{path.parent.name}/{path.name}",
)  # fmt: skip
def test_no_content_is_reported(run):
    told = json.dumps(inspected(run))
    for text in ("ACME", "INV-", "C-1042", "END-OF-DOCUMENT", "open invoice", "Follow-up"):
        assert text not in told
