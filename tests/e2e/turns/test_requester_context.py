"""The requester context never holds what a tool produced, and always what the requester said."""

import json

import pytest

from running import run, turns_of
from traces import MINUTE, Trace, assistant, call, spans_of, tool, user

CANARY = "CANARY-4711"
RESULT = f"it is at {CANARY} dock with 17 crates of oak, lot 993-AB"
WRAPS = {
    "plain": lambda text: text,
    "cut": lambda text: text[:30] + "... [truncated]",
    "json": lambda text: json.dumps({"tool": "look", "output": text}),
    "prose": lambda text: f"Here is what look returned: {text}",
}


def leaks(*traces):
    """Return every piece of a requester context that holds the canary."""
    found = []
    for turn in turns_of(spans_of(*traces)):
        context = turn.requester
        pieces = [said.text for said in context.dialog] + [file.text for file in context.files]
        found += [text for text in [*pieces, turn.request or ""] if CANARY in text]
    return found


def conversation(wrap):
    """Two turns; a user message delivers the result of the first one's tool call."""
    asked = assistant(None, call("c1", "look", {}))
    history = [user("where?")]
    first = Trace("first")
    with first.agent(conversation="z") as desk:
        first.chat(history, asked, desk, conversation="z")
        first.execute("look", "c1", {}, RESULT, desk)
        history += [asked, user(WRAPS[wrap](RESULT))]
        first.chat(history, assistant("found."), desk, conversation="z")
    history += [assistant("found."), user("and?")]
    second = Trace("second", at=MINUTE)
    with second.agent(conversation="z") as desk:
        second.chat(history, assistant("ok."), desk, conversation="z")
    return first, second


@pytest.mark.parametrize("wrap", WRAPS)
def test_user_text_that_answers_a_tool_call_is_not_the_requesters(wrap):
    first, _ = conversation(wrap)
    assert leaks(first) == []


@pytest.mark.parametrize("wrap", WRAPS)
def test_nor_is_it_in_the_next_turns_history(wrap):
    assert leaks(*conversation(wrap)) == []


def test_the_canary_is_found_where_the_requester_says_it():
    """Guards the tests above: what they look for would be seen."""
    trace = Trace("said")
    trace.chat([user(f"Where is {CANARY}?")], assistant("At dock 4."))
    assert leaks(trace) == [f"Where is {CANARY}?"] * 2


def test_a_user_who_rejects_a_tool_call_is_heard():
    trace = Trace("rejection")
    refused = assistant(None, call("d", "delete", {}))
    with trace.agent() as desk:
        trace.chat([user("Delete all")], refused, desk)
        given = [user("Delete all"), refused, user("No, stop! Only list them.")]
        trace.chat(given, assistant("Here is the list."), desk)
    assert "Only list them" in run(trace)["turns"][0]["request"]


def test_a_result_in_a_tool_message_is_never_the_requesters():
    trace = Trace("tool message")
    asked = assistant(None, call("c1", "look", {}))
    trace.chat([user("where?")], asked)
    trace.execute("look", "c1", {}, RESULT)
    trace.chat([user("where?"), asked, tool(("c1", RESULT))], assistant("found."))
    assert leaks(trace) == []
