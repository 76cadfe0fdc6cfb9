"""Tool calls and results that an agent sends as prose."""

import pytest

from collector.spelling.observation import concluded, observed, unnamed
from scorers.turn import Message, Part


def text(role, words):
    return Message(role, (Part("text", words),))


def roles(*messages):
    return [message.role for message in observed(messages)]


@pytest.mark.parametrize("words", ["Observation:\nrow 1", "Observation: row 1", "Error:\nno rows"])
@pytest.mark.parametrize(
    "step",
    [
        Message("assistant", (Part("tool_call", "{}", name="fetch"),)),
        text("assistant", "Thought: look it up\nAction: fetch\nAction Input: {}"),
        text("assistant", "Calling tools:\n[{'function': {'name': 'fetch', 'arguments': {}}}]"),
    ],
)
def test_result_after_a_step_is_a_tools(step, words):
    assert roles(text("user", "Hi"), step, text("user", words)) == ["user", "assistant", "tool"]


@pytest.mark.parametrize(
    "messages",
    [
        [text("user", "Observation: it rains")],
        [text("assistant", "Anything else?"), text("user", "Error: I can't log in")],
        [Message("assistant", (Part("tool_call", "{}"),)), text("user", "And observation: x")],
    ],
)
def test_words_of_the_requester_stay_theirs(messages):
    assert roles(*messages)[-1] == "user"


def test_calls_in_prose_are_calls():
    listed = "[{'id': 'c1', 'function': {'name': 'fetch', 'arguments': {'a': 1}}}]"
    (message,) = observed([text("tool-call", f"Calling tools:\n{listed}")])
    assert [(part.kind, part.id, part.name, part.text) for part in message.parts] == [
        ("tool_call", "c1", "fetch", '{"a":1}')
    ]


def test_one_text_answers_all_calls_of_the_step():
    step = Message("assistant", (Part("tool_call", "{}", "c1", "a"), Part("tool_call", "{}", "c2")))
    _, results = observed([step, text("tool-response", "Observation:\nx\ny")])
    assert [(part.kind, part.id, part.text) for part in results.parts] == [
        ("tool_result", "c1", "Observation:\nx\ny"),
        ("tool_result", "c2", "Observation:\nx\ny"),
    ]


def test_calls_that_cannot_be_read_are_no_reply():
    (message,) = observed([text("tool-call", "Calling tools:\n[{'id': 'c1")])
    assert message.role == "assistant"
    assert not message.text


def test_messages_of_no_known_role_behind_a_call_are_results():
    said = (
        text("unknown", "first"), text("user", "Hi"), text("assistant", ""),
        text("unknown", "row 1"), text("unknown", "row 2"), text("user", "and?"),
        text("unknown", "who?"),
    )  # fmt: skip
    found = unnamed(said)
    assert [message.role for message in found] == [
        "unknown", "user", "assistant", "tool", "tool", "user", "unknown",
    ]  # fmt: skip
    assert [part.text for m in found for part in m.of_kind("tool_result")] == ["row 1", "row 2"]


def test_a_call_of_final_answer_in_the_history_is_the_reply():
    call = Message("assistant", (Part("tool_call", '{"answer": "Twelve."}', name="final_answer"),))
    echo = text("user", "Observation:\nTwelve.")
    history = [text("user", "How many?"), call, echo, text("user", "And now?")]
    [asked, said, told] = observed(history)
    assert [asked.role, said.role, said.text, told.text] == [
        "user", "assistant", "Twelve.", "And now?",
    ]  # fmt: skip
    for given in ("", "{}", '{"answer": 12}', '{"answer": ""}', "["):
        other = Message("assistant", (Part("tool_call", given, name="final_answer"),))
        assert observed([other]) == (other,)


def coded(code):
    return Message("assistant", (Part("tool_call", code, "c", "python_interpreter"),))


CODE = coded('print(1)\nfinal_answer("5 EUR")')
PUT_OUT = "Observation:\nExecution logs:\n1\nLast output from code snippet:\n5 EUR"


def test_a_code_agents_last_step_is_its_reply():
    found = observed(
        [text("user", "Due?"), CODE, text("tool-response", PUT_OUT), text("user", "!")]
    )
    assert [(one.role, one.text) for one in found] == [
        ("user", "Due?"),
        ("assistant", "5 EUR"),
        ("user", "!"),
    ]


def test_a_code_agents_other_steps_stay_calls():
    step = coded("x = final_answer\nprint(x)")
    assert roles(step, text("tool-response", PUT_OUT)) == ["assistant", "tool"]
    assert roles(CODE, text("tool-response", "Observation:\nError")) == ["assistant", "tool"]


def test_a_react_agents_answer_is_told_from_its_thought():
    message = concluded(text("assistant", "Thought: I know.\nAnswer: 5 EUR\nAnswer: no"))
    assert [(part.kind, part.text) for part in message.parts] == [
        ("reasoning", "I know."),
        ("text", "5 EUR\nAnswer: no"),
    ]


@pytest.mark.parametrize(
    "words",
    [
        "Answer: 5",
        "Thought: look\nAction: fetch\nAnswer: 5",
        "Thought: hm",
        "My Thought: x\nAnswer: y",
    ],
)
def test_what_is_no_react_answer_stays(words):
    message = text("assistant", words)
    assert concluded(message) is message
