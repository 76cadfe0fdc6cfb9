"""Spans of the Vercel AI SDK's own tracer (`ai.*`), versions 3 to 6 → operations."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector.dialects.vercel_ai import VercelAI
from collector.span import LogRecord, Span
from scorers.turn import AgentInvocation, Inference, Operation, ToolExecution

DIALECT = VercelAI()


def span(attributes, **fields):
    fields = {"trace_id": "a" * 32, "span_id": "b" * 16, "name": "s"} | fields
    return Span(attributes=attributes, **fields)


def only(attributes, **fields):
    (operation,) = DIALECT.operations(span(attributes, **fields))
    return operation


def generated(**attributes):
    """A model span; keyword `prompt_messages` is the attribute `ai.prompt.messages`."""
    flat = {"ai.operationId": "ai.generateText.doGenerate"}
    return flat | {f"ai.{key.replace('_', '.')}": value for key, value in attributes.items()}


def said(messages):
    return [(message.role, message.text) for message in messages]


@pytest.mark.parametrize(
    ("record", "claimed"),
    [
        (span({"ai.operationId": "ai.toolCall"}), True),
        (span({"operation.name": "ai.toolCall desk"}), True),
        (span({"ai.operationId": 7}), False),
        (span({"operation.name": "http.request"}), False),
        (LogRecord(attributes={"ai.operationId": "ai.toolCall"}), False),
    ],
)
def test_claims(record, claimed):
    assert DIALECT.claims(record) is claimed


@pytest.mark.parametrize("operation", ["ai.embed.doEmbed", "ai.embed", "ai.stream.firstChunk"])
def test_other_operations(operation):
    found = list(DIALECT.operations(span({"ai.operationId": operation})))
    assert not [one for one in found if isinstance(one, Inference) and one.input]


def test_model_call():
    sent = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
        {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "c1",
                                           "toolName": "fetch", "input": {"a": 1}}]},
        {"role": "tool", "content": [
            {"type": "tool-result", "toolCallId": "c1", "toolName": "fetch",
             "output": {"type": "text", "value": "row 1"}}]},
    ]  # fmt: skip
    call = only(
        generated(
            prompt_messages=json.dumps(sent),
            prompt_tools=['{"type": "function", "name": "fetch"}'],
            response_text="Hello",
            response_finishReason="stop",
            response_id="r1",
            model_id="m",
            model_provider="p",
            telemetry_functionId="desk",
            telemetry_metadata_sessionId="s1",
            telemetry_metadata_agentVersion="2",
            usage_inputTokens=5,
            usage_outputTokens=2,
            usage_cachedInputTokens=1,
        )
    )
    assert isinstance(call, Inference)
    assert [message.role for message in call.input] == ["system", "user", "assistant", "tool"]
    result = call.input[3].parts[0]
    assert (result.kind, result.id, result.name, result.text) == (
        "tool_result", "c1", "fetch", "row 1",
    )  # fmt: skip
    assert said(call.output) == [("assistant", "Hello")]
    assert (call.model, call.provider, call.response_id) == ("m", "p", "r1")
    assert (call.tools, call.finish_reasons) == (("fetch",), ("stop",))
    assert (call.usage.input_tokens, call.usage.output_tokens, call.usage.cache_read_tokens) == (
        5, 2, 1,
    )  # fmt: skip
    assert (call.agent, call.agent_version, call.conversation_id) == ("desk", "2", "s1")


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ({"output": {"type": "text", "value": "row 1"}}, "row 1"),
        ({"output": {"type": "json", "value": {"n": 48}}}, '{"n":48}'),
        ({"output": {"type": "error-text", "value": "no"}}, "no"),
        (
            {"output": {"type": "content", "value": [
                {"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}},
            "a\nb",
        ),
        ({"result": {"n": 48}}, '{"n":48}'),  # version 4
        ({"result": "row 1"}, "row 1"),
    ],
)  # fmt: skip
def test_delivered_result_in_every_spelling(output, text):
    part = {"type": "tool-result", "toolCallId": "c1", "toolName": "fetch"} | output
    call = only(generated(prompt_messages=json.dumps([{"role": "tool", "content": [part]}])))
    assert [one.text for one in call.input[0].of_kind("tool_result")] == [text]


@pytest.mark.parametrize("key", ["input", "args"])  # version 4 said args
def test_calls_of_the_answer(key):
    asked = [{"toolCallId": "c1", "toolName": "fetch", key: {"a": 1}}]
    call = only(
        generated(prompt_messages="[]", response_toolCalls=json.dumps(asked), response_text="")
    )
    assert [(part.kind, part.id, part.name, part.text) for part in call.output[0].parts] == [
        ("tool_call", "c1", "fetch", '{"a":1}')
    ]


def test_object_is_the_reply_where_there_is_no_text():
    call = only(generated(prompt_messages="[]", response_object='{"sum": 88.4}'))
    assert said(call.output) == [("assistant", '{"sum": 88.4}')]


def test_empty_text_is_an_empty_reply_and_no_text_is_none():
    assert said(only(generated(response_text="")).output) == [("assistant", "")]
    assert only(generated()).output is None


def test_version_3_wrote_result_for_response():
    assert said(only(generated(result_text="Hello")).output) == [("assistant", "Hello")]


def test_recording_that_is_off():
    assert only(generated(response_text="x")).capture.hidden == "content_off"
    quiet = generated(prompt_messages="[]", response_finishReason="stop")
    assert only(quiet).capture.hidden == "content_off"
    # An answer that did not become the object that was asked for was not withheld.
    failed = quiet | {"ai.operationId": "ai.streamObject.doStream"}
    assert only(failed).capture.hidden is None
    # A call that failed has no answer to record, nor has one whose SDK dropped attributes.
    assert only(generated(prompt_messages="[]"), status=2).capture.hidden is None
    assert only(generated(), dropped=3).capture.hidden is None


def test_prompt_that_the_sdk_cut():
    sent = json.dumps([{"role": "user", "content": "Hi"}, {"role": "user", "content": "How are"}])
    call = only(generated(prompt_messages=sent[:-5]))
    assert call.capture.broken == ("ai.prompt.messages",)
    assert call.input[0].text == "Hi"
    assert [part.cut_by_capture for part in call.input[1].parts] == [True]


def test_tool_call():
    run = only(
        {
            "ai.operationId": "ai.toolCall",
            "ai.toolCall.name": "fetch",
            "ai.toolCall.id": "c1",
            "ai.toolCall.args": '{"a":1}',
            "ai.toolCall.result": json.dumps('{"n": 48}'),
        }
    )
    assert isinstance(run, ToolExecution)
    assert (run.tool, run.call_id, run.arguments, run.result) == (
        "fetch", "c1", '{"a":1}', '{"n": 48}',
    )  # fmt: skip
    assert run.capture.broken == ()


def test_tool_result_that_is_absent_or_cut():
    # A result that can't be serialised is left out.
    absent = only({"ai.operationId": "ai.toolCall", "ai.toolCall.args": "{}"})
    assert (absent.result, absent.capture.hidden) == (None, None)
    off = only({"ai.operationId": "ai.toolCall", "ai.toolCall.name": "fetch"})
    assert (off.result, off.capture.hidden) == (None, "content_off")
    cut = only({"ai.operationId": "ai.toolCall", "ai.toolCall.result": '"row 1\\nrow'})
    assert (cut.result, cut.capture.broken) == ("row 1\nrow", ("ai.toolCall.result",))
    failed = only({"ai.operationId": "ai.toolCall"}, status=2, status_message="boom")
    assert (failed.failed, failed.error, failed.capture.hidden) == (True, "boom", None)


def test_run_names_request_and_reply_and_delivers_nothing():
    prompt = {"system": "Be brief.", "messages": [{"role": "user", "content": "Hi"}]}
    run = only(
        {
            "ai.operationId": "ai.streamText",
            "ai.prompt": json.dumps(prompt),
            "ai.response.text": "Hello",
            # Version 7 lists the calls of all steps beside the last text.
            "ai.response.toolCalls": '[{"toolCallId": "c1", "toolName": "fetch", "input": {}}]',
        }
    )
    assert isinstance(run, AgentInvocation)
    assert said(run.input) == [("system", "Be brief."), ("user", "Hi")]
    assert [(part.kind, part.text) for part in run.output[0].parts] == [("text", "Hello")]
    plain = {"ai.operationId": "ai.generateObject", "ai.prompt": '{"prompt": "Hi"}'}
    assert said(only(plain).input) == [("user", "Hi")]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
KEYS = st.sampled_from(
    [
        "ai.prompt", "ai.prompt.messages", "ai.prompt.tools", "ai.response.text",
        "ai.response.toolCalls", "ai.response.object", "ai.response.finishReason",
        "ai.response.reasoning", "ai.toolCall.name", "ai.toolCall.id", "ai.toolCall.args",
        "ai.toolCall.result", "ai.usage.inputTokens", "ai.telemetry.metadata.sessionId",
        "gen_ai.response.finish_reasons", "operation.name",
    ]
)  # fmt: skip


@given(
    operation=st.sampled_from(["ai.generateText.doGenerate", "ai.toolCall", "ai.generateText"]),
    attributes=st.dictionaries(KEYS, JSON | JSON.map(lambda value: json.dumps(str(value)))),
)
def test_no_value_raises(operation, attributes):
    for found in DIALECT.operations(span({"ai.operationId": operation} | attributes)):
        assert isinstance(found, Operation)
