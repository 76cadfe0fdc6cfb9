"""A model call's request and answer, as tracing SDKs dump them."""

import json

import pytest

from collector.spelling.raw_exchange import answer_of, arguments_of, request_of, response_metadata

USER = {"role": "user", "content": "why"}


@pytest.mark.parametrize("value", [None, "", "{", "[", "[]", "{}", 5, True, '"', "[[", '{"a"'])
def test_nothing_to_be_read(value):
    assert not answer_of(value) or isinstance(value, str)
    assert request_of(value).tools is None


@pytest.mark.parametrize(
    "value",
    [
        [USER],
        {"messages": [USER]},
        {"messages": [[USER]]},
        {"messages": json.dumps([USER])},
        {"args": [], "kwargs": {"messages": [USER], "model": "m"}},
        {"args": [[USER]], "kwargs": {}},
        {"input": "why"},
        {"prompts": ["why"]},
        "why",
    ],
)
def test_requests(value):
    text = value if isinstance(value, str) else json.dumps(value)
    for sent in (value, text):
        [message] = request_of(sent).messages
        assert (message.role, message.text) == ("user", "why")


def test_the_tools_that_were_offered():
    tool = {"type": "function", "function": {"name": "find"}}
    for value in (
        {"messages": [USER], "tools": [tool]},
        {"messages": [USER], "functions": [{"name": "find"}]},
        {"messages": [USER, {"role": "tool", "content": tool}]},
        [USER, {"role": "tool", "content": {"name": "find", "input_schema": {}}}],
    ):
        found = request_of(value)
        assert found.tools == ("find",)
        assert [message.role for message in found.messages] == ["user"]


def calling(*names):
    calls = [{"id": f"c{at}", "function": {"name": name}} for at, name in enumerate(names)]
    return {"role": "assistant", "content": "", "tool_calls": calls}


def test_a_role_that_is_a_tools_name():
    asked = [
        USER,
        calling("findRows", "findRows", "look"),
        {"role": "look", "content": "here"},
        {"role": "findRows", "content": "one"},
        {"role": "findRows", "content": "two"},
        {"role": "findRows", "content": "a third one that nobody asked for"},
    ]
    said = request_of({"messages": asked}).messages
    assert [message.role for message in said[2:]] == ["tool", "tool", "tool", "findrows"]
    answered = [(part.id, part.name, part.text) for message in said[2:5] for part in message.parts]
    assert answered == [
        ("c2", "look", "here"),
        ("c0", "findRows", "one"),
        ("c1", "findRows", "two"),
    ]


def test_a_tool_without_a_name_is_not_the_requester():
    said = request_of(
        [USER, calling("look"), {"content": "here", "additional_kwargs": {}}]
    ).messages
    assert [message.role for message in said] == ["user", "assistant", "tool"]


def test_langchain_js_names_who_speaks_by_the_class():
    asked = [
        {
            "lc": 1,
            "type": "constructor",
            "id": ["langchain_core", "messages", name],
            "kwargs": kwargs,
        }
        for name, kwargs in (
            ("SystemMessage", {"content": "be brief"}),
            ("HumanMessage", {"content": "why"}),
            ("AIMessage", {"content": "so"}),
            ("ToolMessage", {"content": "here", "tool_call_id": "c1"}),
        )
    ]
    said = request_of({"messages": [asked]}).messages
    assert [message.role for message in said] == ["system", "user", "assistant", "tool"]


def test_a_system_prompt_that_looks_like_json():
    said = request_of({"system": '{"a": 1}', "messages": [USER]}).messages
    assert (said[0].role, said[0].text) == ("system", '{"a": 1}')


def test_a_tools_result_that_is_an_object_is_a_result():
    result = {"role": "tool", "content": {"total": 5}, "tool_call_id": "c1"}
    [_, message] = request_of([USER, result]).messages
    assert [part.id for part in message.parts] == ["c1"]


@pytest.mark.parametrize(
    ("missing", "cut"),
    [
        ('{"messages":[{"role":"user","content":"wh', True),
        ('{"messages":[{"role":"user","content":"why"}],"model":"m', False),
        ('{"model":"m","kwargs":{"messages":[{"role":"user","content":"wh', True),
    ],
)
def test_only_what_the_missing_end_belongs_to_was_cut(missing, cut):
    [message] = request_of(missing).messages
    assert message.parts[0].cut_by_capture is cut


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"choices": [{"message": {"role": "assistant", "content": "so"}}]}, "so"),
        ({"output": "so"}, "so"),
        ({"outputs": {"content": "so", "role": "assistant"}}, "so"),
        ({"output": [{"role": "assistant", "content": "so"}]}, "so"),
        ({"content": "so"}, "so"),
        ({"candidates": [{"content": {"role": "model", "parts": [{"text": "so"}]}}]}, "so"),
        ("so", "so"),
        ({"verdict": "so"}, '{"verdict":"so"}'),  # an object of the caller's own
        ([1, 2], "[1,2]"),
    ],
)
def test_answers(value, text):
    [message] = answer_of(value)
    assert (message.role, message.text) == ("assistant", text)


def test_a_cut_answer_is_flagged():
    [message] = answer_of('{"role":"assistant","content":"so it')
    assert message.text == "so it"
    assert message.parts[0].cut_by_capture


def test_arguments():
    assert arguments_of("{'x': 1}") == '{"x":1}'
    assert arguments_of({"input": "{'x': 1}"}) == '{"x":1}'
    assert arguments_of({"input": "what"}) == '{"input":"what"}'
    assert arguments_of("{'x': f()}") == "{'x': f()}"
    assert arguments_of(None) is None


@pytest.mark.parametrize("value", [None, "{", {"generations": []}, {"generations": [[5]]}, []])
def test_an_answer_without_metadata(value):
    assert response_metadata(value) == {}
