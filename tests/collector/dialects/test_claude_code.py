import json

import pytest

from collector.dialect import Opening, Piece
from collector.dialects.claude_code import ClaudeCode
from collector.span import Event, LogRecord, Resource, Scope, Span
from collector.spelling.placed import span_of, trace_of
from scorers.turn import ToolExecution

LOGS = Scope("com.anthropic.claude_code.events")
SPANS = Scope("com.anthropic.claude_code.tracing")
SERVICE = Resource({"service.name": "claude-code", "service.version": "2.1.332"})
CUT = "\n\n[TRUNCATED - Content exceeds 60KB limit]"


def log(event, time_ns=9, trace="", span="", **attributes):
    named = {"event.name": event, "session.id": "s-1", "prompt.id": "p-1"}
    given = {key.replace("__", "."): value for key, value in attributes.items()}
    return LogRecord(
        trace_id=trace,
        span_id=span,
        time_ns=time_ns,
        event_name=event,
        body=f"claude_code.{event}",
        attributes={key: value for key, value in (named | given).items() if value is not None},
        resource=SERVICE,
        scope=LOGS,
    )


def read(record):
    assert ClaudeCode().claims(record)
    return list(ClaudeCode().operations(record))


def one(*args, **attributes):
    (operation,) = read(log(*args, **attributes))
    return operation


def span(name, events=(), **attributes):
    given = {"session.id": "s-1", "span.type": name, **attributes}
    return Span(
        trace_id="0" * 31 + "1",
        span_id="0" * 15 + "2",
        name=f"claude_code.{name}",
        attributes=given,
        events=events,
        resource=SERVICE,
        scope=SPANS,
    )


def test_records_of_one_session_stand_together_with_and_without_a_trace():
    prompt = one("user_prompt", prompt="How many?")
    assert isinstance(prompt, Opening)
    assert prompt.trace_id == trace_of("s-1")
    assert prompt.span_id == span_of("s-1", "p-1")
    assert prompt.conversation_id == "s-1"
    assert one("api_request").parent_id == prompt.span_id
    traced = one("api_request", trace="f" * 32, span="e" * 16)
    assert (traced.trace_id, traced.parent_id) == (trace_of("s-1"), "e" * 16)
    (request,) = read(span("llm_request"))
    assert request.trace_id == trace_of("s-1")


def test_a_record_without_a_session_is_of_no_turn():
    assert read(log("user_prompt", prompt="How many?", session__id=None)) == []


@pytest.mark.parametrize(
    ("given", "hidden"),
    [({"prompt": "<REDACTED>"}, "redacted"), ({}, "content_off"), ({"prompt": ""}, "content_off")],
)
def test_a_prompt_that_was_left_out_is_said_to_be(given, hidden):
    prompt = one("user_prompt", **given)
    assert prompt.input is None
    assert prompt.capture.hidden == hidden


BODY = {
    "model": "lab-model-1",
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "How many?"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "Bash",
                                           "input": {"command": "count"}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1",
                                      "content": "17 open " * 40}]},
    ],
    "system": [{"type": "text", "text": "You are a coding agent."}],
    "tools": [{"name": "Bash", "input_schema": {"type": "object"}}, {"name": "Read"}],
}  # fmt: skip


def test_a_whole_body_is_what_the_model_was_sent():
    piece = one("api_request_body", body=json.dumps(BODY), request_body_id="b-1")
    assert isinstance(piece, Piece)
    assert [message.role for message in piece.input] == ["system", "user", "assistant", "tool"]
    assert piece.tools == ("Bash", "Read")
    assert piece.marks == ("body=b-1",)
    assert piece.capture.broken == ()
    assert piece.capture.hidden is None


def test_a_body_cut_behind_its_messages_shows_all_of_them():
    body = json.dumps(BODY)
    end = body.index('"input_schema"')
    piece = one("api_request_body", body=body[:end] + CUT, body_truncated="true")
    assert [message.role for message in piece.input] == ["system", "user", "assistant", "tool"]
    assert piece.input[-1].parts[0].text == "17 open " * 40
    assert not piece.input[-1].parts[0].cut_by_capture
    assert piece.capture.broken == ()
    assert piece.tools is None  # the list of them is not whole


def test_a_body_cut_within_its_messages_says_that_the_newest_are_not_seen():
    body = json.dumps(BODY)
    end = body.index("17 open") + 40
    piece = one("api_request_body", body=body[:end] + CUT, body_truncated="true")
    assert piece.capture.broken == ("body",)
    result = [p for m in piece.input for p in m.of_kind("tool_result")]
    assert all(part.cut_by_capture for part in result)
    assert not any("TRUNCATED" in part.text for m in piece.input for part in m.parts)


@pytest.mark.parametrize(
    "body", ["", "{", "[1]", "{}", '{"messages": 7}', CUT, "nonsense", None, 7]
)
def test_a_body_that_is_none_gives_no_messages(body):
    assert one("api_request_body", body=body).input is None


def test_a_body_in_a_file_is_uploaded_content():
    assert one("api_request_body", body_ref="/var/bodies/1.json").capture.hidden == "uploaded"


