"""Objects written as Python's repr."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector.content.pyobject import chat_message, read_object


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
