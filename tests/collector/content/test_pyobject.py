"""Objects written as Python's repr."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector.content.pyobject import chat_message, read_entries, read_object


def test_object():
    value = "A(b=[1, -2.5, None], c={'d': True}, e=<E.F: 'f'>, g=<object at 0x7f>, h=B(i='j\\'k'))"
    assert read_object(value) == {
        "": "A", "b": [1, -2.5, None], "c": {"d": True}, "e": "f", "g": None,
        "h": {"": "B", "i": "j'k"},
    }  # fmt: skip


@pytest.mark.parametrize(
    "value", ["", "A", "A(", "A(b='", "A() and more", "A(<E.F: 'f')", "A(" * 5000, "A([" * 5000]
)
def test_what_is_no_object(value):
    assert read_object(value) is None


def test_assistant_message_of_haystack():
    call = "ToolCall(tool_name='fetch', arguments={'a': 1}, id='c1', extra=None)"
    thought = "ReasoningContent(reasoning_text='hm', extra={})"
    value = (
        f"ChatMessage(_role=<ChatRole.ASSISTANT: 'assistant'>, _content=[{thought}, {call}], "
        "_name=None, _meta={'finish_reason': 'tool_calls'})"
    )
    assert chat_message(value) == {
        "role": "assistant",
        "content": [
            {"type": "reasoning", "text": "hm"},
            {"type": "tool_call", "id": "c1", "name": "fetch", "arguments": {"a": 1}},
        ],
        "finish_reason": "tool_calls",
    }


@given(st.text())
def test_any_text_inside_comes_back(text):
    value = f"ChatMessage(_role=<ChatRole.USER: 'user'>, _content=[TextContent(text={text!r})])"
    assert chat_message(value)["content"] == [{"type": "text", "text": text}]


@given(st.text(alphabet="A(=[{<'\": ,)]}>\\x1"))
def test_no_text_raises(text):
    read_object(f"A({text}")
    chat_message(f"ChatMessage({text}")


def test_functions_and_documents():
    function = "<function made.<locals>.<lambda> at 0x7f>"
    value = f"A(f={function}, m=<bound method <B object at 0x1>.c of <B object at 0x1>>, n=1)"
    assert read_object(value) == {"": "A", "f": None, "m": None, "n": 1}
    document = "Document(id=ab12, content: 'It reads: x', meta: {'k': 'v'}, score: 0.5)"
    assert read_object(document) == {
        "": "Document", "id": "ab12", "content": "It reads: x", "meta": {"k": "v"}, "score": 0.5,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("value", "entries", "cut"),
    [
        ("{'a': [A(b=1)], 'c': None}", {"a": [{"": "A", "b": 1}], "c": None}, None),
        ("{'a': [1, A(b=1), A(b='", {"a": [1, {"": "A", "b": 1}]}, "a"),
        ("{'a': 1, 'b': A(", {"a": 1}, "b"),
        ("{'a': 1, 'b", {"a": 1}, None),
        ("{}", {}, None),
        ("A(b=1)", {}, None),
        ("", {}, None),
    ],
)
def test_entries_up_to_what_breaks_off(value, entries, cut):
    assert read_entries(value) == (entries, cut)


@given(st.text(alphabet="{}[]()<>':=, aA1\\\"", max_size=60))
def test_entries_of_anything(value):
    found, _ = read_entries(value)
    assert isinstance(found, dict)


@pytest.mark.parametrize(
    "value", ["{'a': " + "<" * 50_000, "{'a': [" + "<a" * 30_000, "{'a': [[" * 9_000]
)
def test_hostile_entries_end_soon(value):
    found, cut = read_entries(value)
    assert cut == "a"
    assert not found.get("a")
