"""Marks that stand where the requester's or the agent's words were, and records told in parts."""

from dataclasses import replace

from scorers.turn import Capture, Message, Part

SCRUBBED = "[Scrubbed due to 'password']"
HIDDEN = Capture(hidden="redacted")


def test_a_mark_is_no_request(run, say):
    run.call([say.user(SCRUBBED)], say.says("Two herons."), capture=HIDDEN)
    turn = run.turn()
    assert (turn.request, turn.request_missing) == (None, "redacted")
    assert turn.reply == "Two herons."
    assert not turn.requester.dialog


def test_a_mark_is_no_reply(run, say):
    run.call([say.user("Who is there?")], say.says(SCRUBBED), capture=HIDDEN)
    turn = run.turn()
    assert (turn.reply, turn.reply_missing) == (None, "redacted")
    # Nor is it where the agent's own span holds it too.
    run.agent(output=(say.says(SCRUBBED),))
    assert run.turn().reply is None


def test_words_around_a_mark_are_the_requesters(run, say):
    words = f"The text reads {SCRUBBED}: why? " + "It has stood there since the move. " * 6
    run.call([say.user(words)], say.says("It was scrubbed."))
    assert run.turn().request == words.strip()


def test_a_message_at_which_the_recording_breaks_off_is_no_beginning_of_the_reply(run, say):
    cut = Message("assistant", (Part("text", "Two her", cut_by_capture=True),))
    run.call([say.user("Who is there?"), cut], say.says("All of them are grey."))
    assert run.turn().reply == "All of them are grey."


def test_tools_of_one_span_stand_where_it_stands(run, say):
    """Haystack's tool invoker is one span for several calls; each is inside of it."""
    run.call([say.user("Who?")], say.asks(("c1", "look", "{}"), ("c2", "look", "{}")))
    invoker = run.tool("look", "a heron", call_id="c1")
    run.operations[-1] = replace(invoker, span_id="d" * 16, parent_id=invoker.span_id)
    run.operations.append(
        replace(invoker, span_id="e" * 16, parent_id=invoker.span_id, call_id="c2", result="a swan")
    )
    given = [say.user("Who?"), say.asks(("c1", "look", "{}"), ("c2", "look", "{}"))]
    given += [say.returns("c1", "a heron"), say.returns("c2", "a swan")]
    run.call(given, say.says("A heron and a swan."))
    run.agent()
    turn = run.turn()
    assert [(r.call_id, r.produced, r.delivered) for r in turn.tool_results] == [
        ("c1", "a heron", "a heron"),
        ("c2", "a swan", "a swan"),
    ]


def test_a_client_s_record_inside_a_tool_s_is_the_same_call_however_its_json_is_written(run, say):
    run.call([say.user("Who?")], say.asks(("c1", "look", '{"at": "bank"}')))
    outer = run.tool("look", "a heron", call_id="c1", arguments='{"at": "bank"}')
    run.tool("look", "a heron", parent=outer.span_id, arguments='{"at":"bank"}')
    given = [
        say.user("Who?"),
        say.asks(("c1", "look", '{"at": "bank"}')),
        say.returns("c1", "a heron"),
    ]
    run.call(given, say.says("A heron."))
    run.agent()
    assert len(run.turn().tool_results) == 1
    # Other arguments are another call.
    run.tool("look", "a swan", parent=outer.span_id, arguments='{"at":"weir"}')
    assert len(run.turn().tool_results) == 2
