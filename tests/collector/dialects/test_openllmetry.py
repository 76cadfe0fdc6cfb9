"""Spans of OpenLLMetry's instrumentations and of the Traceloop SDK's decorators → operations."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector.dialects.openllmetry import OpenLLMetry
from collector.span import LogRecord, Scope, Span
from scorers.turn import AgentInvocation, Inference, Operation, ToolExecution

DIALECT = OpenLLMetry()
ENTITY = "traceloop.entity"


def span(attributes, **fields):
    fields = {"trace_id": "a" * 32, "span_id": "b" * 16, "name": "s"} | fields
    return Span(attributes=attributes, **fields)


def only(attributes, **fields):
    (operation,) = DIALECT.operations(span(attributes, **fields))
    return operation


def prompt(*messages, **attributes):
    """A model span in the old form, whose messages are given as dictionaries of fields."""
    flat = {"llm.request.type": "chat"} | attributes
    for index, message in enumerate(messages):
        flat |= {f"gen_ai.prompt.{index}.{key}": value for key, value in message.items()}
    return flat


def said(messages):
    return [(message.role, message.text) for message in messages]


def entity(kind, given=None, returned=None):
    flat = {"traceloop.span.kind": kind, f"{ENTITY}.name": "desk"}
    if given is not None:
        flat[f"{ENTITY}.input"] = given
    if returned is not None:
        flat[f"{ENTITY}.output"] = returned
    return flat


@pytest.mark.parametrize(
    ("record", "claimed"),
    [
        (span({"traceloop.span.kind": "tool"}), True),
        (span({"gen_ai.prompt.0.role": "user"}), True),
        # An SDK over its limit dropped the oldest keys.
        (span({"gen_ai.completion.0.finish_reason": "stop"}), True),
        (span({}, scope=Scope("opentelemetry.instrumentation.openai.v1")), True),
        (span({}, scope=Scope("opentelemetry.instrumentation.openai_v2")), False),
        (span({"gen_ai.prompt": "{}"}), False),  # LangSmith's key
        (span({"llm.request.type": "chat"}, scope=Scope("litellm")), False),
        (
            span(
                {"llm.request.type": "chat"},
                scope=Scope("opentelemetry.instrumentation.anthropic"),
            ),
            True,
        ),
        (span({}, scope=Scope("opentelemetry.instrumentation.openai_agents")), True),
        (span({}, scope=Scope("opentelemetry.instrumentation.genai.openai_agents")), False),
        (LogRecord(attributes={"traceloop.span.kind": "tool"}), False),
    ],
)
def test_claims(record, claimed):
    assert DIALECT.claims(record) is claimed


def test_old_form():
    call = only(
        prompt(
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Ferry?"},
            {"role": "assistant", "content": "", "tool_calls.0.id": "c1",
             "tool_calls.0.name": "ferry", "tool_calls.0.arguments": '{"a": 1}'},
            {"role": "unknown", "content": "row 1", "tool_call_id": "c1"},
            **{
                "gen_ai.completion.0.role": "assistant",
                "gen_ai.completion.0.content": "Runs.",
                "gen_ai.completion.0.finish_reason": "stop",
                "gen_ai.usage.prompt_tokens": 40,
                "gen_ai.usage.completion_tokens": 7,
                "gen_ai.system": "OpenAI",
                "gen_ai.request.model": "m",
                "gen_ai.response.id": "r1",
                "llm.request.functions.0.name": "ferry",
                "traceloop.association.properties.session_id": "s1",
                "traceloop.workflow.name": "desk",
            },
        )
    )  # fmt: skip
    assert isinstance(call, Inference)
    # A message with a tool call's id is a tool's, whatever its role says.
    assert [message.role for message in call.input] == ["system", "user", "assistant", "tool"]
    asked, answered = call.input[2].parts[0], call.input[3].parts[0]
    assert (asked.kind, asked.id, asked.name, asked.text) == (
        "tool_call",
        "c1",
        "ferry",
        '{"a": 1}',
    )
    assert (answered.kind, answered.id, answered.text) == ("tool_result", "c1", "row 1")
    assert said(call.output) == [("assistant", "Runs.")]
    assert (call.finish_reasons, call.tools) == (("stop",), ("ferry",))
    assert (call.usage.input_tokens, call.usage.output_tokens) == (40, 7)
    assert (call.provider, call.model, call.response_id) == ("OpenAI", "m", "r1")
    assert (call.conversation_id, call.agent) == ("s1", "desk")


def test_old_form_of_anthropic_holds_blocks_as_json():
    blocks = [{"type": "tool_result", "tool_use_id": "c1", "content": "row 1"},
              {"type": "text", "text": "And now?"}]  # fmt: skip
    call = only(prompt({"role": "user", "content": json.dumps(blocks)}))
    assert [message.role for message in call.input] == ["tool", "user"]
    assert call.input[0].parts[0].id == "c1"
    assert call.input[1].text == "And now?"


def test_json_that_a_user_wrote_stays_text():
    for words in ('[{"type": "sedan"}]', "[1, 2]", '{"type": "text"}', "[]"):
        assert said(only(prompt({"role": "user", "content": words})).input) == [("user", words)]


def test_streamed_completion_without_role_is_the_assistants():
    call = only(prompt(**{"gen_ai.completion.0.content": "Runs."}))
    assert said(call.output) == [("assistant", "Runs.")]


def test_gaps_are_told_and_not_closed():
    attributes = prompt({"role": "user", "content": "a"})
    attributes |= {"gen_ai.prompt.7.role": "user", "gen_ai.prompt.7.content": "b"}
    attributes |= {"gen_ai.prompt.-3.role": "user", "gen_ai.prompt.x.content": "c"}
    call = only(attributes, dropped=12)
    assert said(call.input) == [("user", "a"), ("user", "b")]
    assert call.capture.broken == ("gen_ai.prompt",)
    assert call.capture.dropped == 12


def test_new_form():
    sent = [{"role": "user", "parts": [{"type": "text", "content": "Ferry?"}]},
            {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1",
                                        "response": "row 1"}]}]  # fmt: skip
    call = only(
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.system_instructions": '[{"type": "text", "content": "Be brief."}]',
            "gen_ai.input.messages": json.dumps(sent),
            "gen_ai.output.messages": '[{"role": "assistant", "parts": [{"type": "text",'
            ' "content": "Runs."}], "finish_reason": "stop"}]',
            "gen_ai.agent.name": "desk",
        }
    )
    assert [message.role for message in call.input] == ["system", "user", "tool"]
    assert (said(call.output), call.finish_reasons) == ([("assistant", "Runs.")], ("stop",))
    assert call.agent == "desk"


def test_content_that_is_off_is_not_an_empty_conversation():
    call = only({"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"})
    assert (call.input, call.output, call.capture.hidden) == (None, None, "content_off")
    run = only(entity("tool"))
    assert (run.result, run.capture.hidden) == (None, "content_off")
    # With attributes dropped by the SDK, that is the reason.
    assert only({"llm.request.type": "chat"}, dropped=3).capture.hidden is None


def test_decorated_tool():
    # The SDK writes what the function returned as JSON: a text that is JSON is encoded twice.
    run = only(entity("tool", '{"args": [], "kwargs": {"a": 1}}', json.dumps('{"n": 48}')))
    assert isinstance(run, ToolExecution)
    assert (run.tool, run.arguments, run.result) == ("desk", '{"a":1}', '{"n": 48}')
    assert run.call_id is None


@pytest.mark.parametrize(
    ("given", "arguments"),
    [
        ('{"args": ["C-1"], "kwargs": {}}', "C-1"),
        ('{"args": ["C-1", 2], "kwargs": {}}', '["C-1",2]'),
        ('{"inputs": {"line": "A"}}', '{"line":"A"}'),
        ('{"args": [], "kwargs": {}}', "{}"),
        ("plain", "plain"),
        ("__REDACTED__", None),
        (None, None),
    ],
)
def test_arguments_leave_their_envelope(given, arguments):
    assert only(entity("tool", given, "1")).arguments == arguments


def test_result_that_the_sdk_cut_is_told():
    whole = json.dumps("row 1\nrow 2\nrow 3")
    run = only(entity("tool", None, whole[:-3]))
    assert run.result == "row 1\nrow 2\nrow"
    assert run.capture.broken == ("traceloop.entity.output",)
    # The tool's own cut is inside of the encoded text.
    assert only(entity("tool", None, json.dumps('{"rows": [1, 2'))).capture.broken == ()


def test_langchain_tool():
    message = {"content": "row 1", "type": "tool", "tool_call_id": "c1", "status": "success"}
    wrapped = {"output": {"lc": 1, "type": "constructor", "id": ["ToolMessage"], "kwargs": message},
               "kwargs": {"color": "green"}}  # fmt: skip
    run = only(
        {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "ferry",
            "gen_ai.tool.call.arguments": json.dumps(
                {"input_str": "{'line': 'A'}", "inputs": {"line": "A"}, "tags": [],
                 "kwargs": {"tool_call_id": "c1"}}
            ),
            "gen_ai.tool.call.result": json.dumps(wrapped),
        }
    )  # fmt: skip
    assert (run.tool, run.call_id, run.result) == ("ferry", "c1", "row 1")
    assert run.arguments == '{"line":"A"}'
    assert not run.failed
    message["status"] = "error"
    assert only(entity("tool", None, json.dumps(wrapped))).failed


def test_output_key_is_only_unwrapped_where_langchain_wrote_it():
    value = '{"output": "row 1"}'
    scope = Scope("opentelemetry.instrumentation.langchain")
    assert only(entity("tool", None, value), scope=scope).result == "row 1"
    assert only(entity("tool", None, value)).result == value


def test_agent_and_workflow():
    given, returned = '{"args": ["Ferry?"], "kwargs": {}}', '"Runs."'
    agent = only(entity("agent", given, returned) | {f"{ENTITY}.version": 3})
    assert isinstance(agent, AgentInvocation)
    assert (agent.kind, agent.agent, agent.agent_version) == ("agent", "desk", "3")
    assert (said(agent.input), said(agent.output)) == (
        [("user", "Ferry?")],
        [("assistant", "Runs.")],
    )
    assert only(entity("workflow", given, returned)).kind == "workflow"


def test_task_spans_are_no_operations():
    task = entity("task", "{}", "{}") | {"gen_ai.operation.name": "execute_task"}
    assert list(DIALECT.operations(span(task))) == []


def test_handoff():
    handoff = only({"traceloop.span.kind": "handoff"}, name="triage → billing.handoff")
    assert (handoff.kind, handoff.agent) == ("handoff", "billing")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
KEYS = st.sampled_from(
    [
        "traceloop.span.kind", "traceloop.entity.name", "traceloop.entity.version",
        "traceloop.entity.input", "traceloop.entity.output", "traceloop.workflow.name",
        "gen_ai.prompt.0.role", "gen_ai.prompt.0.content", "gen_ai.prompt.0.tool_calls.0.name",
        "gen_ai.prompt.0.tool_call_id", "gen_ai.completion.0.content", "gen_ai.input.messages",
        "gen_ai.output.messages", "gen_ai.operation.name", "gen_ai.tool.call.result",
        "gen_ai.usage.prompt_tokens", "llm.request.functions.0.name", "llm.request.type",
    ]
)  # fmt: skip


@given(
    kind=st.sampled_from(["tool", "agent", "workflow", "handoff", None]),
    attributes=st.dictionaries(KEYS, JSON | JSON.map(lambda value: json.dumps(str(value)))),
)
def test_no_value_raises(kind, attributes):
    attributes = {"llm.request.type": "chat", "traceloop.span.kind": kind} | attributes
    for operation in DIALECT.operations(span(attributes)):
        assert isinstance(operation, Operation)


@pytest.mark.timeout(20)
def test_ten_thousand_messages_are_read_in_one_pass():
    call = only(prompt(*[{"role": "user", "content": "x"}] * 10_000))
    assert len(call.input) == 10_000
