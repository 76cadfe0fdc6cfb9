"""OpenInference spans → operations, by its conventions (Arize-ai/openinference, spec/)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector.dialects.openinference import OpenInference
from collector.span import LogRecord, Resource, Scope, Span
from scorers.turn import AgentInvocation, Inference, Operation, ToolExecution

DIALECT = OpenInference()


def span(attributes, **fields):
    fields = {"trace_id": "a" * 32, "span_id": "b" * 16, "name": "s"} | fields
    return Span(attributes=attributes, **fields)


def only(attributes, **fields):
    (operation,) = DIALECT.operations(span(attributes, **fields))
    return operation


def llm(*messages, **attributes):
    """A model span whose input messages are given as (role, content)."""
    flat = {"openinference.span.kind": "LLM"} | attributes
    for index, (role, content) in enumerate(messages):
        flat[f"llm.input_messages.{index}.message.role"] = role
        flat[f"llm.input_messages.{index}.message.content"] = content
    return flat


def tool(**attributes):
    flat = {"openinference.span.kind": "TOOL", "tool.name": "fetch"}
    return flat | {key.replace("_", ".", 1): value for key, value in attributes.items()}


def said(messages):
    return [(message.role, message.text) for message in messages]


def results(messages):
    return [(part.id, part.text) for one in messages for part in one.of_kind("tool_result")]


@pytest.mark.parametrize(
    ("record", "claimed"),
    [
        (span({"openinference.span.kind": "LLM"}), True),
        (span({"llm.x": 1}, scope=Scope("openinference.instrumentation.openai")), True),
        (span({"gen_ai.operation.name": "chat"}), False),
        (LogRecord(attributes={"openinference.span.kind": "LLM"}), False),
    ],
)
def test_claims_spans_by_kind_or_library(record, claimed):
    assert DIALECT.claims(record) is claimed


@pytest.mark.parametrize("kind", ["RETRIEVER", "EMBEDDING", "GUARDRAIL", "PROMPT", "", 7, None])
def test_other_kinds_are_no_operations(kind):
    attributes = {"openinference.span.kind": kind, "input.value": "x"}
    assert list(DIALECT.operations(span(attributes))) == []


def test_model_call_states_who_and_what():
    call = only(
        {
            **llm(("user", "Hi")),
            "llm.output_messages.0.message.role": "assistant",
            "llm.output_messages.0.message.contents.0.message_content.type": "text",
            "llm.output_messages.0.message.contents.0.message_content.text": "Hello",
            "llm.output_messages.0.message.content": "Hello",
            "llm.model_name": "m",
            "llm.provider": "p",
            "llm.finish_reason": "stop",
            "llm.token_count.prompt": 12,
            "llm.token_count.completion": 3,
            "output.value": '{"id": "resp-1"}',
            "llm.tools.0.tool.json_schema": '{"type": "function", "function": {"name": "fetch"}}',
            "metadata": '{"agent_version": "2", "thread_id": "t-1"}',
            "agent.name": "desk",
        }
    )
    assert isinstance(call, Inference)
    assert said(call.output) == [("assistant", "Hello")]  # listed twice, said once
    assert (call.model, call.provider, call.response_id) == ("m", "p", "resp-1")
    assert (call.tools, call.finish_reasons) == (("fetch",), ("stop",))
    assert (call.usage.input_tokens, call.usage.output_tokens) == (12, 3)
    assert (call.agent, call.agent_version, call.conversation_id) == ("desk", "2", "t-1")


def test_anthropic_calls_that_are_listed_twice_come_out_once():
    message = "llm.output_messages.0.message"
    call = only(
        {
            "openinference.span.kind": "LLM",
            f"{message}.role": "assistant",
            f"{message}.tool_calls.0.tool_call.id": "c1",
            f"{message}.tool_calls.0.tool_call.function.name": "fetch",
            f"{message}.tool_calls.0.tool_call.function.arguments": '{"a": 1}',
            f"{message}.contents.0.message_content.type": "tool_use",
            f"{message}.contents.0.tool_call.id": "c1",
            f"{message}.contents.0.tool_call.function.name": "fetch",
        }
    )
    assert [(part.kind, part.id, part.name, part.text) for part in call.output[0].parts] == [
        ("tool_call", "c1", "fetch", '{"a": 1}')
    ]


def test_order_is_by_number_not_by_text():
    call = only(llm(*[("user", str(number)) for number in range(12)]))
    assert [message.text for message in call.input] == [str(number) for number in range(12)]


def test_odd_indices_are_left_out_and_gaps_are_not_closed():
    attributes = llm(("user", "first"))
    for index, word in [("99999999", "last"), ("-1", "no"), ("x", "no"), ("9" * 5000, "no")]:
        attributes[f"llm.input_messages.{index}.message.role"] = "user"
        attributes[f"llm.input_messages.{index}.message.content"] = word
    call = only(attributes)
    assert [message.text for message in call.input] == ["first", "last"]
    assert call.capture.broken == ("llm.input_messages",)


def test_message_without_its_role_is_nobodys_when_the_sdk_dropped_attributes():
    attributes = llm(("user", "whose?"), ("user", "mine"))
    del attributes["llm.input_messages.0.message.role"]
    call = only(attributes, dropped=23)
    assert said(call.input) == [("user", "mine")]
    assert call.capture.dropped == 23


def test_raw_request_is_read_when_the_sdk_refused_the_newest_messages():
    # OpenTelemetry JS keeps the first 128 attributes: input.value is there, the last messages not.
    request = [
        {"role": "user", "content": "a"},
        {"role": "tool", "tool_call_id": "c", "content": "r"},
    ]
    attributes = llm(("user", "a"), **{"input.value": json.dumps({"messages": request})})
    call = only(attributes, dropped=4)
    assert [message.role for message in call.input] == ["user", "tool"]


def test_redacted_input_is_absent_and_says_so():
    call = only({"openinference.span.kind": "LLM", "input.value": "__REDACTED__"})
    assert call.input is None
    assert call.capture.hidden == "redacted"


def test_redacted_text_inside_messages_is_flagged():
    call = only(llm(("user", "__REDACTED__")))
    assert call.input[0].parts[0].cut_by_capture
    assert call.capture.hidden == "redacted"


def test_observations_of_smolagents_are_no_words_of_the_requester():
    calling = "Calling tools:\n[{'id': 'c1', 'function': {'name': 'fetch', 'arguments': {'a': 1}}}]"
    for call_role, result_role in [("tool-call", "tool-response"), ("assistant", "user")]:
        call = only(
            llm(("user", "New task"), (call_role, calling), (result_role, "Observation:\nrow 1"))
        )
        assert [message.role for message in call.input] == ["user", "assistant", "tool"]
        assert call.input[1].parts[0].name == "fetch"
        assert results(call.input) == [("c1", "Observation:\nrow 1")]


def test_observation_that_a_requester_wrote_stays_theirs():
    call = only(llm(("user", "Hi"), ("assistant", "Yes?"), ("user", "Observation: it rains")))
    assert said(call.input)[-1] == ("user", "Observation: it rains")


def test_haystack_results_are_read_from_the_raw_request():
    origin = "ToolCall(tool_name='fetch', arguments={'a': 1}, id='c1')"
    result = f"ToolCallResult(result='it\\'s row 1', origin={origin}, error=False)"
    raw = [
        "ChatMessage(_role=<ChatRole.USER: 'user'>, _content=[TextContent(text='Hi')], _meta={})",
        f"ChatMessage(_role=<ChatRole.TOOL: 'tool'>, _content=[{result}], _meta={{}})",
    ]
    attributes = llm(("user", "Hi"), **{"input.value": json.dumps({"messages": raw})})
    attributes["llm.input_messages.1.message.role"] = "tool"
    assert results(only(attributes).input) == [("c1", "it's row 1")]


def test_tool_result_is_unwrapped_and_its_id_found():
    # LangChain's ToolMessage, as its instrumentation dumps it.
    data = {"content": "row 1", "name": "fetch", "tool_call_id": "c1", "status": "success"}
    run = only(
        tool(
            output_value=json.dumps({"type": "tool", "data": data}),
            output_mime_type="application/json",
            input_value="C-1042",
        )
    )
    assert isinstance(run, ToolExecution)
    assert (run.tool, run.call_id, run.result, run.arguments) == ("fetch", "c1", "row 1", "C-1042")
    assert not run.failed


def test_tool_that_failed():
    failed = {"content": "no", "tool_call_id": "c1", "status": "error"}
    assert only(tool(output_value=json.dumps({"type": "tool", "data": failed}))).failed
    assert only(tool(), status=2, status_message="boom").error == "boom"
    assert only(tool(), status=2).failed


def test_llama_index_result():
    output = {"blocks": [{"block_type": "text", "text": "row 1"}], "tool_name": "fetch",
              "raw_input": {}, "raw_output": "row 1"}  # fmt: skip
    run = only(tool(output_value=json.dumps(output), input_value='{"kwargs": {"a": 1}}'))
    assert (run.result, run.arguments) == ("row 1", '{"a":1}')


def test_steps_around_a_model_call_of_llama_index_are_none():
    scope = Scope("openinference.instrumentation.llama_index")
    wrapper = {"openinference.span.kind": "LLM", "input.value": '{"messages": []}'}
    assert list(DIALECT.operations(span(wrapper, scope=scope))) == []
    assert only(llm(("user", "Hi")), scope=scope).input
    assert only(wrapper | {"llm.prompts": ["Hi"]}, scope=scope)


def test_request_that_is_dumped_as_output_is_no_answer():
    value = '{"messages": [{"role": "user", "content": "Hi"}]}'
    assert only(llm(("user", "Hi"), **{"output.value": value})).output is None


def test_google_adk_response():
    output = {"id": "c1", "name": "fetch", "response": {"result": "row 1"}}
    run = only(tool(output_value=json.dumps(output)))
    assert (run.result, run.call_id) == ("row 1", "c1")


def test_strands_files_earlier_steps_under_the_output():
    flat = llm(("user", "Hi"), ("tool", "row 1"))
    flat["llm.input_messages.1.message.tool_call_id"] = "c1"
    flat["llm.output_messages.0.message.role"] = "assistant"
    flat["llm.output_messages.0.message.tool_calls.0.tool_call.id"] = "c1"
    flat["llm.output_messages.0.message.tool_calls.0.tool_call.function.name"] = "fetch"
    flat["llm.output_messages.1.message.role"] = "assistant"
    flat["llm.output_messages.1.message.content"] = "Hello"
    call = only(flat, scope=Scope("strands.telemetry.tracer"))
    assert [message.role for message in call.input] == ["user", "assistant", "tool"]
    assert said(call.output) == [("assistant", "Hello")]


def test_bedrock_blocks_written_as_json_are_no_words_of_the_requester():
    result = {"toolUseId": "c1", "content": [{"text": "row 1"}]}
    call = only(llm(("user", json.dumps([{"toolResult": result}]))))
    assert results(call.input) == [("c1", "row 1")]
    assert call.input[0].role == "tool"


def test_node_of_a_graph_is_no_agent():
    assert only(llm(("user", "Hi")) | {"graph.node.id": "llm_7"}).agent is None
    assert only({"openinference.span.kind": "AGENT", "graph.node.id": "desk"}).agent == "desk"


@pytest.mark.parametrize("key", ["tool_call.id", "tool.id", "tool.call_id", "gen_ai.tool.call.id"])
def test_tool_call_id_as_attribute(key):
    assert only({**tool(output_value="x"), key: "c9"}).call_id == "c9"


def test_tool_arguments_leave_their_envelope():
    value = '{"args": [], "sanitize_inputs_outputs": true, "kwargs": {"a": 1}}'
    assert only(tool(input_value=value)).arguments == '{"a":1}'
    schema = '{"properties": {"a": {"type": "string"}}, "type": "object"}'
    assert only(tool(tool_parameters=schema)).arguments is None
    assert only(tool(tool_parameters='{"a": "b"}')).arguments == '{"a":"b"}'


def test_json_that_a_tool_cut_itself_is_not_broken_by_capture():
    assert only(tool(output_value='{"a": [1, 2')).capture.broken == ()
    encoded = tool(output_value='{"a": [1, 2', output_mime_type="application/json")
    assert only(encoded).capture.broken == ("output.value",)


def test_hidden_arguments_do_not_hide_the_result():
    run = only(tool(input_value="__REDACTED__", output_value="row 1"))
    assert (run.arguments, run.result, run.capture.hidden) == (None, "row 1", None)
    assert only(tool(output_value="__REDACTED__")).result is None


def test_handoff_is_no_tool():
    handoff = only(
        {"openinference.span.kind": "TOOL", "input.value": "triage", "output.value": "billing"},
        name="handoff to billing",
    )
    assert isinstance(handoff, AgentInvocation)
    assert (handoff.kind, handoff.agent) == ("handoff", "billing")


def test_agent_span_names_request_and_reply():
    state = {"messages": [{"type": "human", "data": {"content": "Hi"}},
                          {"type": "ai", "data": {"content": "Hello"}}]}  # fmt: skip
    run = only(
        {
            "openinference.span.kind": "AGENT",
            "input.value": '{"messages": [{"role": "user", "content": "Hi"}]}',
            "output.value": json.dumps(state),
            "session.id": "s-1",
        },
        name="desk.run",
    )
    assert (said(run.input), said(run.output)) == ([("user", "Hi")], [("assistant", "Hello")])
    assert (run.agent, run.conversation_id, run.kind) == ("desk", "s-1", "agent")


def test_only_the_outermost_chain_is_a_workflow():
    chain = {"openinference.span.kind": "CHAIN", "input.value": "Hi", "output.value": "Hello"}
    assert only(chain).kind == "workflow"
    assert list(DIALECT.operations(span(chain, parent_id="c" * 16))) == []
    # A graph below a web server's span, and one of its nodes.
    graph = chain | {"metadata": '{"lc_agent_name": "desk"}'}
    assert only(graph, parent_id="c" * 16).agent == "desk"
    node = chain | {"metadata": '{"lc_agent_name": "desk", "langgraph_step": 2}'}
    assert list(DIALECT.operations(span(node, parent_id="c" * 16))) == []


def test_service_comes_from_the_resource():
    resource = Resource({"service.name": "bot", "service.version": "1.4"})
    assert only(llm(("user", "Hi")), resource=resource).service_version == "1.4"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
KEYS = st.sampled_from(
    [
        "openinference.span.kind", "input.value", "output.value", "metadata", "session.id",
        "llm.input_messages.0.message.role", "llm.input_messages.0.message.content",
        "llm.input_messages.0.message.tool_calls.0.tool_call.function.name",
        "llm.input_messages.1.message.contents.0.message_content.text",
        "llm.input_messages.1.message.tool_call_id", "llm.output_messages.0.message.role",
        "llm.tools.0.tool.json_schema", "llm.token_count.prompt", "llm.finish_reason",
        "tool.name", "tool.parameters", "agent.name",
    ]
)  # fmt: skip


@given(
    kind=st.sampled_from(["LLM", "TOOL", "AGENT", "CHAIN"]),
    attributes=st.dictionaries(KEYS, JSON | JSON.map(lambda value: json.dumps(str(value)))),
)
def test_no_value_raises(kind, attributes):
    attributes = {"openinference.span.kind": kind} | attributes
    for operation in DIALECT.operations(span(attributes)):
        assert isinstance(operation, Operation)


@pytest.mark.timeout(20)
def test_ten_thousand_messages_are_read_in_one_pass():
    call = only(llm(*[("user", "x")] * 10_000))
    assert len(call.input) == 10_000
