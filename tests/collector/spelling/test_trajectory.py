"""DSPy's ReAct steps, told as fields of one text."""

import pytest

from collector.spelling.trajectory import stepwise
from scorers.turn import Message, Part

ROWS = '{"invoices": ["INV-1", "INV-2"]}'
RESPOND = (
    "Respond with the corresponding output fields, starting with `[[ ## next_tool_name ## ]]`."
)
ASKED = "[[ ## question ## ]]\nWhat is due?"
STEPS = f"""{ASKED}

[[ ## trajectory ## ]]
[[ ## thought_0 ## ]]
look it up

[[ ## tool_name_0 ## ]]
fetch

[[ ## tool_args_0 ## ]]
{{"a": 1}}

[[ ## observation_0 ## ]]
{ROWS}

{RESPOND}"""


def text(role, words):
    return Message(role, (Part("text", words),))


def told(*messages):
    return [
        (one.role, [(part.kind, part.name, part.text) for part in one.parts])
        for one in stepwise(messages)
    ]


def test_steps_are_calls_and_results():
    assert told(text("user", STEPS)) == [
        ("user", [("text", None, f"{ASKED}\n\n{RESPOND}")]),
        ("assistant", [("reasoning", None, "look it up"), ("tool_call", "fetch", '{"a": 1}')]),
        ("tool", [("tool_result", "fetch", ROWS)]),
    ]


def test_the_question_is_the_same_text_in_every_call():
    """So that later calls carry the earlier ones on."""
    first = f"{ASKED}\n\n[[ ## trajectory ## ]]\n\n\n{RESPOND}"
    assert told(text("user", first)) == [("user", [("text", None, first)])]
    second = text("user", STEPS.replace(ROWS, f"{ROWS}\n\n[[ ## thought_1 ## ]]\nmore"))
    assert told(second)[-1] == ("assistant", [("reasoning", None, "more")])


def test_an_answer_that_names_a_tool_asks_for_it():
    words = (
        "[[ ## next_thought ## ]]\nlook\n\n[[ ## next_tool_name ## ]]\nfetch\n\n"
        '[[ ## next_tool_args ## ]]\n{"a": 1}\n\n[[ ## completed ## ]]'
    )
    assert told(text("assistant", words)) == [
        ("assistant", [("reasoning", None, "look"), ("tool_call", "fetch", '{"a": 1}')])
    ]


@pytest.mark.parametrize(
    "message",
    [
        text("system", f"Your fields: {STEPS}"),  # it describes the form
        text("user", STEPS.replace("next_tool_name", "answer")),  # the call that concludes
        text("user", "[[ ## question ## ]]\nWhat is [[ ## trajectory"),
        text("assistant", "[[ ## answer ## ]]\n5 EUR"),
        text("user", ""),
    ],
)
def test_other_messages_stay_as_they_are(message):
    assert stepwise([message]) == (message,)
