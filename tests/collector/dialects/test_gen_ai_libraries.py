"""OpenLIT, LiteLLM, Semantic Kernel, Agent Framework: where each differs from the conventions."""

import json

import pytest

from collector.dialect import MessageEvent
from collector.dialects import DIALECTS
from collector.dialects.agent_framework import AgentFramework
from collector.dialects.litellm import LiteLLM
from collector.dialects.openlit import OpenLIT
from collector.dialects.semantic_kernel import SemanticKernel
from collector.span import Event, LogRecord, Scope, Span
from scorers.turn import AgentInvocation, Inference, ToolExecution

TRACE, ID = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
ASKED = json.dumps([{"role": "user", "parts": [{"type": "text", "content": "How many?"}]}])
SAID = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "31."}]}])


def span(scope, attributes, **fields):
    return Span(trace_id=TRACE, span_id=ID, scope=Scope(scope), attributes=attributes, **fields)


def log(scope, name, body, **attributes):
    return LogRecord(
        trace_id=TRACE,
        span_id=ID,
        time_ns=9,
        scope=Scope(scope),
        event_name=name,
        body=body,
        attributes=attributes,
    )


def read(record, dialect):
    claiming = next(one for one in DIALECTS if one.claims(record))
    assert isinstance(claiming, dialect)
    return list(claiming.operations(record))


def test_a_node_of_a_graph_is_no_agent():
    # OpenLIT: invoke_workflow holds an invoke_agent for each node of a LangGraph graph.
    graph, agent = "openlit.instrumentation.langgraph", "openlit.instrumentation.agno"
    node = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "model"}
    assert read(span(graph, node, parent_id="f" * 16), OpenLIT) == []
    assert len(read(span(graph, node), OpenLIT)) == 1
    assert len(read(span(agent, node, parent_id="f" * 16), OpenLIT)) == 1


@pytest.mark.parametrize(
    ("scope", "dialect"),
    [("semantic_kernel.utils", SemanticKernel), ("agent_framework", AgentFramework)],
)
def test_frameworks_messages_and_spans_are_one_dialect(scope, dialect):
    (event,) = read(log(scope, "gen_ai.user.message", '{"content": "How many?"}'), dialect)
    assert isinstance(event, MessageEvent)
    assert (event.message.text, event.dialect) == ("How many?", dialect().name)
    (call,) = read(span(scope, {"gen_ai.operation.name": "chat"}), dialect)
    assert (type(call), call.dialect) == (Inference, dialect().name)
    (tool,) = read(
        span(scope, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "count"}),
        dialect,
    )
    assert (type(tool), tool.tool, tool.capture.hidden) == (ToolExecution, "count", "content_off")


def test_semantic_kernels_index_orders_records_of_one_time():
    record = log("semantic_kernel", "gen_ai.user.message", '{"content": "x"}', CHAT_MESSAGE_INDEX=3)
    (event,) = read(record, SemanticKernel)
    assert event.order == 3


def test_other_lines_of_semantic_kernels_log_say_nothing():
    record = log("semantic_kernel.kernel", "", "Calling billing-count function with args: {}")
    assert not any(one.claims(record) for one in DIALECTS)


def test_dotnets_semantic_kernel_has_span_events():
    content = '{"role": "user", "content": "How many?"}'
    record = span(
        "Microsoft.SemanticKernel.Diagnostics",
        {"gen_ai.operation.name": "chat.completions", "gen_ai.request.model": "m"},
        events=(Event("gen_ai.user.message", 0, {"gen_ai.event.content": content}),),
    )
    (call,) = read(record, SemanticKernel)
    assert call.input[0].text == "How many?"


RAW = {
    "llm.openai.messages": str(
        [
            {"role": "user", "content": "How many?"},
            {"role": "assistant", "tool_calls": [
                {"id": "c1", "function": {"name": "count", "arguments": '{"zone": "B"}'}}]},
            {"role": "tool", "tool_call_id": "c1", "content": "it's 31"},
        ]
    ),
    "llm.openai.model": "m-2026",
    "llm.openai.id": "r1",
    "llm.openai.choices": str(
        [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "31."}}]
    ),
    "llm.openai.usage": "{'prompt_tokens': 9, 'completion_tokens': 2}",
}  # fmt: skip


def test_litellms_raw_request_is_a_call():
    (call,) = read(span("litellm", RAW, name="raw_gen_ai_request"), LiteLLM)
    asked, result = call.input[1].parts[0], call.input[2].parts[0]
    assert (asked.id, asked.name, asked.text) == ("c1", "count", '{"zone": "B"}')
    assert (result.kind, result.id, result.text) == ("tool_result", "c1", "it's 31")
    assert (call.output[0].text, call.finish_reasons) == ("31.", ("stop",))
    assert (call.model, call.response_id, call.provider) == ("m-2026", "r1", "openai")
    assert (call.usage.input_tokens, call.usage.output_tokens) == (9, 2)


def test_litellms_raw_request_to_anthropic():
    raw = {
        "llm.anthropic.system": "[{'type': 'text', 'text': 'Be brief.'}]",
        "llm.anthropic.messages": "[{'role': 'user', 'content': 'How many?'}]",
        "llm.anthropic.content": "[{'type': 'text', 'text': '31.'}]",
        "llm.anthropic.role": "assistant",
        "llm.anthropic.stop_reason": "end_turn",
    }
    (call,) = read(span("litellm", raw), LiteLLM)
    assert [message.text for message in call.input] == ["Be brief.", "How many?"]
    assert call.output[0].text == "31."


