"""Spans of Logfire's own integrations → operations."""

import json

import pytest

from collector.dialects.logfire import Logfire
from collector.span import LogRecord, Scope, Span
from scorers.turn import AgentInvocation, Inference, ToolExecution

DIALECT = Logfire()
AGENTS, OPENAI, ANTHROPIC = "logfire.openai_agents", "logfire.openai", "logfire.anthropic"
SCRUBBED = "[Scrubbed due to 'session']"
INPUT, OUTPUT = "gen_ai.input.messages", "gen_ai.output.messages"


def span(attributes, *, scope=AGENTS, name="Function: {name}", **fields):
    attributes = {"logfire.span_type": "span"} | attributes
    fields = {"trace_id": "a" * 32, "span_id": "b" * 16} | fields
    return Span(attributes=attributes, scope=Scope(scope), name=name, **fields)


def only(attributes, **fields):
    (operation,) = DIALECT.operations(span(attributes, **fields))
    return operation


def parts(messages):
    return [(m.role, p.kind, p.id, p.text) for m in messages for p in m.parts]


@pytest.mark.parametrize(
    ("record", "claimed"),
    [
        (span({}), True),
        (span({}, scope=OPENAI), True),
        (span({"logfire.span_type": "pending_span"}, scope="pydantic-ai"), True),
        (span({"gen_ai.operation.name": "chat"}, scope="pydantic-ai"), False),
        (span({"gen_ai.operation.name": "execute_tool"}, scope="logfire"), False),
        (span({"openinference.span.kind": "LLM"}, scope="openinference.instrumentation"), False),
        (span({"events": "[]"}, scope="opentelemetry.instrumentation.google_genai"), True),
        (span({}, scope="opentelemetry.instrumentation.google_genai"), False),
        (LogRecord(attributes={"logfire.span_type": "span"}), False),
    ],
)
def test_claims(record, claimed):
    assert DIALECT.claims(record) is claimed


@pytest.mark.parametrize("scope", [AGENTS, OPENAI, "pydantic-ai", "langsmith"])
def test_a_pending_span_is_nothing_yet(scope):
    pending = {"logfire.span_type": "pending_span", "raw_input": "Hi", "request_data": "{}"}
    assert not list(DIALECT.operations(span(pending, scope=scope, name="Responses API")))


def test_a_tool():
    tool = only({"name": "f", "input": '{"a": 1}', "output": "rows", "mcp_data": "null"})
    assert isinstance(tool, ToolExecution)
    assert (tool.tool, tool.arguments, tool.result) == ("f", '{"a": 1}', "rows")
    assert (tool.call_id, tool.failed, tool.capture.hidden) == (None, False, None)


def test_a_tool_that_returned_nothing_has_no_hidden_content():
    tool = only({"name": "f", "input": "{}", "output": "null"})
    assert (tool.result, tool.capture.hidden) == (None, None)


def test_sensitive_data_left_out_is_content_off():
    tool = only({"name": "f", "input": "null", "output": "null"})
    assert (tool.arguments, tool.result, tool.capture.hidden) == (None, None, "content_off")
    call = only({"gen_ai.request.model": "m", "response_id": "null"}, name="Responses API with {x}")
    assert (call.input, call.capture.hidden) == (None, "content_off")


def test_a_failed_tool():
    error = '{"message": "Error running tool (non-fatal)", "data": {"error": "boom"}}'
    tool = only({"name": "f", "input": "{}", "output": "null", "error": error})
    assert tool.failed
    assert tool.capture.hidden is None


def test_a_scrubbed_result_is_hidden_whole_or_in_part():
    whole = only({"name": "f", "input": "{}", "output": SCRUBBED})
    assert (whole.result, whole.capture.hidden) == (None, "redacted")
    part = only({"name": "f", "input": "{}", "output": json.dumps({"a": SCRUBBED, "b": "x" * 300})})
    assert part.capture.hidden == "redacted"


def test_scrubbed_arguments_hide_nothing_of_the_result():
    tool = only({"name": "f", "input": json.dumps({"session": SCRUBBED}), "output": "rows"})
    assert (tool.result, tool.capture.hidden) == ("rows", None)


def test_a_scrubbed_group_id_is_no_conversation():
    named = {"name": "billing", "group_id": "conv-1"}
    trace = only(named, name="OpenAI Agents trace: {name}")
    assert (trace.kind, trace.conversation_id) == ("workflow", "conv-1")
    hidden = only(named | {"group_id": SCRUBBED}, name="OpenAI Agents trace: {name}")
    assert hidden.conversation_id is None


