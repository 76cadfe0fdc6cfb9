"""A message that is told again is read once, and is the same one."""

from collector.spelling.flat_messages import openinference, openllmetry, read
from collector.spelling.repeated import Repeated
from scorers.turn import Message, Part


def items(*contents, key="message."):
    return [
        (at, {f"{key}role": "user", f"{key}content": content})
        for at, content in enumerate(contents)
    ]


def test_the_same_message_is_shared_by_all_calls():
    first = read(items("a question", "another"), openinference, dropped=0)
    second = read(items("a question", "another", "a third"), openinference, dropped=0)
    assert first == second[:2]
    assert first[0] is second[0]
    assert second[2] == Message("user", (Part("text", "a third"),))


def test_spellings_are_not_mixed_up():
    fields = [(0, {"message.role": "user", "role": "assistant", "content": "x"})]
    assert read(fields, openinference, dropped=0)[0].role == "user"
    assert read(fields, openllmetry, dropped=0)[0].role == "assistant"


def test_fields_that_hold_lists_are_read_each_time():
    calls = [{"tool_call.function.name": "f", "tool_call.function.arguments": "{}"}]
    fields = [(0, {"message.role": "assistant", "message.tool_calls": calls})]
    assert read(fields, openinference, dropped=0) == read(fields, openinference, dropped=0)


def test_what_is_kept_is_bounded():
    repeated = Repeated(most_characters=1000)
    for number in range(100):
        fields = {"content": f"{number} " + "x" * 90}
        repeated.read(fields, "test", lambda: ())
        assert repeated.size <= 1000
    assert repeated.size > 0
