import pytest

from collector.content import capture_of, cut_marker, looks_cut, redacted, usage_of
from collector.span import LogRecord, Span
from scorers.turn import Usage


def span(dropped=0, **attributes):
    return Span(trace_id="a" * 32, span_id="b" * 16, attributes=attributes, dropped=dropped)


def test_lengths_are_those_of_the_values_as_received():
    capture = capture_of(span(a='["ü"]', b="text", c=7), ["a", "b", "c", "absent"])
    assert capture.lengths == (5, 4)
    nested = LogRecord(attributes={"a": [{"content": "abc"}, {"content": "de"}]})
    assert capture_of(nested, ["a"]).lengths == (3, 2)


def test_only_json_whose_end_is_missing_is_broken():
    values = {
        "cut": '[{"role": "user", "con',
        "whole": '[{"role": "user"}]',
        "nan": '{"rate": NaN}',
        "log": "[2024-01-01] started",
        "wrong": '{"a" 1}',
        "text": "hello",
    }
    assert capture_of(span(**values), values).broken == ("cut",)


def test_a_result_that_is_not_encoded_is_not_broken_by_the_capture():
    assert capture_of(span(), texts={"result": '[{"id": 1}, {"i'}).broken == ()


@pytest.mark.parametrize(
    "mark",
    [
        # dialects.md's list of what instrumentation itself writes, by library.
        "__REDACTED__",
        "<elided>",
        "redacted-by-litellm",
        "<REDACTED>",
        "[Scrubbed due to 'session']",
        '{"a": "[Scrubbed due to \'auth\']", "b": 1}',
    ],
)
def test_marks_of_redaction_are_seen(mark):
    assert redacted(mark)
    assert capture_of(span(a=mark), ["a"]).hidden == "redacted"


def test_redaction_inside_a_list_of_messages_is_seen():
    raw = '[{"role": "user", "content": "__REDACTED__"}]'
    assert capture_of(span(a=raw), ["a"]).hidden == "redacted"
    assert not redacted("The word REDACTED in a text")
    # A tool may mask a field of its own result.
    own = '[{"response": {"token": "[REDACTED]", "pin": "****"}}]'
    assert capture_of(span(a=own), ["a"]).hidden is None


@pytest.mark.parametrize(
    "text",
    [
        "abc[... telemetry preview truncated ...]",
        "abc...[TRUNCATED: original length 91000]",
        "abc[TRUNCATED - Content exceeds 60KB limit]\n",
    ],
)
def test_marks_of_instrumentation_that_cut_are_seen(text):
    assert cut_marker(text)
    assert capture_of(span(a=text), ["a"]).broken == ("a",)
    assert not cut_marker(text + " and more")


def test_what_the_sdk_dropped_is_passed_on():
    assert capture_of(span(dropped=3)).dropped == 3


def test_looks_cut_wants_json():
    assert looks_cut('{"a": [1, 2')
    assert not looks_cut('{"a": 1}')
    assert not looks_cut("{'a': 1")
    assert not looks_cut(7)


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        (
            {
                "gen_ai.usage.input_tokens": 3,
                "gen_ai.usage.output_tokens": "20",
                "gen_ai.usage.cache_read.input_tokens": 5758,
                "gen_ai.usage.cache_creation.input_tokens": 6174,
            },
            Usage(3, 20, 5758, 6174),
        ),
        ({"gen_ai.usage.prompt_tokens": 40.0, "llm.token_count.completion": 7}, Usage(40, 7)),
        ({"ai.usage.promptTokens": 1, "ai.usage.completionTokens": 2}, Usage(1, 2)),
        ({"gen_ai.usage.input_tokens": -1, "gen_ai.usage.output_tokens": True}, Usage()),
        ({"gen_ai.usage.input_tokens": float("nan"), "input_tokens": "many"}, Usage()),
        ({"gen_ai.usage.input_tokens": "9" * 5000}, Usage()),
    ],
)
def test_usage_in_all_spellings_and_never_negative(attributes, expected):
    assert usage_of(attributes) == expected