def test_agents_and_hand_offs():
    agent = only({"name": "billing"}, name="Agent run: {name!r}")
    assert isinstance(agent, AgentInvocation)
    assert (agent.agent, agent.kind, agent.input) == ("billing", "agent", None)
    handoff = only({"from_agent": "a", "to_agent": "b"}, name="Handoff: {from_agent} → {to_agent}")
    assert (handoff.agent, handoff.kind) == ("b", "handoff")
    for name in (
        "Turn {turn} for agent billing",
        "Task: billing",
        "Guardrail {name!r} {triggered=}",
    ):
        assert not list(DIALECT.operations(span({"name": "x"}, name=name)))


def test_a_responses_call_is_what_its_raw_input_says():
    call = only(
        {
            "raw_input": json.dumps(
                [
                    {"role": "user", "content": "Hi"},
                    {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
                    {"type": "function_call_output", "call_id": "c1", "output": "rows"},
                ]
            ),
            "response": json.dumps(
                {
                    "id": "r1",
                    "instructions": "Be brief.",
                    "tools": [{"name": "f", "type": "function"}],
                    "output": [
                        {
                            "type": "message",
                            "role": "assistant",
                            "content": [{"type": "output_text", "text": "Hello"}],
                        }
                    ],
                    "usage": {"input_tokens": 7, "output_tokens": 3},
                }
            ),
            "gen_ai.response.model": "m",
        },
        name="Responses API with {gen_ai.request.model!r}",
    )
    assert isinstance(call, Inference)
    assert parts(call.input) == [
        ("system", "text", None, "Be brief."),
        ("user", "text", None, "Hi"),
        ("assistant", "tool_call", "c1", "{}"),
        ("tool", "tool_result", "c1", "rows"),
    ]
    assert parts(call.output) == [("assistant", "text", None, "Hello")]
    assert (call.tools, call.usage.input_tokens, call.usage.output_tokens) == (("f",), 7, 3)


def test_a_chat_completion_of_an_agent():
    call = only(
        {
            "input": '[{"role": "user", "content": "Hi"}]',
            "output": '[{"role": "assistant", "content": "Hello"}]',
            "request_data": '{"messages": [{"role": "user", "content": "Hi"}], "model": "m"}',
        },
        name="Chat completion with {gen_ai.request.model!r}",
    )
    assert parts(call.input) == [("user", "text", None, "Hi")]
    assert parts(call.output) == [("assistant", "text", None, "Hello")]


REQUEST = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
STREAM = "streaming response from {request_data[model]!r} took {duration:.2f}s"


def test_a_client_s_call():
    call = only(
        {
            "request_data": json.dumps(REQUEST | {"tools": [{"function": {"name": "f"}}]}),
            "response_data": json.dumps(
                {
                    "message": {"role": "assistant", "content": "Hello"},
                    "usage": {"prompt_tokens": 7, "completion_tokens": 3},
                }
            ),
        },
        scope=OPENAI,
        name="Chat Completion with {request_data[model]!r}",
    )
    assert parts(call.input) == [("user", "text", None, "Hi")]
    assert parts(call.output) == [("assistant", "text", None, "Hello")]
    assert (call.tools, call.usage.input_tokens, call.usage.output_tokens) == (("f",), 7, 3)
    assert call.model == "m"


def test_a_call_that_failed_was_not_answered_by_its_last_message():
    events = [
        {"event.name": "gen_ai.user.message", "content": "Hi", "role": "user"},
        {"event.name": "gen_ai.assistant.message", "content": "Let me", "role": "assistant"},
    ]
    call = only({"events": json.dumps(events)}, scope=OPENAI, name="Responses API", status=2)
    assert [role for role, _, _, _ in parts(call.input)] == ["user", "assistant"]
    assert call.output is None


@pytest.mark.parametrize(
    "attributes",
    [
        {"request_data": json.dumps(REQUEST | {"stream": True})},
        {"request_data": '{"model": "m"}', INPUT: "[]"},
        {"request_data": '{"model": "m", "stream": true}', "events": "[]"},
    ],
)
def test_the_request_of_a_stream_is_told_by_its_answer(attributes):
    name = "Chat Completion with {request_data[model]!r}"
    assert not list(DIALECT.operations(span(attributes, scope=OPENAI, name=name)))
    # Unless it failed, or nothing says that it was a stream.
    assert list(DIALECT.operations(span(attributes, scope=OPENAI, name=name, status=2)))


def test_a_request_that_was_not_streamed_counts_without_an_answer():
    found = only(
        {"request_data": json.dumps(REQUEST)},
        scope=OPENAI,
        name="Chat Completion with {request_data[model]!r}",
    )
    assert (found.input is not None, found.output) == (True, None)


def test_a_streamed_answer_began_before_its_record():
    call = only(
        {
            "logfire.span_type": "log",
            "request_data": json.dumps(REQUEST | {"stream": True}),
            "response_data": '{"combined_chunk_content": "Hello", "chunk_count": 1}',
            "duration": 2.5,
        },
        scope=ANTHROPIC,
        name=STREAM,
        start_ns=10_000_000_000,
        end_ns=10_000_000_000,
    )
    assert call.start_ns == 7_500_000_000
    assert parts(call.output) == [("assistant", "text", None, "Hello")]


def test_a_stream_without_text_is_no_empty_answer():
    call = only(
        {
            "logfire.span_type": "log",
            "request_data": json.dumps(REQUEST),
            "response_data": '{"combined_chunk_content": "", "chunk_count": 0}',
        },
        scope=ANTHROPIC,
        name=STREAM,
    )
    assert call.output is None


def test_anthropic_s_arguments_come_out_of_their_block():
    call = only(
        {
            "request_data": json.dumps(REQUEST | {"system": "Be brief."}),
            "response_data": json.dumps(
                {
                    "message": {
                        "role": "assistant",
                        "tool_calls": [
                            {"function": {"name": "f", "arguments": '{"input":{"a":1}}'}}
                        ],
                    }
                }
            ),
        },
        scope=ANTHROPIC,
        name="Message with {request_data[model]!r}",
    )
    assert parts(call.input) == [
        ("system", "text", None, "Be brief."),
        ("user", "text", None, "Hi"),
    ]
    assert parts(call.output) == [("assistant", "tool_call", None, '{"a":1}')]


def test_events_of_a_responses_call():
    events = [
        {"event.name": "gen_ai.system.message", "content": "Be brief.", "role": "system"},
        {
            "event.name": "gen_ai.unknown",
            "role": "unknown",
            "content": "input_text\n\nSee JSON for details",
            "data": {"type": "input_text", "text": "Hi"},
        },
        {"event.name": "gen_ai.assistant.message", "role": "assistant", "content": "Hello"},
    ]
    call = only(
        {"events": json.dumps(events)},
        scope=OPENAI,
        name="Responses API with {gen_ai.request.model!r}",
    )
    assert parts(call.input) == [
        ("system", "text", None, "Be brief."),
        ("user", "text", None, "Hi"),
    ]
    assert parts(call.output) == [("assistant", "text", None, "Hello")]


def test_a_request_that_was_cut_off_is_broken_and_not_off():
    whole = json.dumps(
        REQUEST | {"messages": [*REQUEST["messages"], {"role": "user", "content": "x" * 90}]}
    )
    call = only(
        {"logfire.span_type": "log", "request_data": whole[: whole.index("xx") + 40]},
        scope=OPENAI,
        name=STREAM,
    )
    assert call.capture.broken == ("request_data",)
    assert call.capture.hidden is None
    assert [part.cut_by_capture for message in call.input for part in message.parts][-1] is True


def test_a_request_to_an_mcp_server_is_a_tool():
    tool = only(
        {
            "request": '{"method": "tools/call", "params": {"name": "f", "arguments": {"a": 1}}}',
            "response": '{"content": [{"type": "text", "text": "rows"}], "isError": false}',
        },
        scope="logfire.mcp",
        name="MCP request: tools/call f",
    )
    assert (tool.tool, tool.arguments, tool.result, tool.failed) == ("f", '{"a":1}', "rows", False)
    assert not list(
        DIALECT.operations(span({}, scope="logfire.mcp", name="MCP request: tools/list"))
    )
    served = span(
        {"request": "{}"}, scope="logfire.mcp", name="MCP server handle request: tools/call"
    )
    assert not list(DIALECT.operations(served))


def test_what_logfire_put_together_is_no_evidence_of_delivery():
    result = {"type": "tool_call_response", "id": "c1", "name": "Bash", "response": "all of it"}
    call = only(
        {
            "gen_ai.operation.name": "chat",
            INPUT: json.dumps(
                [
                    {"role": "user", "parts": [{"type": "text", "content": "Hi"}]},
                    {"role": "tool", "parts": [result]},
                ]
            ),
        },
        scope="logfire.claude_agent_sdk",
        name="chat m",
    )
    told = call.input[1].parts[0]
    assert (told.kind, told.id, told.text, told.cut_by_capture) == ("tool_result", "c1", "", True)
    assert call.capture.hidden == "rebuilt"
    assert parts(call.input)[0] == ("user", "text", None, "Hi")


@pytest.mark.parametrize("value", ["", "{", "[1, null]", '"x"', "null", '{"messages": 3}', 5, None])
@pytest.mark.parametrize(
    "key", ["request_data", "response_data", "raw_input", "response", "events"]
)
def test_nothing_raises(key, value):
    for scope in (AGENTS, OPENAI, ANTHROPIC, "logfire.mcp", "logfire.claude_agent_sdk"):
        for name in (
            "Responses API",
            "Function: {name}",
            "Message with x",
            "MCP request: tools/call",
        ):
            list(DIALECT.operations(span({key: value}, scope=scope, name=name)))
