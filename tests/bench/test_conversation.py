"""What counts as new in a conversation."""

from conversation import new_bytes
from workloads import START_NS, Text, Trace, answer, called, responded, said


def test_a_message_counts_once_however_often_it_is_sent():
    trace = Trace(Text(1), START_NS)
    question = said("user", "Wie heißt es?")
    asked = called("find", "call_1", "x")
    first = trace.chat([question], asked)
    sent = {key: value for key, value in asked.items() if key != "finish_reason"}
    result = trace.tool("find", "call_1", "ä" * 50)
    history = [question, sent, responded("call_1", "ä" * 20)]
    last = trace.chat(history, answer("So."))
    assert new_bytes([first, first]) == new_bytes([first])
    assert new_bytes([first, result]) == new_bytes([first]) + 100
    whole = new_bytes([first, result, last])
    assert whole == new_bytes([first, result, last, last])
    assert whole < sum(len(str(message).encode()) for message in [*history, answer("So.")]) + 100
