"""What decorators and frameworks put around arguments and outcomes."""

import json

import pytest

from collector.spelling.envelope import arguments_in, encoded, reply_in, request_in


def said(messages):
    return messages and [(message.role, message.text) for message in messages]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Hi", [("user", "Hi")]),
        ('"Hi"', [("user", "Hi")]),
        ('{"args": ["Hi"], "kwargs": {}}', [("user", "Hi")]),
        # `self` comes first where a method is decorated.
        ('{"args": ["<app.Desk object at 0x7f00>", "Hi"], "kwargs": {}}', [("user", "Hi")]),
        ('{"args": [], "kwargs": {"anything": "Hi"}}', [("user", "Hi")]),
        ('{"args": [], "kwargs": {"customer": "C-1", "question": "Hi"}}', [("user", "Hi")]),
        ('{"task": "Hi", "stream": false, "max_steps": null}', [("user", "Hi")]),
        ('{"inputs": {"messages": [{"role": "user", "content": "Hi"}]}}', [("user", "Hi")]),
        ('{"system": "S", "prompt": "Hi"}', [("system", "S"), ("user", "Hi")]),
        ('[{"type": "human", "data": {"content": "Hi"}}]', [("user", "Hi")]),
        ('{"input": "Hi", "chat_history": [{"role": "user", "content": "Old"}]}', [("user", "Hi")]),
        ('{"kwargs": {"a": "x", "b": "y"}, "args": []}', None),
        ("__REDACTED__", None),
        ("{}", None),
        ("", None),
        (None, None),
        (7, None),
    ],
)
def test_request(value, expected):
    assert said(request_in(value)) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Hello", [("assistant", "Hello")]),
        ('"Hello"', [("assistant", "Hello")]),
        ('{"outputs": {"output": "Hello"}, "kwargs": {}}', [("assistant", "Hello")]),
        ('{"final_answer": "Hello"}', [("assistant", "Hello")]),
        ('{"role": "assistant", "content": "Hello"}', [("assistant", "Hello")]),
        ('{"messages": [{"role": "user", "content": "Hi"}]}', None),
        ('{"rows": 7}', None),
        ("StopEvent(result=AgentOutput(response=...", None),
        (None, None),
    ],
)
def test_reply(value, expected):
    assert said(reply_in(value)) == expected


def test_reply_of_a_whole_conversation_is_what_follows_the_last_request():
    state = [("user", "a"), ("assistant", "b"), ("user", "c"), ("assistant", "d")]
    value = {"messages": [{"role": role, "content": text} for role, text in state]}
    assert said(reply_in(json.dumps(value))) == [("assistant", "d")]


def test_request_that_the_sdk_cut_is_flagged():
    (message,) = request_in('{"args": ["What does ACME')
    assert (message.text, message.parts[0].cut_by_capture) == ("What does ACME", True)


def test_nesting_has_an_end():
    value = "Hi"
    for _ in range(3000):
        value = {"input": value}
    assert request_in(value) is None
    assert reply_in({"output": value}) is None
    assert arguments_in({"inputs": value}) is not None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('{"args": [1], "kwargs": {"a": 2}}', '{"a":2,"args":[1]}'),
        ('{"args": "x", "kwargs": {}}', '{"args":"x","kwargs":{}}'),
        ('{"input_str": "x", "inputs": null}', "x"),
        ({"a": 1}, '{"a":1}'),
    ],
)
def test_arguments(value, expected):
    assert arguments_in(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('"a b"', ("a b", False)),
        ('"a b', ("a b", True)),
        ('{"a": "b', ({"a": "b"}, True)),
        ('"Yes," she said', ('"Yes," she said', False)),
        ("a b", ("a b", False)),
    ],
)
def test_encoded_values_show_that_their_end_is_missing(value, expected):
    assert encoded(value) == expected


def test_a_pipelines_only_component_holds_the_conversation():
    """Haystack, as OpenLLMetry dumps what went into a pipeline and came out of it."""
    asked = {"_role": "user", "_content": [{"text": "How many?"}], "_name": None, "_meta": {}}
    call = {"tool_name": "count", "arguments": {"of": "herons"}, "id": "c1"}
    done = {"result": "12", "error": False, "origin": call}
    told = [
        asked,
        {"_role": "assistant", "_content": [call]},
        {"_role": "tool", "_content": [{"tool_call_result": 1} | done]},
        {"_role": "assistant", "_content": [{"text": "Twelve."}]},
    ]
    [request] = request_in({"args": [], "kwargs": {"agent": {"messages": [asked]}}}) or ()
    assert (request.role, request.text) == ("user", "How many?")
    found = reply_in({"agent": {"messages": told}}) or ()
    assert [message.role for message in found] == ["assistant", "tool", "assistant"]
    assert [(p.kind, p.id, p.name) for p in (*found[0].parts, *found[1].parts)] == [
        ("tool_call", "c1", "count"), ("tool_result", "c1", "count"),
    ]  # fmt: skip
    assert (found[1].parts[0].text, found[2].text) == ("12", "Twelve.")
    [reply] = reply_in({"llm": {"replies": [told[-1]]}}) or ()
    assert reply.text == "Twelve."
