"""An SDK's count limits take whole messages: what they took is unobservable, never dropped.

Python's SDK drops the oldest attributes and events, those of other languages refuse the newest.
"""

import random

import pytest
from agents import SHAPES, Run, Step, counted, pairs, turns

REASON = "attribute_count_limit"
LONG = ("Flattened", "FlattenedRaw", "FlattenedBlocks", "Indexed", "SpanEvents", "PlainEvents")
REQUEST = "And which of these is the oldest one?"
REPLY = "INV-2003 is the oldest one, due on 2 March."


def a_run(messages, *, delivered=None, tools=3):
    chance = random.Random(messages)
    history = []
    for number in range(messages // 2):
        history += [
            ("user", f"Question {number} about ledger page {chance.randint(1, 900)}?"),
            ("assistant", f"Answer {number}: page {chance.randint(1, 900)} is closed."),
        ]
    steps = []
    for number in range(tools):
        text = "\n".join(
            f"line {line} of {number}: {chance.randint(1, 10**6)}" for line in range(40)
        )
        given = {"cut": text[:500], "dropped": None}.get(delivered, text)
        steps.append(Step(f"tool_{number}", text, given))
    return Run(steps, request=REQUEST, reply=REPLY, history=history, name=f"count {messages}")


@pytest.mark.parametrize("newest", [False, True], ids=["python", "javascript"])
@pytest.mark.parametrize("shape", LONG)
@pytest.mark.parametrize("delivered", ["whole", "cut", "dropped"])
def test_what_a_count_limit_took_is_no_loss(shape, newest, delivered):
    states = {"whole": {"intact"}, "cut": {"cut"}, "dropped": {"dropped"}}[delivered]
    seen = set()
    for messages in (0, 20, 40, 60, 120, 126, 130, 200):
        run = a_run(messages, delivered=delivered)
        for most in (16, 24, 32, 64, 128):
            for pair in pairs(counted(SHAPES[shape](run).write(), most, newest=newest)).values():
                seen.add(pair["state"])
                at = (messages, most, pair["tool"], pair["state"], pair["reason"])
                assert pair["state"] in states | {"unobservable", "unread"}, at
                if pair["state"] == "unobservable":
                    assert pair["reason"] in (REASON, "no_tool_span", "no_join"), at
                    assert pair["kept_characters"] is None
    assert states <= seen, "where nothing is taken, it is seen"
    # Python's SDK keeps the newest messages, and the raw request is set before them.
    assert "unobservable" in seen or not newest or shape == "FlattenedRaw"


@pytest.mark.parametrize("newest", [False, True], ids=["python", "javascript"])
@pytest.mark.parametrize("shape", LONG)
def test_request_and_reply_are_right_or_missing_with_the_reason(shape, newest):
    found = set()
    for messages in (0, 20, 40, 60, 120, 126, 130, 200):
        run = a_run(messages)
        for most in (16, 24, 32, 64, 128):
            made = turns(counted(SHAPES[shape](run).write(), most, newest=newest))
            for turn in made:
                at = (
                    messages,
                    most,
                    turn["request"],
                    turn["request_missing"],
                    turn["reply"],
                    turn["reply_missing"],
                )
                assert turn["request"] in (REQUEST, None), at
                assert turn["reply"] in (REPLY, None), at
                for what in ("request", "reply"):
                    found.add((what, turn[f"{what}_missing"]))
    reasons = {reason for _, reason in found if reason is not None}
    assert reasons <= {REASON}, found
