"""Spans of MLflow's tracing SDK and its autologging → operations."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector.dialects.mlflow import MLflow
from collector.span import Event, LogRecord, Scope, Span
from scorers.turn import AgentInvocation, ToolExecution

DIALECT = MLflow()
IDS = {"trace_id": "a" * 32, "span_id": "b" * 16, "parent_id": "c" * 16, "name": "s"}


def span(attributes, **fields):
    return Span(attributes=attributes, **(IDS | fields))


def traced(kind, inputs=None, outputs=None, **more):
    """Attributes as MLflow writes them: each one is JSON."""
    values = {"mlflow.spanType": kind, "mlflow.spanInputs": inputs, "mlflow.spanOutputs": outputs}
    return {key: json.dumps(value) for key, value in (values | more).items() if value is not None}


def only(attributes, **fields):
    (operation,) = DIALECT.operations(span(attributes, **fields))
    return operation


def said(messages):
    return [(message.role, message.text) for message in messages]


@pytest.mark.parametrize(
    ("record", "claimed"),
    [
        (span({"mlflow.spanType": '"TOOL"'}), True),
        (span({"mlflow.spanInputs": "{}"}), True),
        # The GenAI conventions, which it writes when told to.
        (span({"gen_ai.operation.name": "chat"}, scope=Scope("mlflow.tracing.provider")), False),
        # It gives every span of a shared provider its request id.
        (span({"mlflow.traceRequestId": '"tr-1"'}), False),
        (LogRecord(attributes={"mlflow.spanType": '"TOOL"'}), False),
    ],
)
def test_claims(record, claimed):
    assert DIALECT.claims(record) is claimed


@pytest.mark.parametrize(
    ("inputs", "outputs"),
    [
        (
            {"messages": [{"role": "user", "content": "why"}]},
            {"choices": [{"message": {"role": "assistant", "content": "so"}}]},
        ),
        (
            {"messages": [{"role": "user", "content": "why"}]},
            {"role": "assistant", "type": "message", "content": [{"type": "text", "text": "so"}]},
        ),
        (
            {"input": "why"},
            {"output": [{"role": "assistant", "content": [{"type": "output_text", "text": "so"}]}]},
        ),
        ("why", "so"),
        ({"prompt": "why"}, {"role": "assistant", "content": "so"}),
        ({"prompts": ["why"]}, {"generations": [[{"text": "so", "message": {"content": "so"}}]]}),
        ({"contents": [{"role": "user", "parts": [{"text": "why"}]}]}, "so"),
    ],
)
def test_model_calls_in_many_shapes(inputs, outputs):
    call = only(traced("CHAT_MODEL", inputs, outputs))
    assert said(call.input) == [("user", "why")]
    assert said(call.output) == [("assistant", "so")]


def test_the_system_prompt_stands_first():
    inputs = {"system": "be brief", "messages": [{"role": "user", "content": "why"}]}
    assert said(only(traced("LLM", inputs)).input) == [("system", "be brief"), ("user", "why")]
    inputs = {"instructions": "be brief", "input": [{"role": "user", "content": "why"}]}
    assert said(only(traced("LLM", inputs)).input) == [("system", "be brief"), ("user", "why")]


def test_what_a_model_call_states():
    call = only(
        traced(
            "CHAT_MODEL",
            {"messages": []},
            {"id": "r1", "choices": []},
            **{
                "mlflow.llm.model": "m1",
                "mlflow.llm.provider": "openai",
                "mlflow.chat.tokenUsage": {"input_tokens": 7, "output_tokens": 4},
                "mlflow.chat.tools": [{"type": "function", "function": {"name": "find"}}],
            },
        )
    )
    assert (call.model, call.provider, call.response_id) == ("m1", "openai", "r1")
    assert (call.usage.input_tokens, call.usage.output_tokens) == (7, 4)
    assert call.tools == ("find",)


def test_tokens_of_2_x_stand_in_the_answer():
    answer = {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 4}}
    call = only(traced("CHAT_MODEL", {"messages": []}, answer, model="m1"))
    assert (call.usage.input_tokens, call.usage.output_tokens) == (7, 4)
    assert call.model == "m1"


def chunk(delta, finish=None):
    body = {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
    return Event("mlflow.chunk.item.0", attributes={"mlflow.chunk.value": json.dumps(body)})


def piece(index, name=None, arguments=None, call_id=None):
    function = {"name": name, "arguments": arguments}
    return {"tool_calls": [{"index": index, "id": call_id, "function": function}]}


def test_streamed_tool_calls_are_put_together():
    answer = {
        "choices": [{"message": {"role": "assistant", "content": ""}, "finish_reason": "stop"}]
    }
    events = (
        chunk({"role": "assistant", "content": ""}),
        chunk(piece(0, "find", "", "c1")),
        chunk(piece(0, arguments='{"x":')),
        chunk(piece(0, arguments=" 1}")),
        chunk(piece(1, "look", "{}", "c2")),
        chunk({}, "tool_calls"),
        Event("mlflow.chunk.item.6", attributes={"mlflow.chunk.value": "{"}),
    )
    call = only(traced("CHAT_MODEL", {"messages": []}, answer), events=events)
    (message,) = call.output
    calls = [(part.id, part.name, part.text) for part in message.parts]
    assert calls == [("c1", "find", '{"x": 1}'), ("c2", "look", "{}")]
    assert call.finish_reasons == ("tool_calls",)


def test_tools():
    tool = only(traced("TOOL", {"x": 1}, '{"a": 1}'), name="find")
    assert (tool.tool, tool.result, tool.arguments) == ("find", '{"a": 1}', '{"x":1}')
    dumped = {"content": "found", "type": "tool", "tool_call_id": "c1", "status": "error"}
    tool = only(traced("TOOL", {"x": 1}, dumped))
    assert (tool.result, tool.call_id, tool.failed) == ("found", "c1", True)
    assert only(traced("TOOL", {}, "found", tool_call_id="c2")).call_id == "c2"
    cut = only(traced("TOOL", {}, '{"rows": [1, 2'))
    assert (cut.result, cut.capture.broken) == ('{"rows": [1, 2', ())


def test_a_text_without_its_last_quote_was_cut_by_the_sdk():
    tool = only({"mlflow.spanType": '"TOOL"', "mlflow.spanOutputs": '"{\\"rows\\": [1, 2'})
    assert tool.result == '{"rows": [1, 2'
    assert tool.capture.broken == ("mlflow.spanOutputs",)
    assert tool.capture.hidden == "attribute_length_limit"


def test_what_is_hidden():
    assert only(traced("TOOL")).capture.hidden == "content_off"
    assert only(traced("CHAT_MODEL")).capture.hidden == "content_off"
    assert only(traced("TOOL", {"x": 1})).capture.hidden is None
    assert only(traced("TOOL", {}, "[REDACTED]")).capture.hidden == "redacted"
    picture = {"image": "mlflow-attachment://a1?content_type=image%2Fpng"}
    assert only(traced("TOOL", {}, picture)).capture.hidden == "uploaded"


def test_the_session_wherever_it_is():
    metadata = {"thread_id": "t1", "lc_agent_name": "desk", "agent_version": "1.2"}
    call = only(traced("CHAT_MODEL", metadata=metadata))
    assert (call.conversation_id, call.agent, call.agent_version) == ("t1", "desk", "1.2")
    for key in ("session.id", "mlflow.trace.session", "mlflow.traceTag.session_id", "session_id"):
        assert only({**traced("CHAT_MODEL"), key: "s1"}).conversation_id == "s1"


def test_agents_chains_and_functions():
    agent = only(traced("AGENT", {"question": "why"}, "so"), name="desk")
    assert isinstance(agent, AgentInvocation)
    assert (agent.agent, agent.kind) == ("desk", "agent")
    assert (said(agent.input), said(agent.output)) == ([("user", "why")], [("assistant", "so")])
    assert only(traced("CHAIN", "why"), name="desk", parent_id=None).kind == "workflow"
    inner = {"metadata": {"lc_agent_name": "helper", "langgraph_node": "tools"}}
    assert only(traced("CHAIN", "why", **inner), name="helper").kind == "agent"
    assert not list(DIALECT.operations(span(traced("CHAIN", "why", **inner), name="tools")))
    function = traced("UNKNOWN", {"x": 1}, "found", **{"mlflow.spanFunctionName": "find"})
    found = only(function, name="find")
    assert isinstance(found, ToolExecution)
    assert found.supposed


@pytest.mark.parametrize("kind", ["RETRIEVER", "EMBEDDING", "PARSER", "MEMORY", 5])
def test_other_spans_are_nothing(kind):
    assert not list(DIALECT.operations(span(traced(kind, {}, "x"))))


@given(st.text(max_size=60), st.sampled_from(["CHAT_MODEL", "TOOL", "AGENT", "CHAIN"]))
def test_whatever_a_value_holds(value, kind):
    attributes = {"mlflow.spanType": f'"{kind}"', "mlflow.spanInputs": value}
    record = span(attributes | {"mlflow.spanOutputs": value}, parent_id=None)
    assert list(DIALECT.operations(record)) == list(DIALECT.operations(record))
