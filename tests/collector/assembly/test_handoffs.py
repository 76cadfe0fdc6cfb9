"""Agents that hand over to others: the turn stays one, and the reply is that of who answered."""

from dataclasses import replace

from collector.assembly.turns import assemble

ASK = "Which invoice is the oldest?"
NOTE = "A note for my colleague: INV-2003."
REPLY = "INV-2003 is the oldest one."


def test_the_call_that_hands_over_may_last_as_long_as_what_it_leads_to(run, say):
    """ADK 1 records the next agent inside of the call that transferred to it."""
    asked = say.asks(("t1", "transfer_to_agent", '{"agent_name": "expert"}'))
    run.call([say.user(ASK)], asked, span="outer", start=1001, seconds=9, agent="desk")
    run.at = 1002
    run.tool("transfer_to_agent", '{"result": null}', "t1", parent="outer", start=1002)
    run.agent("expert", span="expert", parent="outer", start=1003, seconds=6)
    fetch = say.asks(("c1", "fetch", "{}"))
    run.call([say.system("Expert."), say.user(ASK)], fetch, "expert", start=1004, agent="expert")
    run.tool("fetch", "rows", "c1", parent="expert", start=1005)
    given = [say.system("Expert."), say.user(ASK), fetch, say.returns("c1", "rows")]
    run.call(given, say.says(REPLY), "expert", start=1006, agent="expert")
    run.agent("desk", start=1000, seconds=11)
    turn = run.turn()
    assert (turn.request, turn.reply, turn.model_calls) == (ASK, REPLY, 3)
    told = {result.tool: result.delivered_missing for result in turn.tool_results}
    assert told == {"fetch": None, "transfer_to_agent": "handed_over"}


def test_what_a_sub_agent_says_to_the_outer_one_is_not_the_reply(run, say):
    asked = say.asks(("t1", "ask_expert", '{"q": 1}'))
    run.call([say.user(ASK)], asked)
    run.tool("ask_expert", NOTE, "t1", span="tool", seconds=5)
    run.agent("expert", span="expert", parent="tool", start=1003, seconds=3)
    run.call([say.user("Tell me which one.")], say.says(NOTE), "expert", start=1004)
    run.at = 1008
    run.call([say.user(ASK), asked, say.returns("t1", NOTE)], say.says(REPLY))
    run.agent("desk")
    turn = run.turn()
    assert (turn.request, turn.reply, turn.agent) == (ASK, REPLY, "desk")
    [result] = turn.tool_results
    assert (result.tool, result.produced, result.delivered) == ("ask_expert", NOTE, NOTE)


def test_a_hand_over_without_a_span_misses_no_tool_span(run, say):
    asked = say.asks(("t1", "transfer_to_expert", "{}"), ("c1", "fetch", "{}"))
    run.call([say.user(ASK)], asked)
    given = [say.user(ASK), asked, say.returns("t1", "{}"), say.returns("c1", "rows")]
    run.call(given, say.says(REPLY))
    run.agent()
    missing = {result.tool: result.produced_missing for result in run.turn().tool_results}
    assert missing == {"transfer_to_expert": "handed_over", "fetch": "no_tool_span"}


def runtime(run, say, *, agent):
    """Two agents of a team, each in a message that a runtime took in."""
    for name, answer in (
        ("one", say.asks(("t1", "transfer_to_two", "{}"))),
        ("two", say.says(REPLY)),
    ):
        run.parents[(run.trace, f"message-{name}")] = (run.trace, "root")
        run.agent(name, span=name, parent=f"message-{name}", start=run.at, seconds=3)
        run.call([say.system(name), say.user(ASK)], answer, name, agent=name)
    if agent:
        run.agent("team", start=999, seconds=20)
    entries = {(run.trace, "message-one"), (run.trace, "message-two")}
    return assemble(replace(run.material(), entries=entries))


def test_messages_within_a_run_are_no_requests(run, say):
    [turn] = runtime(run, say, agent=True)
    assert (turn.request, turn.reply, turn.agent) == (ASK, REPLY, "team")


def test_messages_outside_of_a_run_are(run, say):
    assert [turn.agent for turn in runtime(run, say, agent=False)] == ["one", "two"]
