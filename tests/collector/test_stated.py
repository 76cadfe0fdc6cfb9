"""What attributes of any span say about its turn, whatever library instruments it."""

import json

import pytest

from collector.assembly.settings import TurnsConfig
from running import UNBOUNDED, Live
from traces import MS, Trace, assistant, user

ASKED = "Which parcels are late?"
REPLY = "Two parcels are late: 17 and 23."


def turns(trace, config=UNBOUNDED, resource=None):
    live = Live(config)
    live.send(trace.spans, resource=resource)
    live.close("quiet")
    return [entry.turn for entry in live.entries]


def one_call(trace, parent=None, **known):
    trace.chat([user(ASKED)], assistant(REPLY), parent, **known)


def around(attributes, **known):
    """Return the turn of a model call inside a span of the application."""
    trace = Trace("stated")
    with trace.around("POST /ask", attributes) as parent:
        one_call(trace, parent, **known)
    [turn] = turns(trace)
    return turn


@pytest.mark.parametrize(
    "key", ["session.id", "gen_ai.conversation.id", "tellback.conversation.id"]
)
def test_the_conversation_of_a_span_around(key):
    assert around({key: "c-7"}).conversation_id == "c-7"


def test_a_number_is_an_id_and_nothing_is_none():
    assert around({"session.id": 4711}).conversation_id == "4711"
    assert around({"session.id": "  "}).conversation_id is None
    assert around({}).conversation_id is None


def test_what_the_library_says_goes_first_unless_it_is_overridden():
    assert around({"session.id": "outer"}, conversation="own").conversation_id == "own"
    trace = Trace("override")
    one_call(trace, conversation="own")
    key = {"key": "tellback.conversation.id", "value": {"stringValue": "mine"}}
    trace.spans[0]["attributes"].append(key)
    [turn] = turns(trace)
    assert turn.conversation_id == "mine"


def test_the_nearest_span_counts():
    trace = Trace("nested")
    with trace.around("outer", {"session.id": "outer"}) as outer:  # noqa: SIM117 - one is in the other
        with trace.around("inner", {"session.id": "inner"}, outer) as inner:
            one_call(trace, inner)
    [turn] = turns(trace)
    assert turn.conversation_id == "inner"


def test_two_turns_of_one_trace_have_what_stands_around_each():
    trace = Trace("two")
    for number in (1, 2):
        with trace.around(f"turn {number}", {"session.id": f"c-{number}"}) as parent:
            trace.chat([user(f"Question {number}?")], assistant(f"Answer {number}."), parent)
        trace.now += 1000 * MS
    found = {turn.request: turn.conversation_id for turn in turns(trace)}
    assert found == {"Question 1?": "c-1", "Question 2?": "c-2"}


def test_a_span_that_comes_last_or_twice_still_counts():
    trace = Trace("late")
    with trace.around("POST /ask", {"session.id": "c-9"}) as parent:
        one_call(trace, parent)
    live = Live()
    for span in (*trace.spans, trace.spans[-1]):
        live.send([span])
    live.close("quiet")
    assert [entry.turn.conversation_id for entry in live.entries] == ["c-9"]
    assert live.pipeline.assembler.size == sum(
        group.size for group in live.pipeline.assembler.groups.values()
    )


def test_the_resource_fills_what_no_span_says():
    resource = {
        "service.name": "desk-bot",
        "service.version": "1.0",
        "session.id": "run-1",
        "gen_ai.agent.version": "2.5",
        "gen_ai.agent.name": "desk",
    }
    trace = Trace("resource")
    one_call(trace)
    [turn] = turns(trace, resource=resource)
    assert (turn.conversation_id, turn.agent_version, turn.agent) == ("run-1", "2.5", "desk")
    one_call(trace := Trace("own"), conversation="c-1")
    [turn] = turns(trace, resource=resource)
    assert turn.conversation_id == "c-1"


def test_the_service_version_is_the_last_resort():
    trace = Trace("version")
    with trace.around("POST /ask", {"tellback.agent.version": "7"}) as parent:
        one_call(trace, parent)
    resource = {"service.name": "desk-bot", "service.version": "1.0"}
    [turn] = turns(trace, resource=resource)
    assert turn.agent_version == "7"
    one_call(trace := Trace("plain"))
    [turn] = turns(trace, resource=resource)
    assert (turn.agent_version, turn.agent) == ("1.0", "desk-bot")


def test_names_of_the_users_own():
    config = TurnsConfig(
        conversation_attributes=("app.chat_id",), version_attributes=("git.commit",)
    )
    trace = Trace("named")
    with trace.around("POST /ask", {"app.chat_id": "c-3", "git.commit": "ab12"}) as parent:
        one_call(trace, parent)
    [turn] = turns(trace, config)
    assert (turn.conversation_id, turn.agent_version) == ("c-3", "ab12")
    [turn] = turns(trace)
    assert turn.conversation_id is None


def test_files_are_the_requesters():
    files = json.dumps([{"name": "late.csv", "text": "id\n17\n23"}, "notes.txt"])
    turn = around({"tellback.requester.files": files})
    assert [(one.name, one.text) for one in turn.requester.files] == [
        ("late.csv", "id\n17\n23"),
        ("notes.txt", ""),
    ]


@pytest.mark.parametrize("odd", ["", "{", "[1, null, {}]", '{"name": 4, "text": []}', "[[[]]]"])
def test_files_that_are_none_are_none(odd):
    named = [one for one in around({"tellback.requester.files": odd}).requester.files if one.text]
    assert not named


def test_memory_is_private():
    trace = Trace("memory")
    with trace.around("POST /ask", {"tellback.memory": "Prefers short answers."}) as parent:
        trace.span(
            "search_memory notes",
            {"gen_ai.operation.name": "search_memory", "gen_ai.memory.records": "Depot is Graz."},
            parent,
        )
        one_call(trace, parent)
    [turn] = turns(trace)
    memory = {item.text for item in turn.private if item.kind == "memory"}
    assert memory == {"Prefers short answers.", "Depot is Graz."}
    assert not any("Graz" in said.text for said in turn.requester.dialog)


def test_spans_that_only_name_a_session_make_no_turn():
    trace = Trace("browser")
    for _ in range(5):
        trace.span("click", {"session.id": "s"})
    assert turns(trace) == []