CALL = {
    "litellm.call_id": "u1",
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "m",
    "gen_ai.input.messages": ASKED,
}
ASKING = CALL | {
    "gen_ai.output.messages": '[{"role":"assistant","parts":[],"finish_reason":"tool_calls"}]',
    "gen_ai.completion.0.function_call.name": "count",
    "gen_ai.completion.0.function_call.arguments": '{"zone": "B"}',
}


def test_litellms_tool_calls_stand_in_attributes():
    (call,) = read(span("litellm", ASKING), LiteLLM)
    (part,) = call.output[0].parts
    assert (part.kind, part.name, part.text) == ("tool_call", "count", '{"zone": "B"}')


def test_a_call_that_litellm_wrote_on_an_agents_span_is_no_call():
    agents = {"gen_ai.agent.name": "desk"}
    (run,) = read(span("app", ASKING | agents), LiteLLM)
    assert (type(run), run.agent, run.input[0].text) == (AgentInvocation, "desk", "How many?")
    assert run.output is None
    (run,) = read(span("app", ASKING | agents | {"gen_ai.output.messages": SAID}), LiteLLM)
    assert run.output[0].text == "31."


def test_an_agents_run_in_litellms_own_scope():
    (run,) = read(span("litellm", {"gen_ai.operation.name": "invoke_agent"}), LiteLLM)
    assert isinstance(run, AgentInvocation)


def test_a_call_that_litellm_wrote_on_a_servers_span_is_one():
    (call,) = read(span("fastapi", CALL, name="POST /chat"), LiteLLM)
    assert isinstance(call, Inference)


def test_litellms_first_versions_numbered_the_messages():
    (call,) = read(
        span(
            "litellm",
            {
                "gen_ai.request.model": "m",
                "llm.request.type": "completion",
                "gen_ai.operation.name": "chat",
                "gen_ai.prompt.0.role": "user",
                "gen_ai.prompt.0.content": "How many?",
                "gen_ai.completion.0.role": "assistant",
                "gen_ai.completion.0.content": "31.",
                "gen_ai.completion.0.finish_reason": "stop",
            },
        ),
        LiteLLM,
    )
    assert (call.input[0].text, call.output[0].text) == ("How many?", "31.")


def test_litellms_redaction_is_the_instrumentations():
    redacted = [{"role": "user", "parts": [{"type": "text", "content": "redacted-by-litellm"}]}]
    (call,) = read(span("litellm", CALL | {"gen_ai.input.messages": json.dumps(redacted)}), LiteLLM)
    assert call.capture.hidden == "redacted"


def test_litellms_keys_that_python_misspelt():
    names = "SpanAttributes.LLM_PROMPTS", "SpanAttributes.LLM_COMPLETIONS"
    (call,) = read(
        span(
            "litellm",
            {
                "gen_ai.request.model": "m",
                "llm.request.type": "completion",
                f"{names[0]}.0.role": "user",
                f"{names[0]}.0.content": "How many?",
                f"{names[1]}.0.role": "assistant",
                f"{names[1]}.0.content": "31.",
                "gen_ai.usage.prompt_tokens": 9,
            },
            name="litellm_request",
        ),
        LiteLLM,
    )
    assert (call.input[0].text, call.output[0].text, call.usage.input_tokens) == (
        "How many?",
        "31.",
        9,
    )


def older(completion, **more):
    events = (
        Event("gen_ai.content.prompt", 0, {"gen_ai.prompt": "system: Be brief.\nuser: How many?"}),
        Event("gen_ai.content.completion", 0, {"gen_ai.completion": completion}),
    )
    attributes = {"gen_ai.operation.name": "chat", **more}
    (call,) = read(span("openlit.otel.tracing", attributes, events=events), OpenLIT)
    return call


def test_openlits_older_calls_are_lines_of_two_events():
    call = older("31.")
    assert [(message.role, message.text) for message in call.input] == [
        ("system", "Be brief."),
        ("user", "How many?"),
    ]
    assert (call.output[0].text, call.capture.hidden) == ("31.", None)


def test_openlits_placeholder_is_no_reply():
    assert older("Function called with tools").output is None


def test_openlits_tool_calls_stand_in_attributes():
    several = {"gen_ai.tool.name": "count, weigh", "gen_ai.tool.call.id": "c1, c2"}
    call = older("", **several, **{"gen_ai.tool.args": '{"a": 1}, {"b": 2}'})
    parts = call.output[0].parts
    assert [(part.id, part.name, part.text) for part in parts] == [
        ("c1", "count", ""),
        ("c2", "weigh", ""),
    ]
    one = {"gen_ai.tool.name": "count", "gen_ai.tool.args": '{"a": 1}'}
    (part,) = older("", **one).output[0].parts
    assert (part.id, part.name, part.text) == (None, "count", '{"a": 1}')


def test_openlits_content_is_off():
    record = span(
        "openlit.otel.tracing",
        {"gen_ai.operation.name": "chat"},
        events=(Event("gen_ai.content.completion", 0, {"gen_ai.completion": ""}),),
    )
    (call,) = read(record, OpenLIT)
    assert (call.input, call.capture.hidden) == (None, "content_off")


def test_openlits_log_records_repeat_its_spans():
    name = "gen_ai.client.inference.operation.details"
    assert (
        read(log("openlit.instrumentation.openai", name, {"gen_ai.input.messages": ASKED}), OpenLIT)
        == []
    )
