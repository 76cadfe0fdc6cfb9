"""What every dialect promises, whoever wrote it; a new one is tested by standing in DIALECTS."""

import copy
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from collector.dialect import MessageEvent, shape_of
from collector.dialects import DIALECTS
from collector.span import Event, LogRecord, Resource, Scope, Span
from scorers.turn import AgentInvocation, Inference, ToolExecution

# Keys, names and texts that dialects look for, so that generated records are claimed and read.
KEYS = [
    "gen_ai.operation.name", "gen_ai.input.messages", "gen_ai.output.messages",
    "gen_ai.system_instructions", "gen_ai.tool.name", "gen_ai.tool.call.id",
    "gen_ai.tool.call.arguments", "gen_ai.tool.call.result", "gen_ai.request.model",
    "gen_ai.response.finish_reasons", "gen_ai.usage.input_tokens", "gen_ai.system",
    "gen_ai.prompt", "gen_ai.completion", "gen_ai.prompt.0.role", "gen_ai.prompt.0.content",
    "gen_ai.event.content", "gen_ai.tool.definitions", "gen_ai.agent.name",
    "gen_ai.conversation.id", "events", "all_messages_events",
    "gen_ai.prompt.1.tool_calls.0.name", "gen_ai.completion.0.content", "traceloop.span.kind",
    "traceloop.entity.input", "traceloop.entity.output", "openinference.span.kind",
    "input.value", "output.value", "llm.input_messages.0.message.role",
    "llm.input_messages.0.message.content", "llm.model_name",
    "llm.input_messages.0.message.tool_calls.0.tool_call.function.name", "tool.name",
    "tool.parameters", "ai.operationId", "ai.prompt", "ai.prompt.messages", "ai.response.text",
    "ai.response.toolCalls", "ai.toolCall.name", "ai.toolCall.args", "ai.toolCall.result",
    "ai.usage.promptTokens", "final_result", "pydantic_ai.all_messages", "tool_arguments",
    "tool_response", "model_request_parameters", "agent_name", "content", "message", "role",
    "id", "index", "finish_reason", "event.name", "CHAT_MESSAGE_INDEX", "session.id",
    "langfuse.observation.type", "langfuse.observation.input", "langfuse.observation.output",
    "langfuse.observation.usage_details", "langfuse.observation.metadata",
    "langsmith.span.kind", "langsmith.metadata.usage_metadata", "mlflow.spanType",
    "mlflow.spanInputs", "mlflow.spanOutputs", "mlflow.chat.tokenUsage", "mlflow.chunk.value",
    "metadata",
    "logfire.span_type", "raw_input", "response", "request_data", "response_data", "input",
    "output", "name", "duration", "group_id", "request", "haystack.component.type",
    "haystack.component.input", "haystack.component.output", "haystack.component.output_spec",
    "haystack.pipeline.input_data", "haystack.agent.input", "haystack.agent.output",
    "haystack.agent.step.llm.input", "haystack.agent.step.tool.output", "haystack.tool.name",
]  # fmt: skip
WORDS = [
    "chat", "execute_tool", "invoke_agent", "invoke_workflow", "embeddings", "LLM", "TOOL",
    "AGENT", "CHAIN", "workflow", "tool", "ai.generateText", "ai.generateText.doGenerate",
    "ai.toolCall", "user", "assistant", "system", "unknown", "text", "gen_ai.choice",
    "gen_ai.tool.message", "tool_call_response", "toolResult", "generation", "span", "agent", "llm",
    "chain", '"TOOL"', '"CHAT_MODEL"', '"CHAIN"', "[REDACTED]", "ToolInvoker", "Agent",
    "OpenAIChatGenerator", "log", "pending_span",
]  # fmt: skip
NAMES = [
    *WORDS, "agent run", "running tool", "gen_ai.user.message", "gen_ai.content.prompt",
    "gen_ai.client.inference.operation.details", "Function: {name}", "Agent run: {name!r}",
    "Chat Completion with {request_data[model]!r}", "Responses API", "OpenAI Agents trace: {name}",
    "haystack.component.run", "haystack.pipeline.run", "haystack.agent.step.llm",
    "haystack.agent.step.tool", "haystack.agent.run", "MCP request: tools/call",
]  # fmt: skip
SCOPES = [
    "", "ai", "pydantic-ai", "strands.telemetry.tracer", "gcp.vertex.agent", "langfuse-sdk",
    "logfire.openai_agents", "logfire.openai", "logfire.anthropic", "logfire.mcp",
    "logfire.claude_agent_sdk", "haystack", "langsmith", "mlflow.tracing.provider",
]  # fmt: skip
BROKEN = [
    "{", "[", '[{"role":"user","parts":[{"type":"te', '"\\ud83d"', '{"a": NaN}', "[" * 1000,
    '"' * 100, "content='x' tool_call_id=", "content='", "[INFO] started", "{'a': {'b': 1}}", "",
    '[{"role":1,"content":{"parts":[null,1,{"functionCall":3}]}}]', '{"lc":1,"kwargs":null}',
    "{'messages': [ChatMessage(_role=<ChatRole.USER: 'user'>, _content=[TextContent(text='x')])",
    '{"tool_messages": [{"role": "tool", "content": [{"tool_call_result": {"result": [1]}}]}]}',
    '{"replies": [1, {"content": [{"tool_call": 3}], "meta": 5}], "meta": "x"}',
    '[[[{"role":"user"}]]]', '{"messages":{"messages":[1]}}', '[null,[],{},"",0]',
]  # fmt: skip
keys = st.sampled_from(
    [*KEYS, "parts", "type", "tool_calls", "toolUse", "function", "lc", "kwargs"]
)
leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(min_value=-(2**63), max_value=2**64),
    st.floats(),
    st.binary(max_size=8),
    st.text(max_size=8),
    st.sampled_from(WORDS),
    st.sampled_from(BROKEN),
)
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(keys | st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=4,
)
attributes = st.dictionaries(keys | st.text(max_size=5), values, max_size=8)
names = st.sampled_from(NAMES)
scopes = st.builds(Scope, name=st.sampled_from(SCOPES))
spans = st.builds(
    Span,
    trace_id=st.just("0af7651916cd43dd8448eb211c80319c"),
    span_id=st.just("b7ad6b7169203331"),
    name=names,
    attributes=attributes,
    events=st.lists(st.builds(Event, name=names, attributes=attributes), max_size=3).map(tuple),
    status=st.integers(0, 2),
    dropped=st.integers(0, 5),
    resource=st.builds(Resource, attributes=attributes),
    scope=scopes,
)
logs = st.builds(
    LogRecord,
    trace_id=st.sampled_from(["", "0af7651916cd43dd8448eb211c80319c"]),
    span_id=st.sampled_from(["", "b7ad6b7169203331"]),
    event_name=names,
    body=values,
    attributes=attributes,
    scope=scopes,
)
each_dialect = pytest.mark.parametrize("dialect", DIALECTS, ids=lambda one: one.name)


