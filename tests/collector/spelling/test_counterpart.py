from collector.spelling.counterpart import fuller, keeps_results_apart, lacks_ids, with_ids
from scorers.turn import Message, Part


def call(call_id, name):
    return Message("assistant", (Part("tool_call", "{}", id=call_id, name=name),))


def result(call_id, text):
    return Message("tool", (Part("tool_result", text, id=call_id),))


def test_calls_without_ids_get_those_of_the_raw_request():
    listed = (Message("user", (Part("text", "hi"),)), call(None, "look"), result("c1", "seen"))
    raw = (call("c1", "look"), result(None, "seen"))
    assert lacks_ids(listed)
    found = with_ids(listed, raw)
    assert not lacks_ids(found)
    assert [part.id for message in found for part in message.parts] == [None, "c1", "c1"]


def test_lists_that_tell_different_calls_lend_no_ids():
    listed = (call(None, "look"), call(None, "see"))
    for raw in (None, (), (call("c1", "look"),), (call("c1", "see"), call("c2", "look"))):
        assert with_ids(listed, raw) == listed


def test_a_known_id_is_never_replaced():
    listed = (call("a", "look"), call(None, "see"))
    found = with_ids(listed, (call("b", "look"), call("c", "see")))
    assert [part.id for message in found for part in message.parts] == ["a", "c"]


def test_results_that_became_one_are_kept_apart_by_the_other_list():
    joined = (result("c2", "one\ntwo"),)
    apart = (result("c1", "one"), result("c2", "two"))
    assert keeps_results_apart(apart, joined)
    assert not keeps_results_apart(joined, apart)
    assert not keeps_results_apart(apart, apart)
    assert fuller(joined, apart) == apart
    assert fuller(apart, joined) == apart


def test_the_systems_messages_stay_where_the_fuller_list_has_none():
    prompt = Message("system", (Part("text", "Be brief."),))
    apart = (result("c1", "one"), result("c2", "two"))
    assert fuller((prompt, result("c2", "two")), apart) == (prompt, *apart)
    assert fuller((prompt,), (prompt, *apart)) == (prompt, *apart)
