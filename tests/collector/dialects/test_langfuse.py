"""Observations of Langfuse's SDKs → operations."""

import json

import pytest
from golden_cases import CASES, operations
from hypothesis import given
from hypothesis import strategies as st

from collector.dialects.langfuse import Langfuse
from collector.span import LogRecord, Scope, Span
from scorers.turn import AgentInvocation, Inference, ToolExecution

DIALECT = Langfuse()
KEY = "langfuse.observation"
MEDIA = "@@@langfuseMedia:type=image/jpeg|id=cc48838a|source=base64_data_uri@@@"


def span(attributes, **fields):
    fields = {
        "trace_id": "a" * 32,
        "span_id": "b" * 16,
        "parent_id": "c" * 16,
        "name": "s",
    } | fields
    return Span(attributes=attributes, **fields)


def observation(kind, asked=None, answered=None, **more):
    attributes = {f"{KEY}.type": kind} | more
    for side, value in (("input", asked), ("output", answered)):
        if value is not None:
            attributes[f"{KEY}.{side}"] = value if isinstance(value, str) else json.dumps(value)
    return attributes


def only(attributes, **fields):
    (operation,) = DIALECT.operations(span(attributes, **fields))
    return operation


def said(messages):
    return [(message.role, message.text) for message in messages]


@pytest.mark.parametrize(
    ("record", "claimed"),
    [
        (span({f"{KEY}.type": "tool"}), True),
        (span({}, scope=Scope("langfuse-sdk")), True),
        (span({"langfuse.session.id": "s"}), False),  # what Langfuse tells users of others to set
        (span({"openinference.span.kind": "LLM"}, scope=Scope("openinference")), False),
        (LogRecord(attributes={f"{KEY}.type": "tool"}), False),
    ],
)
def test_claims(record, claimed):
    assert DIALECT.claims(record) is claimed


def test_the_definitions_of_tools_are_no_results():
    definition = {"type": "function", "function": {"name": "find", "parameters": {}}}
    call = only(
        observation(
            "generation",
            [
                {"role": "user", "content": "find it"},
                {"role": "tool", "content": "found", "tool_call_id": "c1"},
                {"role": "tool", "content": definition},
            ],
        )
    )
    assert [message.role for message in call.input] == ["user", "tool"]
    assert call.input[1].parts[0].id == "c1"
    assert call.tools == ("find",)


@pytest.mark.parametrize(
    "asked",
    [
        {"tools": [{"name": "find"}], "messages": [{"role": "user", "content": "find it"}]},
        {"input": [{"role": "user", "content": "find it"}], "tools": [{"name": "find"}]},
        {"input": "find it", "tools": [{"name": "find"}]},
        {"instructions": "", "input": "find it", "tools": [{"name": "find"}]},
    ],
)
def test_the_openai_wrappers_requests(asked):
    call = only(observation("generation", asked))
    assert said(call.input) == [("user", "find it")]
    assert call.tools == ("find",)


def test_the_arguments_of_a_decorated_model_call_are_what_it_was_sent():
    asked = {"args": [], "kwargs": {"messages": [{"role": "user", "content": "find it"}]}}
    answered = {"choices": [{"message": {"role": "assistant", "content": "here"}}]}
    call = only(observation("generation", asked, answered))
    assert said(call.input) == [("user", "find it")]
    assert said(call.output) == [("assistant", "here")]


@pytest.mark.parametrize(
    ("answered", "text"),
    [
        ("plain words", "plain words"),  # from 3.1 on, texts are not encoded
        ('"plain words"', "plain words"),
        ('{"total": 5}', '{"total": 5}'),  # the model's own JSON
        ('{"role": "assistant", "content": "plain words"}', "plain words"),
        (
            '[{"role": "assistant", "content": [{"type": "output_text", "text": "plain words"}]}]',
            "plain words",
        ),
    ],
)
def test_answers(answered, text):
    assert said(only(observation("generation", "q", answered)).output) == [("assistant", text)]


@pytest.mark.parametrize(
    ("details", "counts"),
    [
        ({"input": 70, "output": 40, "total": 110}, (70, 40, None)),
        # The callback takes cached tokens out of the input.
        ({"input": 50, "output": 40, "total": 110, "input_cache_read": 20}, (70, 40, 20)),
        # The JavaScript wrapper does not.
        ({"input": 70, "output": 40, "total": 110, "input_cached_tokens": 20}, (70, 40, 20)),
        ({"prompt_tokens": 70, "completion_tokens": 40}, (70, 40, None)),
        ({"input": "many"}, (None, None, None)),
    ],
)
def test_tokens(details, counts):
    usage = only(observation("generation", **{f"{KEY}.usage_details": json.dumps(details)})).usage
    assert (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens) == counts


@pytest.mark.parametrize("call_id", ['"c1"', "c1"])
def test_metadata_is_json_from_5_on_and_text_before(call_id):
    tool = only(observation("tool", {"x": 1}, "found", **{f"{KEY}.metadata.tool_call_id": call_id}))
    assert (tool.call_id, tool.result, tool.arguments) == ("c1", "found", '{"x":1}')


def test_what_the_tool_itself_cut_is_its_result():
    tool = only(observation("tool", {"x": 1}, '{"rows": [1, 2'))
    assert tool.result == '{"rows": [1, 2'
    assert not tool.capture.broken


@pytest.mark.parametrize(
    "produced",
    [
        "<fully masked due to failed mask function>",
        "[REDACTED]",
        "REDACTED",
        "***",
        "<masked by policy>",
    ],
)
def test_a_masked_result_is_not_what_the_tool_produced(produced):
    tool = only(observation("tool", {"x": 1}, produced))
    assert (tool.result, tool.capture.hidden) == (None, "redacted")


