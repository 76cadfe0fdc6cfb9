import json
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector.content import decode, literal, reports_failure, text, unwrap_tool_result
from collector.content.pyrepr import fields

DOCUMENT = '{"customer_id": "C-1042", "open": [1, 2],  "note": "Schulung 日本語"}'
LANGCHAIN = {
    "lc": 1,
    "type": "constructor",
    "id": ["langchain", "schema", "messages", "ToolMessage"],
    "kwargs": {"content": DOCUMENT, "type": "tool", "tool_call_id": "call_1", "status": "success"},
}
DUMPED = {"content": DOCUMENT, "type": "tool", "name": "f", "tool_call_id": "call_1"}


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ('{"a": 1}', {"a": 1}),
        (json.dumps(json.dumps({"a": 1})), {"a": 1}),
        ('"text"', "text"),
        (" [1]\n", [1]),
        ("42", "42"),
        ("null", "null"),
        ("[INFO] started", "[INFO] started"),
        ('{"a": NaN}', '{"a": NaN}'),
        ('{"a": "cut', '{"a": "cut'),
        ({"a": "[1]"}, {"a": "[1]"}),
        (7, 7),
        (None, None),
    ],
)
def test_decode_takes_layers_of_json_off_and_leaves_other_texts(raw, expected):
    assert decode(raw) == expected


def test_half_a_surrogate_pair_in_json_becomes_a_replacement_character():
    assert decode('["a\\ud83d", "\\ud83d\\ude00"]') == ["a\ufffd", "😀"]


@pytest.mark.parametrize("deep", ["[" * 100_000, '{"a":' * 100_000, '"' * 100_001])
def test_deep_nesting_is_text(deep):
    assert decode(deep) == deep
    assert text(deep)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)


@given(json_values.filter(lambda value: isinstance(value, dict | list)), st.integers(1, 4))
def test_any_number_of_layers_decodes_to_the_value(value, layers):
    raw = value
    for _ in range(layers):
        raw = json.dumps(raw)
    assert decode(raw) == value


def test_a_tools_own_json_comes_out_as_it_was_written():
    assert text(DOCUMENT) == DOCUMENT
    assert text(json.dumps(DOCUMENT)) == DOCUMENT
    assert unwrap_tool_result(DOCUMENT) == (DOCUMENT, None)


@pytest.mark.parametrize(
    "value",
    [
        # Model Context Protocol, GenAI conventions, Bedrock, Anthropic, Vercel AI SDK.
        {"content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]},
        [{"type": "text", "content": "one"}, {"type": "text", "content": "two"}],
        [{"text": "one"}, {"image": {"format": "png"}}, {"text": "two"}],
        {"toolResult": {"toolUseId": "t", "content": [{"text": "one"}, {"text": "two"}]}},
        {
            "type": "tool_result",
            "tool_use_id": "t",
            "content": [{"type": "text", "text": "one\ntwo"}],
        },
        {
            "type": "content",
            "value": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}],
        },
        [
            {"type": "resource", "resource": {"uri": "x", "text": "one"}},
            {"type": "text", "text": "two"},
        ],
    ],
)
def test_all_blocks_of_a_content_are_its_text(value):
    assert text(value) == "one\ntwo"
    assert text(json.dumps(value)) == "one\ntwo"


@pytest.mark.parametrize(
    "wrapped",
    [
        LANGCHAIN,
        {"output": LANGCHAIN, "kwargs": {"tool_call_id": "call_1"}},
        {"type": "tool", "data": DUMPED},
        DUMPED,
        {"output": DUMPED},
        {"graph": None, "update": {"messages": [DUMPED]}, "goto": []},
        {"toolUseId": "call_1", "status": "success", "content": [{"text": DOCUMENT}]},
    ],
)
def test_a_frameworks_wrapper_gives_the_result_and_the_call_id(wrapped):
    assert unwrap_tool_result(wrapped) == (DOCUMENT, "call_1")
    assert unwrap_tool_result(json.dumps(wrapped)) == (DOCUMENT, "call_1")


def test_a_result_that_only_resembles_a_wrapper_stays_whole():
    for own in ('{"content": "of a file", "path": "a.txt"}', '[{"text": "a", "likes": 3}]', "[]"):
        assert text(own) == own
    assert text("content=5 size=10") == "content=5 size=10"


def test_the_envelope_of_function_calling_apis_is_taken_off_tool_results_only():
    enveloped = json.dumps({"result": DOCUMENT})
    assert unwrap_tool_result(enveloped) == (DOCUMENT, None)
    assert text(enveloped) == enveloped
    two = '{"result": "x", "rows": 3}'
    assert unwrap_tool_result(two) == (two, None)


def test_values_without_a_text_of_their_own_are_compact_json():
    assert text({"a": [1, "ü"]}) == '{"a":[1,"ü"]}'
    assert text(True) == "true"
    assert text(None) == ""
    assert text(b"caf\xc3\xa9 \xff") == "café \ufffd"


@given(st.text(alphabet=string.printable + "äß日😀", max_size=40))
def test_a_message_written_as_python_repr_gives_its_content(content):
    dumped = f"content={content!r} name='lookup' tool_call_id='call_1'"
    assert unwrap_tool_result(dumped) == (text(content), "call_1")


def test_repr_fields_of_all_kinds():
    read = fields(
        "content=[{'type': 'text', 'text': 'a'}] additional_kwargs={'x': [1]} id=None n=3"
    )
    assert read == {
        "content": [{"type": "text", "text": "a"}],
        "additional_kwargs": {"x": [1]},
        "id": None,
        "n": "3",
    }


@pytest.mark.parametrize(
    "code", ["__import__('os').getcwd()", "(" * 5000, "{'a': ", "1" * 3_000_000]
)
def test_a_literal_is_never_code(code):
    with pytest.raises(ValueError, match="literal"):
        literal(code)


def test_a_wrapper_says_whether_its_tool_failed():
    assert reports_failure({"content": [{"type": "text", "text": "no"}], "isError": True})
    assert reports_failure(json.dumps({"output": {**DUMPED, "status": "error"}}))
    assert reports_failure([{"toolResult": {"toolUseId": "t", "status": "error", "content": []}}])
    assert not reports_failure(LANGCHAIN)
    # The tool's own document is not the wrapper's word.
    assert not reports_failure('{"status": "error", "code": 4}')
