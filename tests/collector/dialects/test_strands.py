"""Spans of the Strands Agents SDK → operations: its oldest form, and its redaction."""

import json

import pytest

from collector.dialects.strands import Strands
from collector.span import Event, Scope, Span
from scorers.turn import AgentInvocation, Inference, ToolExecution

DIALECT = Strands()
SCOPE = "strands.telemetry.tracer"
TIME = {"gen_ai.event.start_time": "2025-06-01T10:00:00"}
CALL = {"toolUse": {"toolUseId": "t1", "name": "fetch", "input": {"a": 1}}}
RESULT = {"toolResult": {"toolUseId": "t1", "status": "success", "content": [{"text": "rows"}]}}
SAID = [
    {"role": "user", "content": [{"text": "Due?"}]},
    {"role": "assistant", "content": [CALL]},
    {"role": "user", "content": [RESULT]},
]


def span(attributes, name="Model invoke", scope="strands-agents", events=()):
    return Span(
        trace_id="a" * 32, span_id="b" * 16, name=name, attributes=attributes,
        scope=Scope(scope), events=events,
    )  # fmt: skip


def only(one):
    assert DIALECT.claims(one)
    (operation,) = DIALECT.operations(one)
    return operation


def test_a_model_call_of_the_first_version():
    answer = json.dumps([{"text": "5 EUR"}])
    call = only(span({**TIME, "gen_ai.prompt": json.dumps(SAID), "gen_ai.completion": answer}))
    assert isinstance(call, Inference)
    assert [message.role for message in call.input] == ["user", "assistant", "tool"]
    assert [(p.id, p.text) for p in call.input[-1].parts] == [("t1", "rows")]
    assert [message.text for message in call.output] == ["5 EUR"]


@pytest.mark.parametrize("status", ["success", "error"])
def test_a_tool_of_the_first_version(status):
    run = only(
        span(
            {
                **TIME,
                "gen_ai.prompt": json.dumps(CALL["toolUse"]),
                "tool.name": "fetch",
                "tool.id": "t1",
                "tool.parameters": '{"a": 1}',
                "tool.status": status,
                "gen_ai.completion": json.dumps([{"text": "rows"}]),
            },
            "Tool: fetch",
            "the user's own name",
        )
    )
    assert isinstance(run, ToolExecution)
    assert (run.tool, run.call_id, run.arguments, run.result) == ("fetch", "t1", '{"a": 1}', "rows")
    assert run.failed == (status == "error")


def test_an_agent_of_the_first_version():
    agent = only(
        span(
            {
                **TIME,
                "gen_ai.agent.name": "desk",
                "gen_ai.prompt": "Due?",
                "gen_ai.completion": "5 EUR\n",
            },
            "desk",
        )
    )
    assert isinstance(agent, AgentInvocation)
    assert (agent.agent, agent.input[0].text, agent.output[0].text) == ("desk", "Due?", "5 EUR")


def test_a_cycle_of_the_first_version_is_nothing():
    cycle = span({**TIME, "event_loop.cycle_id": "1", "gen_ai.prompt": json.dumps(SAID)}, "Cycle 1")
    assert DIALECT.claims(cycle)
    assert not list(DIALECT.operations(cycle))


def test_redacted_content_says_so():
    chat = {"gen_ai.operation.name": "chat"}
    events = (Event("gen_ai.user.message", 1, {"content": "[REDACTED]"}),)
    assert only(span(chat, "chat", SCOPE, events)).capture.hidden == "redacted"
    hidden = {"gen_ai.input.messages": "[REDACTED]", "gen_ai.output.messages": "[]"}
    details = (Event("gen_ai.client.inference.operation.details", 1, hidden),)
    assert only(span(chat, "chat", SCOPE, details)).capture.hidden == "redacted"


@pytest.mark.parametrize(
    "attributes", [{}, {"gen_ai.prompt": "x"}, {"gen_ai.operation.name": "chat"}]
)
def test_others_spans_are_not_claimed(attributes):
    assert not DIALECT.claims(span(attributes))
