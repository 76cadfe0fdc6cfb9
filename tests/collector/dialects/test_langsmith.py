"""Runs that LangSmith's SDKs export as spans → operations."""

import json

import pytest
from golden_cases import CASES, operations
from hypothesis import given
from hypothesis import strategies as st

from collector.dialects.langsmith import LangSmith
from collector.span import LogRecord, Scope, Span
from scorers.turn import AgentInvocation, Inference, ToolExecution

DIALECT = LangSmith()
IDS = {"trace_id": "a" * 32, "span_id": "b" * 16, "parent_id": "c" * 16, "name": "s"}
META = "langsmith.metadata"


def span(attributes, **fields):
    return Span(attributes=attributes, **(IDS | fields))


def run(kind, inputs=None, outputs=None, **more):
    attributes = {"langsmith.span.kind": kind} | more
    for key, value in (("gen_ai.prompt", inputs), ("gen_ai.completion", outputs)):
        if value is not None:
            attributes[key] = value if isinstance(value, str | bytes) else json.dumps(value)
    return attributes


def only(attributes, **fields):
    (operation,) = DIALECT.operations(span(attributes, **fields))
    return operation


def said(messages):
    return [(message.role, message.text) for message in messages]


def constructed(kind, **kwargs):
    return {"lc": 1, "type": "constructor", "id": ["schema", "messages", kind], "kwargs": kwargs}


@pytest.mark.parametrize(
    ("record", "claimed"),
    [
        (span({"langsmith.span.kind": "tool"}), True),
        (span({}, scope=Scope("langsmith")), True),
        (span({"gen_ai.prompt": "{}"}), False),
        (span({"gen_ai.prompt.0.role": "user"}, scope=Scope("traceloop")), False),
        (LogRecord(attributes={"langsmith.span.kind": "tool"}), False),
    ],
)
def test_claims(record, claimed):
    assert DIALECT.claims(record) is claimed


def test_langchains_constructors():
    asked = [
        constructed("SystemMessage", content="be brief", type="system"),
        constructed("HumanMessage", content="find it", type="human"),
        constructed("ToolMessage", content="found", type="tool", tool_call_id="c1"),
    ]
    answer = constructed(
        "AIMessage",
        content="here",
        type="ai",
        response_metadata={"model_name": "m1", "id": "r1", "finish_reason": "stop"},
    )
    generation = {"text": "here", "generation_info": {"finish_reason": "stop"}, "message": answer}
    call = only(run("llm", {"messages": [asked]}, {"generations": [[generation]]}))
    assert said(call.input) == [("system", "be brief"), ("user", "find it"), ("tool", "")]
    assert call.input[2].parts[0].text == "found"
    assert said(call.output) == [("assistant", "here")]
    assert (call.model, call.response_id, call.finish_reasons) == ("m1", "r1", ("stop",))


def test_content_as_bytes():
    call = only(
        run("llm", b'{"messages":[{"role":"user","content":"find it"}]}', b'{"output":"ok"}')
    )
    assert said(call.input) == [("user", "find it")]
    assert said(call.output) == [("assistant", "ok")]
    assert call.capture.lengths == (50, 15)


@pytest.mark.parametrize(
    ("outputs", "result"),
    [
        ({"output": "found"}, "found"),
        ({"outputs": "found"}, "found"),  # of the JavaScript SDK
        ({"output": '{"a": 1}'}, '{"a": 1}'),
        ({"output": {"content": "found", "type": "tool", "tool_call_id": "c1"}}, "found"),
        ({"a": 1, "output": 2}, '{"a":1,"output":2}'),
        ({"a": 1}, '{"a":1}'),
        ({"output": '{"rows": [1, 2'}, '{"rows": [1, 2'),  # cut by the tool itself
    ],
)
def test_what_a_tool_returned(outputs, result):
    tool = only(run("tool", {"x": 1}, outputs))
    assert tool.result == result
    assert not tool.capture.broken
    assert tool.capture.hidden is None


@pytest.mark.parametrize(
    ("inputs", "arguments"),
    [
        ({"x": 1}, '{"x":1}'),
        ({"input": "{'x': 1}"}, '{"x":1}'),  # LangChain's
        ({"input": '{"x": 1}'}, '{"x":1}'),  # of the agents SDK
        ({"input": "x"}, '{"input":"x"}'),
    ],
)
def test_arguments(inputs, arguments):
    assert only(run("tool", inputs, {"output": "found"})).arguments == arguments


def test_a_result_that_ends_too_early_was_cut_by_the_sdk():
    tool = only(run("tool", {}, '{"output":"many ro'))
    assert tool.result == "many ro"
    assert tool.capture.broken == ("gen_ai.completion",)
    assert tool.capture.hidden == "attribute_length_limit"


