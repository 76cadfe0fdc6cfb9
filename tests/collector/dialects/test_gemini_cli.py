import json

import pytest

from collector.dialect import Opening, Piece
from collector.dialects.gemini_cli import GeminiCLI
from collector.span import LogRecord, Resource, Scope, Span
from scorers.turn import ToolExecution

SCOPE = Scope("gemini-cli", "v1")
NODE = Resource({"service.name": "gemini-cli", "service.version": "v20.20.2"})
CALLING = {"functionCall": {"name": "shell", "args": {"command": "count"}, "id": "shell__g-1"}}
ANSWERED = {"functionResponse": {"name": "shell", "response": {"output": "17 open"}, "id": "g-1"}}
CONTENTS = [
    {"role": "user", "parts": [{"text": "<session_context>\nToday\n</session_context>"},
                               {"text": "How many?"}]},
    {"role": "model", "parts": [CALLING]},
    {"role": "user", "parts": [ANSWERED]},
]  # fmt: skip


def log(event, time_ns=9, span="", **attributes):
    return LogRecord(
        trace_id="f" * 32 if span else "",
        span_id=span,
        time_ns=time_ns,
        event_name=event,
        attributes={"session.id": "s-1", "prompt_id": "p-1", **attributes},
        resource=NODE,
        scope=SCOPE,
    )


def read(record):
    assert GeminiCLI().claims(record)
    return list(GeminiCLI().operations(record))


def one(event, **attributes):
    (operation,) = read(log(f"gemini_cli.{event}", **attributes))
    return operation


def span(name, **attributes):
    given = {"gen_ai.operation.name": name, "gen_ai.conversation.id": "s-1"}
    given |= {key.replace("__", "."): value for key, value in attributes.items()}
    return Span(trace_id="1" * 32, span_id="2" * 16, name=name, attributes=given, scope=SCOPE,
                resource=NODE)  # fmt: skip


def test_spans_and_logs_stand_in_their_session():
    prompt = one("user_prompt", prompt="How many?")
    (call,) = read(span("llm_call"))
    assert isinstance(prompt, Opening)
    assert prompt.trace_id == call.trace_id != "1" * 32
    assert call.span_id == "2" * 16
    assert prompt.conversation_id == call.conversation_id == "s-1"


def test_the_version_of_node_is_not_the_agents():
    assert one("user_prompt", prompt="How many?").service_version is None


def test_a_request_is_what_the_model_was_sent():
    piece = one("api_request", request_text=json.dumps(CONTENTS), span="2" * 16, role="main")
    assert isinstance(piece, Piece)
    assert piece.marks == (f"span={'2' * 16}",)
    assert [message.role for message in piece.input] == ["user", "assistant", "tool"]
    [asked] = piece.input[1].parts
    [result] = piece.input[2].parts
    assert (asked.id, result.id, result.text) == ("g-1", "g-1", "17 open")


def test_an_answer_comes_in_chunks():
    chunks = [
        {"candidates": [{"content": {"role": "model", "parts": [{"text": "17 tickets "}]}}]},
        {"candidates": [{"content": {"role": "model", "parts": [{"text": "are open."}]}}]},
        {"usageMetadata": {"promptTokenCount": 5}},
    ]
    piece = one("api_response", response_text=json.dumps(chunks), input_token_count=168,
                output_token_count=40, finish_reasons=["stop"])  # fmt: skip
    assert piece.output[0].text == "17 tickets are open."
    assert (piece.usage.input_tokens, piece.usage.output_tokens) == (168, 40)
    assert piece.finish_reasons == ("stop",)


@pytest.mark.parametrize("event", ["user_prompt", "api_request", "api_response"])
def test_content_that_is_off_is_said_to_be(event):
    assert one(event).capture.hidden == "content_off"


def test_what_a_helper_of_the_cli_asks_is_an_aside():
    assert one("api_request", role="utility_router").utility
    assert not one("api_request", role="main").utility
    assert not one("api_request").utility


def test_the_same_call_under_the_conventions_name_is_left_out():
    details = log("gen_ai.client.inference.operation.details", **{
        "gen_ai.operation.name": "generate_content",
        "gen_ai.input.messages": json.dumps(CONTENTS),
    })  # fmt: skip
    assert read(details) == []
    assert read(span("schedule_tool_calls")) == []


def ended(text):
    response = {"functionResponse": {"id": "shell__g-1", "name": "shell",
                                     "response": {"output": text}}}  # fmt: skip
    return {"status": "success", "response": {"callId": "shell__g-1", "responseParts": [response]}}


def test_a_tools_span_holds_arguments_and_result():
    asked = {"callId": "shell__g-1", "name": "shell", "args": {"command": "count"}}
    (tool,) = read(span("tool_call", gen_ai__tool__name="shell", gen_ai__tool__call_id="shell__g-1",
                        gen_ai__input__messages=json.dumps(asked),
                        gen_ai__output__messages=json.dumps(ended("17 open"))))  # fmt: skip
    assert (tool.tool, tool.call_id) == ("shell", "g-1")
    assert (tool.arguments, tool.result) == ('{"command":"count"}', "17 open")
    assert not tool.failed


def test_a_result_cut_by_the_exporter_is_a_preview():
    cut = json.dumps(ended("17 open " * 50))[:200] + "...[TRUNCATED: original length 267001]"
    (tool,) = read(span("tool_call", gen_ai__tool__name="shell", gen_ai__output__messages=cut))
    assert tool.result is None
    assert tool.capture.hidden == "telemetry_preview"


def test_a_logged_tool_has_the_spans_arguments():
    given = '{\n  "command": "count"\n}'
    tool = one("tool_call", function_name="shell", function_args=given, content_length=121)
    assert isinstance(tool, ToolExecution)
    assert tool.arguments == '{"command":"count"}'
    assert (tool.delivered_size, tool.size_unit) == (121, None)


def test_the_harnesss_own_cut_is_told_within_the_tools_span():
    tool = one("tool_output_truncated", tool_name="shell", original_content_length=92283,
               truncated_content_length=40261, span="2" * 16)  # fmt: skip
    assert tool.span_id == "2" * 16
    assert (tool.produced_size, tool.delivered_size) == (92283, 40261)


def test_a_record_without_a_session_is_of_no_turn():
    record = LogRecord(event_name="gemini_cli.user_prompt", scope=SCOPE)
    assert read(record) == []