def test_an_answers_body_gives_text_calls_and_why_it_ended():
    content = [
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "count"}},
    ]
    body = {"id": "msg_1", "role": "assistant", "content": content, "stop_reason": "tool_use"}
    piece = one("api_response_body", body=json.dumps(body), request_id="r-1", request_body_id="b-1")
    assert piece.marks == ("request=r-1", "body=b-1")
    assert piece.response_id == "msg_1"
    assert piece.finish_reasons == ("tool_use",)
    assert [part.kind for part in piece.output[0].parts] == ["text", "tool_call"]


def test_counts_hold_what_came_from_the_cache():
    piece = one("api_request", input_tokens=3, output_tokens=40, cache_read_tokens=5758,
                cache_creation_tokens=6174)  # fmt: skip
    assert (piece.usage.input_tokens, piece.usage.output_tokens) == (11935, 40)


def test_sub_agents_and_titles_are_asides():
    assert not one("api_request", query_source="sdk").utility
    assert not one("api_request", query_source="repl_main_thread:outputStyle:x").utility
    assert one("api_request", query_source="agent:builtin:general-purpose").utility
    assert one("api_request", query_source="generate_session_title").utility
    assert one("api_request", agent_id="a-1").utility


def test_a_failed_request_tells_its_error():
    assert one("api_error", error="Overloaded").error == "Overloaded"


def test_a_logged_tool_tells_what_was_delivered_of_it():
    tool = one("tool_result", time_ns=5_000_000_000, tool_name="Bash", tool_use_id="t1",
               success="true", duration_ms="2000", tool_input='{"command": "count"}',
               tool_result_size_bytes="2288")  # fmt: skip
    assert isinstance(tool, ToolExecution)
    assert (tool.call_id, tool.arguments, tool.result) == ("t1", '{"command": "count"}', None)
    assert (tool.delivered_size, tool.size_unit) == (2288, "bytes")
    assert tool.end_ns - tool.start_ns == 2_000_000_000
    assert not tool.failed
    assert tool.capture.hidden is None  # no log record holds what a tool returned
    assert one("tool_result", tool_name="Bash", success="false").failed


def test_a_tools_span_shows_its_output():
    event = Event("tool.output", 5, {"bash_command": "count", "output": "17 open"})
    (tool,) = read(span("tool", (event,), tool_name="Bash", tool_use_id="t1"))
    assert (tool.tool, tool.call_id, tool.result) == ("Bash", "t1", "17 open")
    assert tool.capture.hidden is None


def test_an_output_that_is_off_is_told_from_one_that_no_event_shows():
    (tool,) = read(span("tool", tool_name="Bash"))
    assert tool.capture.hidden == "content_off"
    changed = Event("tool.output", 5, {"file_path": "/srv/notes.md", "diff": "[]"})
    for name, events in (("Edit", (changed,)), ("Task", ())):
        (tool,) = read(span("tool", events, tool_name=name))
        assert tool.result is None
        assert tool.capture.hidden is None


def test_an_output_cut_by_the_exporter_is_a_preview():
    event = Event("tool.output", 5, {"output": "17 open " * 100 + CUT})
    (tool,) = read(span("tool", (event,), tool_name="Bash"))
    assert tool.result is None
    assert tool.capture.hidden == "telemetry_preview"
    told = {"output": "17 open " * 100 + CUT, "output_original_length": 92472}
    (tool,) = read(span("tool", (Event("tool.output", 5, told),), tool_name="mcp__desk__list"))
    assert (tool.produced_size, tool.size_unit) == (92472, "bytes")


def test_new_context_is_read_from_the_last_message_of_the_requester():
    told = (
        "[USER]\nHow many?\n\n---\n\n[TOOL RESULT: t1]\n17 open\n\n---\n\n[USER]\nReally?"
        "\n\n---\n\n[TOOL RESULT: t2]\n18\n\nopen"
    )
    (piece,) = read(span("llm_request", new_context=told, system_prompt_preview="You are"))
    said = [(m.role, p.id, p.text) for m in piece.input for p in m.parts]
    assert said == [
        ("system", None, "You are"),
        ("user", None, "Really?"),
        ("tool", "t2", "18\n\nopen"),
    ]
    assert piece.input[0].parts[0].cut_by_capture


def test_new_context_that_was_cut_says_so():
    told = "[TOOL RESULT: t1]\n" + "17 open " * 100 + CUT
    (piece,) = read(span("llm_request", new_context=told))
    assert piece.input[0].parts[0].cut_by_capture
    assert "TRUNCATED" not in piece.input[0].parts[0].text
    assert piece.capture.broken == ("new_context",)


def test_new_context_of_a_session_taken_up_again_is_nothing_when_it_is_cut():
    told = "[USER]\nHow many?\n\n---\n\n[TOOL RESULT: t1]\n" + "17 open " * 100 + CUT
    (piece,) = read(span("llm_request", new_context=told))
    assert piece.input is None


def test_a_span_that_asked_for_tools_is_no_reply():
    given = {"response.model_output": "I look.", "gen_ai.response.finish_reasons": ["tool_use"]}
    (piece,) = read(span("llm_request", **given))
    assert [part.kind for part in piece.output[0].parts] == ["text", "tool_call"]


def test_spans_of_waiting_and_running_are_no_operations():
    for name in ("tool.blocked_on_user", "tool.execution", "hook"):
        assert read(span(name)) == []
