import pytest

from collector.dialect import Opening, Piece, shape_of
from collector.dialects.codex import Codex
from collector.span import LogRecord, Scope, Span
from scorers.turn import ToolExecution

MARK = "\n[... telemetry preview truncated ...]"


def log(event, time_ns=9, trace="", **attributes):
    given = {"event.name": event, "conversation.id": "c-1", "app.version": "0.171.0"}
    given |= {key.replace("__", "."): value for key, value in attributes.items()}
    return LogRecord(
        trace_id=trace,
        time_ns=time_ns,
        event_name="event otel/src/tool_result.rs:54",
        attributes={key: value for key, value in given.items() if value is not None},
        scope=Scope("codex_otel.log_only"),
    )


def read(record):
    assert Codex().fits(shape_of(record))
    assert Codex().claims(record)
    return list(Codex().operations(record))


def one(*args, **attributes):
    (operation,) = read(log(*args, **attributes))
    return operation


def tool(output, **attributes):
    return one("codex.tool_result", tool_name="exec_command", call_id="call_1", success="true",
               output=output, **attributes)  # fmt: skip


def output(count, text="17 open\n"):
    return (
        f"Chunk ID: 1\nProcess exited with code 0\nOriginal token count: {count}\nOutput:\n{text}"
    )


def test_records_stand_in_their_conversation_whatever_trace_they_name():
    prompt = one("codex.user_prompt", prompt="How many?", trace="f" * 32)
    call = one("codex.sse_event", event__kind="response.completed", input_token_count=5)
    assert isinstance(prompt, Opening)
    assert isinstance(call, Piece)
    assert prompt.trace_id == call.trace_id != "f" * 32
    assert prompt.conversation_id == "c-1"
    assert prompt.agent_version == "0.171.0"
    assert read(log("codex.user_prompt", prompt="x", conversation__id=None)) == []


def test_a_redacted_prompt_is_null_with_a_reason():
    prompt = one("codex.user_prompt", prompt="[REDACTED]")
    assert prompt.input is None
    assert prompt.capture.hidden == "redacted"


def test_only_the_event_that_counts_is_a_call():
    completed = {"event__kind": "response.completed"}
    assert read(log("codex.sse_event", **completed)) == []
    assert read(log("codex.sse_event", event__kind="response.created")) == []
    call = one("codex.sse_event", **completed, input_token_count=5417, output_token_count=40,
               cached_token_count=12, model="gpt-5.1-codex")  # fmt: skip
    assert (call.usage.input_tokens, call.usage.output_tokens) == (5417, 40)
    assert call.usage.cache_read_tokens == 12
    assert call.model == "gpt-5.1-codex"
    assert call.input is None
    assert call.output is None


def test_a_short_output_is_what_the_tool_produced():
    found = tool(output(12), output_truncated=False, arguments='{"cmd": "count"}')
    assert isinstance(found, ToolExecution)
    assert found.result == output(12)
    assert (found.call_id, found.arguments) == ("call_1", '{"cmd": "count"}')
    assert found.produced_size is None


@pytest.mark.parametrize("flag", [True, None])
def test_a_preview_is_not_what_the_tool_produced(flag):
    found = tool(output(23433, "17 open " * 200) + MARK, output_truncated=flag)
    assert found.result is None
    assert found.capture.hidden == "telemetry_preview"


@pytest.mark.parametrize(
    ("count", "arguments", "sizes"),
    [
        (23433, '{"cmd": "x"}', (23433, None, "tokens")),
        (23433, '{"cmd": "x", "max_output_tokens": 300}', (23433, 300, "tokens")),
        (301, '{"cmd": "x", "max_output_tokens": 300}', (301, 300, "tokens")),
        (300, '{"cmd": "x", "max_output_tokens": 300}', (None, None, "characters")),
        (10_000, '{"cmd": "x"}', (None, None, "characters")),
        (23433, "not json", (23433, None, "tokens")),
        (23433, '{"max_output_tokens": "many"}', (23433, None, "tokens")),
    ],
)
def test_sizes_count_where_they_are_beyond_the_models_budget(count, arguments, sizes):
    found = tool(output(count) + MARK, arguments=arguments)
    assert (found.produced_size, found.delivered_size, found.size_unit) == sizes


def test_a_count_that_the_command_printed_itself_is_none():
    found = tool("Output:\n" + "x" * 500 + "\nOriginal token count: 99999\n")
    assert found.produced_size is None


def test_its_spans_are_claimed_and_hold_nothing():
    span = Span(trace_id="0" * 31 + "1", span_id="0" * 15 + "2", name="run_turn",
                scope=Scope("codex_exec"))  # fmt: skip
    assert read(span) == []


def test_records_of_others_are_not_claimed():
    other = LogRecord(event_name="user_prompt", attributes={"event.name": "user_prompt"})
    assert not Codex().claims(other)
    plain = LogRecord(event_name="event otel/src/metrics/client.rs:330")
    assert not Codex().fits(shape_of(plain))
