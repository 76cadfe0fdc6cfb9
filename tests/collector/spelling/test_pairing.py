"""Calls and results whose ids an instrumentation mixed up or left out."""

from collector.spelling.pairing import answered_together, called_as_answered
from scorers.turn import Message, Part


def step(*ids):
    return Message("assistant", tuple(Part("tool_call", "{}", one, f"tool {one}") for one in ids))


def result(call_id, words="r"):
    return Message("tool", (Part("tool_result", words, call_id),))


def user(words):
    return Message("user", (Part("text", words),))


def ids(messages, kind):
    return [part.id for message in messages for part in message.of_kind(kind)]


def test_joined_results_answer_all_calls_of_their_step():
    *_, last = answered_together([user("a"), step("c1", "c2"), result("c2", "r1 r2")])
    assert [(part.id, part.name, part.text) for part in last.parts] == [
        ("c2", None, "r1 r2"),
        ("c1", "tool c1", "r1 r2"),
    ]


def test_results_of_their_own_stay_alone():
    said = (step("c1", "c2"), result("c1"), result("c2"), step("c3"), result("c3"), user("b"))
    assert answered_together(said) == said
    unknown = (step("c1"), result("other"), step("c2"))
    assert answered_together(unknown) == unknown


def test_calls_take_the_ids_of_their_results():
    # As Traceloop's openai-agents 0.62.4 sends them.
    said = [user("a"), step("fc1"), result("call_1"), step("fc2"), step("fc3"),
            result("call_2"), result("call_3")]  # fmt: skip
    found = called_as_answered(said)
    assert ids(found, "tool_call") == ["call_1", "call_2", "call_3"]
    assert ids(found, "tool_result") == ["call_1", "call_2", "call_3"]


def test_ids_that_agree_or_cannot_be_paired_stay():
    for said in (
        (step("c1"), result("c1")),
        (step("c1", "c2"), result("c2"), result("c1")),
        (step("c1", "c2"), result("c3")),
        (result("c1"), step("c2")),
        (user("a"),),
    ):
        assert called_as_answered(said) == said