def test_a_length_limit_behind_the_messages_leaves_them_whole():
    asked = '{"messages":[{"role":"tool","content":"found","tool_call_id":"c1"}],"tools":[{"na'
    call = only(run("llm", asked))
    assert not call.input[0].parts[0].cut_by_capture
    assert call.capture.broken == ("gen_ai.prompt",)
    assert only(run("llm", asked[:50])).input[0].parts[0].cut_by_capture


def test_the_session_is_metadata_and_not_the_project():
    project = {"langsmith.trace.session_name": "project", "langsmith.trace.session_id": "p1"}
    assert only(run("llm", **project)).conversation_id is None
    for key in ("session_id", "thread_id", "conversation_id"):
        assert only(run("llm", **project, **{f"{META}.{key}": "s1"})).conversation_id == "s1"


def test_who_and_how_much():
    usage = {"input_tokens": 7, "output_tokens": 4, "input_token_details": {"cache_read": 2}}
    call = only(
        run(
            "llm",
            **{
                f"{META}.lc_agent_name": "desk",
                f"{META}.agent_version": "1.2",
                f"{META}.ls_model_name": "m1",
                f"{META}.usage_metadata": json.dumps(usage),
                "gen_ai.system": "langchain",
            },
        )
    )
    assert (call.agent, call.agent_version, call.model, call.provider) == (
        "desk",
        "1.2",
        "m1",
        None,
    )
    assert (call.usage.input_tokens, call.usage.output_tokens) == (7, 4)
    assert call.usage.cache_read_tokens == 2


def test_what_is_hidden():
    call = only(run("llm", {}, {"output": "ok"}))
    assert (call.input, call.capture.hidden) == (None, "content_off")
    assert only(run("tool", {}, {})).capture.hidden == "content_off"
    assert only(run("tool", {"x": 1}, "[REDACTED]")).capture.hidden == "redacted"
    # An anonymizer's mark within a result.
    assert only(run("tool", {}, {"output": "mail [redacted]"})).capture.hidden == "redacted"
    assert only(run("tool", {}), status=2).capture.hidden is None


def test_chains():
    outer = only(run("chain", {"question": "why"}, {"output": "so"}), name="desk", parent_id=None)
    assert isinstance(outer, AgentInvocation)
    assert (outer.kind, outer.agent) == ("workflow", "desk")
    assert (said(outer.input), said(outer.output)) == ([("user", "why")], [("assistant", "so")])
    inner = {f"{META}.lc_agent_name": "helper", f"{META}.langgraph_node": "tools"}
    assert only(run("chain", {}, **inner), name="helper").kind == "agent"
    assert not list(DIALECT.operations(span(run("chain", {}, **inner), name="tools")))
    step = {"langsmith.span.tags": "graph:step:1"}
    assert not list(DIALECT.operations(span(run("chain", {}, **step), name="model")))
    function = only(run("chain", {"x": 1}, {"output": "found"}), name="find")
    assert isinstance(function, ToolExecution)
    assert function.supposed
    served = only(run("chain", {}, {}, **{"langsmith.is_root": True}), name="desk")
    assert served.kind == "workflow"


@pytest.mark.parametrize("kind", ["prompt", "retriever", "embedding", "parser", 5])
def test_other_runs_are_nothing(kind):
    assert not list(DIALECT.operations(span(run(kind, {}, {"output": "x"}))))


def hidden(name):
    (case,) = [case for case in CASES if case.name == f"langsmith-openai-0.14.12-{name}"]
    return list(operations(case))


def test_inputs_hidden_by_the_switch():
    for operation in hidden("hideinputs"):
        if isinstance(operation, Inference):
            assert (operation.input, operation.capture.hidden) == (None, "content_off")
            assert operation.output
        elif isinstance(operation, ToolExecution):
            assert operation.result
            assert operation.capture.hidden is None


def test_outputs_hidden_by_the_switch():
    for operation in hidden("hideoutputs"):
        if isinstance(operation, Inference):
            # What it was sent is not hidden: what is missing there was not sent.
            assert (operation.output, operation.capture.hidden) == (None, None)
            assert operation.input
        else:
            assert operation.capture.hidden == "content_off"


@given(st.text(max_size=60) | st.binary(max_size=60), st.sampled_from(["llm", "tool", "chain"]))
def test_whatever_a_value_holds(value, kind):
    for parent in (None, "c" * 16):
        record = span(run(kind, value, value), parent_id=parent)
        assert list(DIALECT.operations(record)) == list(DIALECT.operations(record))
