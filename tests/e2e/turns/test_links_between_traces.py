"""Traces of different requesters are never joined, even where their call ids are the same."""

import pytest

from running import run
from traces import MINUTE, SECOND, Trace, assistant, call, tool, user

ASKED = assistant(None, call("call_1", "f", {}))
HOUR = 60 * MINUTE


@pytest.mark.parametrize("gap", [SECOND, HOUR])
def test_different_conversation_ids_never_merge(gap):
    first = Trace("user A")
    second = Trace("user B", at=gap)
    first.chat([user("hello")], ASKED, conversation="user-A")
    given = [user("hello"), ASKED, tool(("call_1", "B's data"))]
    second.chat(given, assistant("done B"), conversation="user-B")
    turns = run(first, second)["turns"]
    found = [(turn["conversation_id"], turn["reply"]) for turn in turns]
    assert found == [("user-A", None), ("user-B", "done B")]


def test_a_trace_with_its_own_root_that_lost_its_first_call_is_not_joined_with_a_strangers():
    traces = []
    for number in range(2):
        trace = Trace(f"requester {number}", at=number * HOUR)
        data = f"data of user {number}"
        with trace.agent() as desk:
            trace.chat([user("hello")], ASKED, desk)
            trace.execute("f", "call_1", {}, data, desk)
            given = [user("hello"), ASKED, tool(("call_1", data))]
            trace.chat(given, assistant(f"answer {number}"), desk)
        traces.append(trace)
    del traces[1].spans[0]
    replies = [turn["reply"] for turn in run(*traces)["turns"]]
    assert sorted(replies) == ["answer 0", "answer 1"]
