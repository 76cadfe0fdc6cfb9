"""A conversation that was recorded as two lists."""

from collector.spelling.interleaving import interleaved
from scorers.turn import Message, Part


def user(words):
    return Message("user", (Part("text", words),))


def reply(words):
    return Message("assistant", (Part("text", words),))


def step(*ids):
    return Message("assistant", tuple(Part("tool_call", "{}", one, f"tool {one}") for one in ids))


def result(call_id, words):
    return Message("tool", (Part("tool_result", words, call_id),))


def test_steps_stand_before_their_results_and_replies_before_the_next_user():
    heard = [user("a"), result("c1", "r1"), result("c2", "r2"), user("b"), result("c3", "r3")]
    spoken = [step("c1"), step("c2"), reply("done"), step("c3")]
    assert interleaved(heard, spoken) == (
        user("a"), step("c1"), result("c1", "r1"), step("c2"), result("c2", "r2"), reply("done"),
        user("b"), step("c3"), result("c3", "r3"),
    )  # fmt: skip


def test_nothing_is_lost_whatever_fits():
    heard = [user("a"), result(None, "r"), result("unknown", "r")]
    assert set(interleaved(heard, [reply("x"), step("c")])) == {*heard, reply("x"), step("c")}
    assert interleaved([], []) == ()
