"""Strands and Pydantic AI: what they add to, and where they differ from, the GenAI conventions."""

import json

import pytest

from collector.dialects.pydantic_ai import PydanticAI
from collector.dialects.strands import Strands
from collector.span import Event, Scope, Span
from scorers.turn import AgentInvocation, Inference

TRACE, ID = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


def span(scope, attributes, events=(), name=""):
    return Span(
        trace_id=TRACE,
        span_id=ID,
        name=name,
        scope=Scope(scope),
        attributes=attributes,
        events=tuple(Event(event, 0, fields) for event, fields in events),
    )


def strands(operation, events=(), **attributes):
    record = span(
        "strands.telemetry.tracer", {"gen_ai.operation.name": operation, **attributes}, events
    )
    assert Strands().claims(record)
    return list(Strands().operations(record))


def pydantic(attributes, name="chat m"):
    record = span("pydantic-ai", attributes, name=name)
    assert PydanticAI().claims(record)
    return list(PydanticAI().operations(record))


def test_strands_tool_events_are_arguments_and_result():
    (tool,) = strands(
        "execute_tool",
        [
            ("gen_ai.tool.message", {"role": "tool", "content": '{"zone": "B"}', "id": "t1"}),
            ("gen_ai.choice", {"message": '[{"text": "one"}, {"text": "two"}]', "id": "t1"}),
        ],
        **{
            "gen_ai.tool.name": "weigh",
            "gen_ai.tool.call.id": "t1",
            "gen_ai.tool.status": "success",
        },
    )
    assert (tool.tool, tool.call_id, tool.arguments) == ("weigh", "t1", '{"zone": "B"}')
    assert (tool.result, tool.failed) == ("one\ntwo", False)


def test_strands_says_by_its_status_that_a_tool_failed():
    (tool,) = strands(
        "execute_tool", **{"gen_ai.tool.name": "weigh", "gen_ai.tool.status": "error"}
    )
    assert tool.failed


def test_strands_puts_all_parallel_results_into_one_event():
    results = [
        {"toolResult": {"toolUseId": key, "content": [{"text": text}]}}
        for key, text in (("t1", "31"), ("t2", "7"))
    ]
    (call,) = strands("chat", [("gen_ai.tool.message", {"content": json.dumps(results)})])
    assert [(part.id, part.text) for part in call.input[0].parts] == [("t1", "31"), ("t2", "7")]
    assert call.input[0].role == "tool"


def test_strands_results_cut_by_the_sdk_are_flagged():
    raw = json.dumps([{"toolResult": {"toolUseId": "t1", "content": [{"text": "31 pallets"}]}}])
    (call,) = strands("chat", [("gen_ai.tool.message", {"content": raw[:-12]})])
    (part,) = call.input[0].parts
    assert (part.kind, part.id, part.cut_by_capture) == ("tool_result", "t1", True)
    assert "31 pallets".startswith(part.text)
    assert call.capture.broken


def test_strands_cycles_are_nothing_and_swarms_are_workflows():
    assert strands("execute_event_loop_cycle", [("gen_ai.user.message", {"content": "[]"})]) == []
    (run,) = strands("invoke_swarm")
    assert (type(run), run.kind) == (AgentInvocation, "workflow")


def test_a_user_who_writes_json_to_strands_wrote_that_text():
    (call,) = strands(
        "chat", [("gen_ai.user.message", {"content": '[{"text": "{\\"a\\": [1]}"}]'})]
    )
    assert call.input[0].text == '{"a": [1]}'


@pytest.mark.parametrize("place", ["event", "attributes"])
def test_strands_in_the_current_form(place):
    content = {
        "gen_ai.input.messages": json.dumps(
            [
                {
                    "role": "tool",
                    "parts": [
                        {"type": "tool_call", "id": "t1", "arguments": {"a": 1}, "name": "f"}
                    ],
                }
            ]
        ),
        "gen_ai.output.messages": json.dumps(
            [
                {
                    "role": "tool",
                    "parts": [
                        {"type": "tool_call_response", "id": "t1", "response": [{"text": "31"}]}
                    ],
                }
            ]
        ),
    }
    name = "gen_ai.client.inference.operation.details"
    events = [(name, content)] if place == "event" else []
    more = content if place == "attributes" else {}
    (tool,) = strands("execute_tool", events, **{"gen_ai.tool.name": "f", **more})
    assert (tool.arguments, tool.result) == ('{"a":1}', "31")


EVENTS = [
    {"event.name": "gen_ai.system.message", "role": "system", "content": "Be brief."},
    {"event.name": "gen_ai.user.message", "role": "user", "content": "How many?"},
    {"event.name": "gen_ai.choice", "index": 0, "message": {"role": "assistant", "content": "31."}},
]


def test_pydantic_version_1_has_a_list_of_events():
    (call,) = pydantic(
        {
            "gen_ai.operation.name": "chat",
            "events": json.dumps(EVENTS),
            "model_request_parameters": '{"function_tools": [{"name": "count"}]}',
        }
    )
    assert isinstance(call, Inference)
    assert [message.text for message in call.input] == ["Be brief.", "How many?"]
    assert (call.output[0].text, call.tools) == ("31.", ("count",))


def test_pydantic_without_content_is_off():
    events = [{"event.name": "gen_ai.user.message", "role": "user"}]
    (call,) = pydantic({"gen_ai.operation.name": "chat", "events": json.dumps(events)})
    assert call.capture.hidden == "content_off"
    assert call.input[0].parts == ()


def test_pydantic_tools_before_version_3():
    (tool,) = pydantic(
        {"gen_ai.tool.name": "count", "tool_arguments": '{"q": 1}', "tool_response": "31"},
        name="running tool",
    )
    assert (tool.tool, tool.arguments, tool.result) == ("count", '{"q": 1}', "31")
    assert pydantic({"tools": ["count"]}, name="running tools") == []


@pytest.mark.parametrize(
    "content",
    [
        {
            "all_messages_events": json.dumps(
                [*EVENTS[:2], {**EVENTS[2]["message"], "event.name": "gen_ai.assistant.message"}]
            )
        },
        {
            "pydantic_ai.all_messages": json.dumps(
                [
                    {"role": "system", "parts": [{"type": "text", "content": "Be brief."}]},
                    {"role": "user", "parts": [{"type": "text", "content": "How many?"}]},
                    {"role": "assistant", "parts": [{"type": "text", "content": "31."}]},
                ]
            )
        },
    ],
)
def test_pydantic_agent_runs_name_request_and_reply(content):
    for final in ({}, {"final_result": "31."}):
        (run,) = pydantic({**content, "agent_name": "desk", **final}, name="agent run")
        assert isinstance(run, AgentInvocation)
        assert (run.agent, run.input[-1].text, run.output[0].text) == ("desk", "How many?", "31.")


def test_a_scrubbed_result_is_not_the_reply():
    (run,) = pydantic({"final_result": "[Scrubbed due to 'session']"}, name="agent run")
    assert run.output is None


def test_copies_that_logfire_sends_of_started_spans_are_skipped():
    pending = {"gen_ai.operation.name": "chat", "logfire.span_type": "pending_span"}
    assert pydantic(pending) == []
