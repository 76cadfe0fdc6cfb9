"""Messages that were written as lines of one text."""

import pytest

from collector.spelling.role_lines import said


def shape(found):
    return [(message.role, part.kind, part.text) for message in found for part in message.parts]


def test_lines_name_who_speaks():
    text = "system: Be brief.\nuser: How many?\nIn zone B?\nassistant: \ntool: 31\nassistant: 31."
    assert shape(said(text, role="user")) == [
        ("system", "text", "Be brief."),
        ("user", "text", "How many?\nIn zone B?"),
        ("assistant", "tool_call", ""),
        ("tool", "tool_result", "31"),
        ("assistant", "text", "31."),
    ]


def test_nobody_knows_which_tools_were_asked_for():
    for empty in ("", "None"):
        (message,) = said(f"assistant: {empty}", role="user")
        assert message.parts[0].cut_by_capture


def test_content_blocks_have_a_label():
    (message,) = said("user: text: How many?", role="user")
    assert message.text == "How many?"


REQUEST = [
    {"role": "user", "content": "How many?"},
    {"role": "assistant", "tool_calls": [
        {"id": "c1", "function": {"name": "count", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "it's 31"},
]  # fmt: skip


def test_a_whole_request_among_the_lines_is_the_request():
    found = said(f"user: How many?\nuser: {REQUEST}\ntool: it's 31", role="user")
    assert [message.role for message in found] == ["user", "assistant", "tool"]
    assert (found[1].parts[0].id, found[2].parts[0].id) == ("c1", "c1")
    assert found[2].parts[0].text == "it's 31"


def test_half_a_request_is_what_somebody_wrote():
    half = str(REQUEST)[:60]
    (message,) = said(f"user: {half}", role="user")
    assert message.text == half


@pytest.mark.parametrize("value", ["How many?", '[{"role": "user", "content": "How many?"}]'])
def test_other_texts_are_read_as_ever(value):
    (message,) = said(value, role="user")
    assert (message.role, message.text) == ("user", "How many?")


def test_nothing_is_nothing():
    assert said(None, role="user") is None