def test_names_are_unique_and_usable_as_labels():
    found = [dialect.name for dialect in DIALECTS]
    assert len(found) == len(set(found))
    assert all(re.fullmatch(r"[a-z][a-z0-9_]*", name) for name in found)


@each_dialect
@given(record=spans | logs)
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_whatever_a_record_holds_its_operations_are_sound(dialect, record):
    before = copy.deepcopy(record)
    claimed = dialect.claims(record)
    assert dialect.fits(shape_of(record)) or not claimed
    assert isinstance(claimed, bool)
    # Also what a dialect does not claim must not make it raise.
    first, again = list(dialect.operations(record)), list(dialect.operations(record))
    assert repr(first) == repr(again), "an operation depends on what was read before"
    assert repr(record) == repr(before), "a record was changed"
    for operation in first:
        check(operation, dialect)


def check(operation, dialect):
    assert isinstance(operation, Inference | ToolExecution | AgentInvocation | MessageEvent)
    assert operation.trace_id
    assert operation.span_id
    assert operation.dialect == dialect.name
    for name in (operation.agent, operation.agent_version, operation.conversation_id):
        assert name is None or (isinstance(name, str) and name)
    assert operation.error is None or isinstance(operation.error, str)
    assert all(isinstance(length, int) and length >= 0 for length in operation.capture.lengths)
    if isinstance(operation, ToolExecution):
        assert isinstance(operation.tool, str)
        for text in (operation.call_id, operation.arguments, operation.result):
            assert text is None or isinstance(text, str)
    elif isinstance(operation, MessageEvent):
        assert isinstance(operation.order, int)
        check_messages([operation.message])
    else:
        check_messages(operation.input or ())
        check_messages(operation.output or ())
    if isinstance(operation, Inference):
        counts = (operation.usage.input_tokens, operation.usage.output_tokens)
        assert all(count is None or count >= 0 for count in counts)
        assert all(isinstance(reason, str) for reason in operation.finish_reasons)


def check_messages(messages):
    for message in messages:
        assert isinstance(message.role, str)
        assert message.role
        for part in message.parts:
            assert isinstance(part.text, str)
            assert part.id is None or isinstance(part.id, str)
            assert part.name is None or isinstance(part.name, str)
            # The words of the requester never stand in one message with what a tool produced.
            if part.kind == "tool_result":
                assert message.role == "tool"
