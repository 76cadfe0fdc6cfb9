import json

import pytest

from collector.dialects.gen_ai_events import GenAIEvents
from collector.span import Event, LogRecord, Span
from scorers.turn import AgentInvocation, Inference

TRACE, ID = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


def log(name, body, **attributes):
    return LogRecord(
        trace_id=TRACE, span_id=ID, time_ns=9, event_name=name, body=body, attributes=attributes
    )


def read(record):
    assert GenAIEvents().claims(record)
    return list(GenAIEvents().operations(record))


def one(name, body, **attributes):
    (event,) = read(log(name, body, **attributes))
    return event


CALL = {"id": "c1", "type": "function", "function": {"name": "count", "arguments": '{"q": 1}'}}


@pytest.mark.parametrize(
    ("name", "body", "role", "kind", "text"),
    [
        ("gen_ai.system.message", {"content": "Be brief."}, "system", "text", "Be brief."),
        ("gen_ai.user.message", {"content": "How many?"}, "user", "text", "How many?"),
        (
            "gen_ai.user.message",
            {"role": "developer", "content": "Be brief."},
            "system",
            "text",
            "Be brief.",
        ),
        ("gen_ai.assistant.message", {"tool_calls": [CALL]}, "assistant", "tool_call", '{"q": 1}'),
        ("gen_ai.tool.message", {"id": "c1", "content": "31"}, "tool", "tool_result", "31"),
        (
            "gen_ai.tool.message",
            {"id": "c1", "role": "user", "content": "31"},
            "tool",
            "tool_result",
            "31",
        ),
        ("gen_ai.user.message", '{"content": "How many?"}', "user", "text", "How many?"),
        ("gen_ai.user.message", "How many?", "user", "text", "How many?"),
    ],
)
def test_a_record_is_one_message_of_the_call_its_span_id_names(name, body, role, kind, text):
    event = one(name, body)
    assert (event.trace_id, event.span_id, event.side, event.order) == (TRACE, ID, "input", 9)
    assert event.message.role == role
    assert [(part.kind, part.text) for part in event.message.parts] == [(kind, text)]
    assert event.capture.hidden is None


def test_ids_join_calls_and_results():
    call = one("gen_ai.assistant.message", {"tool_calls": [CALL]}).message.parts[0]
    result = one("gen_ai.tool.message", {"id": "c1", "content": "31"}).message.parts[0]
    assert call.id == result.id == "c1"


@pytest.mark.parametrize(
    "body",
    [
        {"index": 1, "finish_reason": "stop", "message": {"role": "assistant", "content": "31."}},
        # Google's instrumentation; Semantic Kernel writes the body as a JSON text.
        {
            "index": 1,
            "finish_reason": "stop",
            "content": {"role": "model", "parts": [{"text": "31."}]},
        },
        json.dumps({"index": 1, "finish_reason": "stop", "message": {"content": "31."}}),
    ],
)
def test_a_choice_is_what_came_out(body):
    event = one("gen_ai.choice", body)
    assert (event.side, event.choice) == ("output", 1)
    assert (event.message.role, event.message.text) == ("assistant", "31.")
    assert event.message.finish_reason == "stop"


def test_a_piece_of_a_streamed_choice_has_no_finish_reason():
    piece = {
        "index": 0,
        "finish_reason": "",
        "content": {"role": "model", "parts": [{"text": "31 "}]},
    }
    event = one("gen_ai.choice", piece)
    assert (event.message.text, event.message.finish_reason) == ("31 ", None)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("gen_ai.user.message", None),
        ("gen_ai.user.message", {}),
        ("gen_ai.tool.message", {"id": "c1"}),
        ("gen_ai.choice", {"index": 0, "finish_reason": "stop", "message": {"role": "assistant"}}),
        # Google ADK, schema 1.
        ("gen_ai.user.message", {"content": "<elided>"}),
    ],
)
def test_with_content_off_a_message_is_there_and_empty(name, body):
    event = one(name, body)
    assert event.message.parts == ()
    assert event.capture.hidden == "content_off"


def test_with_content_off_tool_calls_keep_name_and_id():
    body = {"tool_calls": [{"id": "c1", "type": "function", "function": {"name": "count"}}]}
    event = one("gen_ai.assistant.message", body)
    assert [(part.id, part.name) for part in event.message.parts] == [("c1", "count")]
    assert event.capture.hidden == "content_off"


def test_an_empty_reply_is_not_one_that_was_left_out():
    event = one("gen_ai.choice", {"message": {"role": "assistant", "content": ""}})
    assert event.capture.hidden is None


def test_records_of_no_span_belong_to_no_call():
    assert read(LogRecord(event_name="gen_ai.user.message", body={"content": "x"})) == []


def span(events, **attributes):
    return Span(
        trace_id=TRACE,
        span_id=ID,
        attributes=attributes,
        events=tuple(Event(name, 0, fields) for name, fields in events),
    )


def test_a_span_with_message_events_is_a_whole_call():
    (call,) = read(
        span(
            [
                ("gen_ai.user.message", {"content": "How many?"}),
                ("gen_ai.assistant.message", {"tool_calls": json.dumps([CALL])}),
                ("gen_ai.tool.message", {"id": "c1", "content": '{"n": 31}'}),
                # Azure AI Inference: one JSON text.
                ("gen_ai.choice", {"gen_ai.event.content": '{"message": {"content": "31."}}'}),
            ],
            **{"gen_ai.operation.name": "chat", "gen_ai.system": "az.ai.inference"},
        )
    )
    assert isinstance(call, Inference)
    assert [message.role for message in call.input] == ["user", "assistant", "tool"]
    assert call.input[2].parts[0].text == '{"n": 31}'
    assert call.output[0].text == "31."
    assert call.provider == "az.ai.inference"


def test_the_oldest_form_holds_the_whole_list_in_one_event():
    (call,) = read(
        span(
            [
                (
                    "gen_ai.content.prompt",
                    {"gen_ai.prompt": '[{"role": "user", "content": "How?"}]'},
                ),
                ("gen_ai.content.completion", {"gen_ai.completion": "So."}),
            ]
        )
    )
    assert (call.input[0].text, call.output[0].text) == ("How?", "So.")
    assert call.output[0].role == "assistant"


def test_an_agents_events_are_no_model_call():
    events = [("gen_ai.user.message", {"content": "How many?"})]
    (run,) = read(span(events, **{"gen_ai.operation.name": "invoke_agent"}))
    assert isinstance(run, AgentInvocation)
    assert run.input[0].text == "How many?"


def test_spans_with_current_attributes_are_left_to_the_current_form():
    record = span([("gen_ai.user.message", {})], **{"gen_ai.input.messages": "[]"})
    assert not GenAIEvents().claims(record)
