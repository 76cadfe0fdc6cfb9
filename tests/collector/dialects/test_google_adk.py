"""Google ADK's own spans (`gcp.vertex.agent.*`) → operations."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector.dialects.google_adk import GoogleADK
from collector.span import LogRecord, Scope, Span
from scorers.turn import Inference, Operation

DIALECT = GoogleADK()
REQUEST, ANSWER = "gcp.vertex.agent.llm_request", "gcp.vertex.agent.llm_response"
ARGUMENTS, RESPONSE = "gcp.vertex.agent.tool_call_args", "gcp.vertex.agent.tool_response"
SCOPE = Scope("gcp.vertex.agent")


def span(attributes, **fields):
    fields = {"trace_id": "a" * 32, "span_id": "b" * 16, "name": "s"} | fields
    return Span(attributes=attributes, **fields)


def only(attributes, **fields):
    (operation,) = DIALECT.operations(span(attributes, **fields))
    return operation


def request(*contents, **config):
    return json.dumps({"model": "m", "config": config, "contents": contents})


@pytest.mark.parametrize(
    ("record", "claimed"),
    [
        (span({REQUEST: "{}"}), True),
        (span({}, scope=SCOPE, name="invocation"), True),
        # Schema 2 follows the conventions.
        (span({"gen_ai.operation.name": "chat"}, scope=SCOPE), False),
        (span({REQUEST: "{}", "gen_ai.tool.call.result": "x"}), False),
        (LogRecord(attributes={REQUEST: "{}"}), False),
    ],
)
def test_claims(record, claimed):
    assert DIALECT.claims(record) is claimed


def test_model_call():
    answered = {"function_response": {"id": "c1", "name": "f", "response": {"result": "row 1"}}}
    call = only(
        {
            REQUEST: request(
                {"role": "user", "parts": [{"text": "Hi"}]},
                {"role": "model", "parts": [{"function_call": {"id": "c1", "name": "f"}}]},
                {"role": "user", "parts": [answered]},
                system_instruction="Be brief.",
                tools=[{"function_declarations": [{"name": "f"}]}],
            ),
            ANSWER: '{"content": {"role": "model", "parts": [{"text": "Hello"}]}}',
            "gcp.vertex.agent.session_id": "s1",
        }
    )
    assert isinstance(call, Inference)
    assert [message.role for message in call.input] == ["system", "user", "assistant", "tool"]
    result = call.input[3].parts[0]
    assert (result.kind, result.id, result.text) == ("tool_result", "c1", "row 1")
    assert [(message.role, message.text) for message in call.output] == [("assistant", "Hello")]
    assert (call.tools, call.conversation_id) == (("f",), "s1")


def test_content_that_is_off():
    call = only({REQUEST: "{}", ANSWER: "{}"})
    assert (call.input, call.output, call.capture.hidden) == (None, None, "content_off")
    for mark in ("{}", "<not serializable>"):
        run = only({ARGUMENTS: "{}", RESPONSE: mark})
        assert (run.result, run.capture.hidden) == (None, "content_off")


def test_tool_call():
    run = only(
        {
            "gen_ai.tool.name": "f",
            "gen_ai.tool.call.id": "c1",
            ARGUMENTS: '{"a": 1}',
            RESPONSE: '{"result": "row 1"}',
            REQUEST: "{}",
        }
    )
    assert (run.tool, run.call_id, run.arguments, run.result) == ("f", "c1", '{"a": 1}', "row 1")


def test_merged_responses_are_no_call():
    merged = {"gen_ai.tool.name": "(merged tools)", RESPONSE: "[]"}
    assert list(DIALECT.operations(span(merged))) == []


def test_runs():
    assert only({}, name="agent_run [desk]").agent == "desk"
    assert only({}, name="invocation").kind == "workflow"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
SHAPES = st.fixed_dictionaries(
    {}, optional={"config": JSON, "contents": JSON, "content": JSON, "tools": JSON}
).map(lambda value: json.dumps(value, default=str))


@given(st.dictionaries(st.sampled_from([REQUEST, ANSWER, ARGUMENTS, RESPONSE]), JSON | SHAPES))
def test_no_value_raises(attributes):
    for operation in DIALECT.operations(span(attributes)):
        assert isinstance(operation, Operation)


def test_tokens_of_early_versions():
    counts = {"prompt_token_count": 70, "candidates_token_count": 40, "total_token_count": 110}
    answer = json.dumps({"content": {"role": "model", "parts": []}, "usage_metadata": counts})
    call = {"gcp.vertex.agent.llm_request": "{}", "gcp.vertex.agent.llm_response": answer}
    for stated, expected in (
        ({}, (70, 40)),  # 1.0: in the answer only
        ({"gen_ai.usage.input_tokens": 70, "gen_ai.usage.output_tokens": 110}, (70, 40)),  # to 1.5
        ({"gen_ai.usage.input_tokens": 70, "gen_ai.usage.output_tokens": 40}, (70, 40)),
        ({"gen_ai.usage.output_tokens": 3}, (None, 3)),
    ):
        usage = only(call | stated, name="call_llm").usage
        assert (usage.input_tokens, usage.output_tokens) == expected


def test_the_response_has_a_span_of_its_own_in_version_1_0():
    response = {"id": "c1", "name": "fetch", "response": {"result": "rows"}}
    event = {"content": {"role": "user", "parts": [{"function_response": response}]}, "id": "e"}
    told = {"gcp.vertex.agent.tool_response": json.dumps(event)}
    run = only(told, name="tool_response [fetch]")
    assert (run.tool, run.call_id, run.result, run.capture.hidden) == ("fetch", "c1", "rows", None)
    merged = span(told, name="tool_response")
    asked = span({"gcp.vertex.agent.tool_call_args": "{}"}, name="tool_call [fetch]")
    assert not [*DIALECT.operations(merged), *DIALECT.operations(asked)]
    broken = only({"gcp.vertex.agent.tool_response": "{1}"}, name="tool_response [fetch]")
    assert (broken.result, broken.capture.hidden) == (None, "unreadable_content")


def test_without_content_a_call_is_a_call_and_a_tool_a_tool():
    call = only({"gen_ai.request.model": "m"}, name="call_llm")
    assert (call.input, call.capture.hidden) == (None, "content_off")
    empty = {"gcp.vertex.agent.llm_request": "{}", "gen_ai.tool.name": "fetch"}
    run = only(empty, name="execute_tool fetch")
    assert (run.tool, run.result, run.capture.hidden) == ("fetch", None, "content_off")