def test_a_result_with_a_masked_piece_is_hidden():
    tool = only(observation("tool", {"x": 1}, {"mail": "[REDACTED EMAIL]", "total": 5}))
    assert tool.capture.hidden == "redacted"


def test_a_result_that_the_sdk_took_for_a_file_is_uploaded():
    assert only(observation("tool", {}, {"image": MEDIA})).capture.hidden == "uploaded"


def test_files_of_the_requester():
    content = [
        {"type": "text", "text": "what is it"},
        {"type": "image_url", "image_url": {"url": MEDIA}},
    ]
    call = only(observation("generation", [{"role": "user", "content": content}]))
    assert [part.kind for part in call.input[0].parts] == ["text", "file"]
    call = only(observation("generation", [{"role": "user", "content": MEDIA}]))
    assert [(part.kind, part.name) for part in call.input[0].parts] == [("file", "image/jpeg")]


def test_content_off():
    assert only(observation("tool")).capture.hidden == "content_off"
    assert only(observation("generation")).capture.hidden == "content_off"
    # A tool that returns nothing.
    assert only(observation("tool", {"args": [], "kwargs": {}})).capture.hidden is None


def test_a_length_limit_behind_the_messages_leaves_them_whole():
    asked = json.dumps(
        [
            {"role": "tool", "content": "found", "tool_call_id": "c1"},
            {"role": "tool", "content": {"type": "function", "function": {"name": "find"}}},
        ]
    )
    whole = only(observation("generation", asked[:-20]))
    assert not whole.input[0].parts[0].cut_by_capture
    assert whole.capture.broken
    assert only(observation("generation", asked[:30])).input[0].parts[0].cut_by_capture


def test_who_and_where():
    call = only(
        observation(
            "generation",
            **{
                "session.id": "s1",
                f"{KEY}.metadata.thread_id": '"t1"',
                f"{KEY}.metadata.lc_agent_name": '"desk"',
                "langfuse.version": "7",
                "langfuse.release": "abc",
                "langfuse.environment": "prod",
            },
        )
    )
    assert (call.conversation_id, call.agent, call.agent_version) == ("s1", "desk", "7")
    assert call.environment == "prod"
    released = only(observation("tool", **{"langfuse.release": "abc"}))
    assert released.agent_version == "abc"
    threaded = only(observation("tool", **{"langfuse.trace.metadata.thread_id": "t1"}))
    assert threaded.conversation_id == "t1"


def test_an_error_is_stated_by_its_level():
    failed = only(
        observation(
            "tool", {"x": 1}, **{f"{KEY}.level": "ERROR", f"{KEY}.status_message": "no such row"}
        )
    )
    assert failed.failed
    assert failed.error == "no such row"
    assert failed.capture.hidden is None


def test_agents_and_their_surroundings():
    agent = only(observation("agent", {"args": ["find it"], "kwargs": {}}, "here"), name="desk")
    assert isinstance(agent, AgentInvocation)
    assert (agent.agent, said(agent.input), said(agent.output)) == (
        "desk",
        [("user", "find it")],
        [("assistant", "here")],
    )
    outer = only(observation("span", "find it", "here"), name="request", parent_id=None)
    assert (outer.kind, outer.agent) == ("workflow", "request")
    named = only(
        observation("span", "q", **{"langfuse.trace.name": "billing"}), name="x", parent_id=None
    )
    assert named.agent == "billing"


def test_langgraphs_node_is_no_agent():
    node = {f"{KEY}.metadata.langgraph_node": "agent"}
    assert not list(DIALECT.operations(span(observation("agent", "q", **node), name="agent")))
    inner = {f"{KEY}.metadata.lc_agent_name": "helper", f"{KEY}.metadata.langgraph_node": "tools"}
    assert only(observation("chain", "q", **inner), name="helper").kind == "agent"
    assert not list(DIALECT.operations(span(observation("chain", "q", **inner), name="tools")))


def test_a_function_without_a_type_may_be_a_tool():
    function = only(observation("span", {"args": [], "kwargs": {"x": 1}}, '"found"'), name="find")
    assert isinstance(function, ToolExecution)
    assert function.supposed
    assert (function.tool, function.result, function.arguments) == ("find", "found", '{"x":1}')


def test_langchains_tool_before_types():
    produced = {"content": "found", "type": "tool", "name": "find", "tool_call_id": "c1"}
    tool = only(observation("span", "{'x': 1}", produced), name="find")
    assert not tool.supposed
    assert (tool.call_id, tool.result, tool.arguments) == ("c1", "found", '{"x":1}')


@pytest.mark.parametrize("kind", ["event", "retriever", "embedding", "evaluator", "guardrail", 5])
def test_other_observations_are_nothing(kind):
    assert not list(DIALECT.operations(span({f"{KEY}.type": kind, f"{KEY}.output": "x"})))


def test_a_call_whose_type_was_dropped():
    dropped = span({f"{KEY}.model.name": "m"}, scope=Scope("langfuse-sdk"), dropped=3)
    (call,) = DIALECT.operations(dropped)
    assert isinstance(call, Inference)
    assert call.capture.hidden is None


def test_a_failed_mask_function_hides_everything():
    (case,) = [case for case in CASES if case.name == "langfuse-openai-5.0.3-maskfailed"]
    for operation in operations(case):
        assert operation.capture.hidden == "redacted"
        if isinstance(operation, ToolExecution):
            assert operation.result is None
        else:
            assert operation.input is None
            assert operation.output is None


@given(st.text(max_size=60), st.sampled_from(["generation", "tool", "agent", "span"]))
def test_whatever_a_value_holds(value, kind):
    attributes = observation(kind, value, value)
    assert list(DIALECT.operations(span(attributes))) == list(DIALECT.operations(span(attributes)))
