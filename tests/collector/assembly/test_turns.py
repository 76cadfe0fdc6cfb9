"""Operations → turns: what opens a turn, what is its reply, and what belongs to it."""

from dataclasses import replace

import pytest

from collector.assembly.conversations import Conversations
from scorers.turn import Capture, Message, Part, Usage

QUESTION = "Is gate B locked?"


def with_tool(run, say, *, question=QUESTION, result="B: locked", told=None, reply="It is."):
    """A usual turn: ask, look up, answer."""
    given = [say.user(question)]
    wants = say.asks(("c1", "gates", '{"g": "B"}'))
    run.call(given, wants)
    run.tool("gates", result, "c1", arguments='{"g": "B"}')
    run.call([*given, wants, say.returns("c1", told or result)], say.says(reply))
    return run


def test_usual_turn(run, say):
    with_tool(run, say).agent()
    turn = run.turn()
    assert (turn.request, turn.reply, turn.agent) == (QUESTION, "It is.", "desk-agent")
    assert (turn.model_calls, turn.tool_turns, turn.input_tokens, turn.output_tokens) == (
        2,
        1,
        20,
        4,
    )
    [result] = turn.tool_results
    assert (result.produced, result.delivered, result.join) == ("B: locked", "B: locked", "id")


@pytest.mark.parametrize("order", ["as sent", "reversed", "root first"])
def test_order_of_arrival_does_not_matter(run, say, order):
    with_tool(run, say).agent()
    expected = run.turn()
    if order == "reversed":
        run.operations.reverse()
    elif order == "root first":
        run.operations.insert(0, run.operations.pop())
    assert run.turn() == expected


def test_root_that_never_comes(run, say):
    assert with_tool(run, say).turn().reply == "It is."


def test_several_turns_in_one_trace(run, say):
    first = [say.user("One?"), say.says("1.")]
    run.call(first[:1], first[1])
    run.call([*first, say.user("Two?")], say.says("2."))
    one, two = run.turns()
    assert (one.request, one.reply) == ("One?", "1.")
    assert (two.request, two.reply) == ("Two?", "2.")
    assert [said.text for said in two.requester.dialog] == ["One?", "1.", "Two?"]
    assert one.turn_id != two.turn_id


def test_several_agent_runs_with_the_same_request(run, say):
    """A batch that asks the same thing twice is two turns with two names."""
    for number in (1, 2):
        start = run.at
        run.call([say.user("Same?")], say.says("Yes."), parent=f"root{number}")
        run.agent(span=f"root{number}", start=start)
    one, two = run.turns()
    assert one.request == two.request == "Same?"
    assert one.turn_id != two.turn_id


def test_conversation_over_many_traces(say):
    """What was said in an earlier trace is the requester's context of a later one."""
    known = Conversations()
    first, second = say.Run(trace="1" * 32), say.Run(trace="2" * 32, at=2_000)
    first.call([say.user("One?")], say.says("1."), conversation_id="c")
    second.call([say.user("And now?")], say.says("2."), conversation_id="c")
    first.turn(conversations=known)
    turn = second.turn(conversations=known)
    assert [said.text for said in turn.requester.dialog] == ["One?", "1.", "And now?"]
    again = second.turn(conversations=known)
    assert again == turn, "assembled a second time, a turn is not part of its own past"


def test_turn_over_traces_without_a_root(say):
    """Every model call is a trace of its own; the tool call id holds them together."""
    run = say.Run(trace="1" * 32)
    wants = say.asks(("c1", "directory", "{}"))
    run.call([say.user("Hours?")], wants, parent=None)
    run.trace = "2" * 32
    run.call([say.user("Hours?"), wants, say.returns("c1", "8-18")], say.says("8 to 18."), None)
    turn = run.turn()
    assert turn.reply == "8 to 18."
    assert turn.trace_ids == ("1" * 32, "2" * 32)
    assert turn.tool_results[0].produced_missing == "no_tool_span"


def test_sub_agent_in_a_tool(run, say):
    """What a sub-agent says is neither the reply nor a request, and delivers to itself."""
    given = [say.user("Book the van.")]
    wants = say.asks(("sub", "ask_fleet", "{}"))
    run.call(given, wants)
    tool = run.tool("ask_fleet", "Van 7, 40 EUR", "sub", seconds=10)
    start = run.at - 9
    inner = say.asks(("in", "vans", "{}"))
    run.call([say.user("need: van")], inner, parent="fleet", start=start)
    run.tool("vans", "7 is free", "in", parent="fleet", start=start + 1)
    run.call(
        [say.user("need: van"), inner, say.returns("in", "7 is free")],
        say.says("Van 7, 40 EUR"),
        parent="fleet",
        start=start + 3,
    )
    run.agent("fleet-agent", span="fleet", parent=tool.span_id, start=start)
    run.call([*given, wants, say.returns("sub", "Van 7, 40 EUR")], say.says("Booked, 40 EUR."))
    run.agent("front-agent")
    turn = run.turn()
    assert (turn.request, turn.reply, turn.agent) == (
        "Book the van.",
        "Booked, 40 EUR.",
        "front-agent",
    )
    assert {r.tool: r.delivered for r in turn.tool_results} == {
        "ask_fleet": "Van 7, 40 EUR",
        "vans": "7 is free",
    }
    assert turn.model_calls == 4


def test_parallel_tool_calls_join_by_id(run, say):
    given = [say.user("Both?")]
    wants = say.asks(("c1", "read", '{"n": 1}'), ("c2", "read", '{"n": 2}'))
    run.call(given, wants)
    run.tool("read", "second", "c2", start=1_003)
    run.tool("read", "first", "c1", start=1_002)
    run.call([*given, wants, say.returns("c1", "first"), say.returns("c2", "sec")], say.says("ok"))
    results = {r.call_id: (r.produced, r.delivered) for r in run.turn().tool_results}
    assert results == {"c1": ("first", "first"), "c2": ("second", "sec")}


def test_two_instrumentations_record_one_call(run, say):
    """A record inside a record and a record beside it are one call, its tokens counted once."""
    given, answer = [say.user("How many?")], say.says("31.")
    outer = run.call(given, answer, response_id="r1", seconds=4)
    run.call(given, answer, parent=outer.span_id, start=1_001, response_id="r1")
    run.call(given, answer, start=1_001, response_id="r1")
    run.agent()
    turn = run.turn()
    assert (turn.model_calls, turn.input_tokens) == (1, 10)


def test_sdk_span_without_content_inside_a_chat_span(run, say):
    outer = run.call([say.user("Hi?")], say.says("Hello."), seconds=4)
    run.call(None, None, parent=outer.span_id, start=1_001, usage=Usage(11, 3))
    assert (run.turn().model_calls, run.turn().reply) == (1, "Hello.")


def test_title_call_is_neither_reply_nor_reader(run, say):
    given = [say.user("Plan the route.")]
    wants = say.asks(("r1", "route", "{}"))
    run.call(given, wants)
    run.call([say.system("Give it a title."), *given], say.says("Route planning"))
    run.tool("route", "A-C-D", "r1")
    run.call([*given, wants, say.returns("r1", "A-C-D")], say.says("Take A-C-D."))
    run.agent()
    turn = run.turn()
    assert (turn.reply, turn.model_calls) == ("Take A-C-D.", 3)
    assert turn.tool_results[0].delivered == "A-C-D"


def test_handoff_between_agents_is_one_turn(run, say):
    given = [say.user("My money back!")]
    wants = say.asks(("h1", "transfer_to_billing", "{}"))
    run.call([say.system("triage"), *given], wants, parent="one")
    run.tool("transfer_to_billing", "ok", "h1", parent="one")
    run.agent("triage", span="one", parent="flow")
    run.call(
        [say.system("billing"), *given, wants, say.returns("h1", "ok")],
        say.says("Refunded."),
        parent="two",
    )
    run.agent("billing", span="two", parent="flow", start=1_003)
    run.agent("support", span="flow", kind="workflow")
    turn = run.turn()
    assert (turn.request, turn.reply, turn.agent) == ("My money back!", "Refunded.", "triage")
    assert turn.tool_results[0].delivered == "ok"


def test_message_added_while_the_turn_runs(run, say):
    given = [say.user("Stock summary for March.")]
    wants = say.asks(("m1", "ledger", "{}"))
    run.call(given, wants)
    run.tool("ledger", "001 …", "m1")
    run.call(
        [*given, wants, say.returns("m1", "001 …"), say.user("Only totals, please.")],
        say.says("March: 25."),
    )
    turn = run.turn()
    assert turn.request == "Stock summary for March.\n\nOnly totals, please."
    assert turn.reply == "March: 25."


def test_harness_text_in_the_user_role_is_no_request(run, say):
    run.call(
        [
            say.user("Rename it."),
            say.says("Renamed."),
            say.user("<system-reminder>\nThe list is empty.\n</system-reminder>"),
        ],
        say.says("Understood."),
    )
    turn = run.turn()
    assert (turn.request, turn.request_missing) == (None, "no_requester_message")


def test_summary_of_a_compaction_is_no_request(run, say):
    given = [say.user("Audit the depots.")]
    wants = say.asks(("a1", "audit", "{}"))
    run.call(given, wants)
    run.tool("audit", "all fine", "a1")
    run.call(
        [
            *given,
            say.user("[summary of earlier steps] depot 0 audited"),
            wants,
            say.returns("a1", "all fine"),
        ],
        say.says("Fine."),
    )
    assert run.turn().request == "Audit the depots."


def test_agent_input_is_preferred_to_the_prompt_that_wraps_it(run, say):
    """Retrieved context that a harness pastes before the question was never the requester's."""
    run.call([say.user("Context: RETRIEVED-SECRET\nQuestion: How tall?")], say.says("2 m."))
    run.agent(input=(say.user("How tall?"),))
    turn = run.turn()
    assert turn.request == "How tall?"
    assert "RETRIEVED-SECRET" not in str(turn.requester)


def test_reasoning_is_not_a_reply(run, say):
    thought = Message("assistant", (Part("reasoning", "30 days, I think"),), finish_reason="stop")
    run.call([say.user("How long?")], thought)
    assert (run.turn().reply, run.turn().reply_missing) == ("", "empty")


def test_prefill_is_part_of_the_reply(run, say):
    run.call([say.user("Colours as JSON."), say.says('{"colours": [')], say.says('"red"]}'))
    turn = run.turn()
    assert (turn.request, turn.reply) == ("Colours as JSON.", '{"colours": ["red"]}')
    assert len(turn.requester.dialog) == 1


def test_run_that_broke_off(run, say):
    run.call([say.user("Report.")], say.asks(("w1", "collect", "{}")))
    run.tool("collect", "001 …", "w1")
    turn = run.turn()
    assert (turn.reply, turn.reply_missing) == (None, "unfinished")
    assert turn.tool_results[0].calls_after == 0


def test_reply_from_the_agent_span_when_the_last_call_is_a_tool(run, say):
    run.call([say.user("Done?")], say.asks(("f", "final_result", '{"a": 1}')))
    run.agent(output=(say.says('{"a": 1}'),))
    assert run.turn().reply == '{"a": 1}'


def test_agent_span_alone_is_a_turn(run, say):
    run.agent(input=(say.user("Status?"),), output=(say.says("Out of order."),))
    turn = run.turn()
    assert (turn.request, turn.reply, turn.model_calls) == ("Status?", "Out of order.", 0)
    assert turn.input_tokens is None


def test_content_off_is_not_an_empty_reply(run, say):
    hidden = Capture(hidden="content_off")
    run.call(None, None, capture=hidden)
    run.agent()
    turn = run.turn()
    assert (turn.request, turn.request_missing) == (None, "content_off")
    assert (turn.reply, turn.reply_missing) == (None, "content_off")


def test_budget_that_ran_out_is_named(run, say):
    run.call([say.user("Go.")], say.asks(("x", "t", "{}")))
    run.agent(error="MaxTurnsExceeded: 10")
    assert run.turn().stopped == "step_budget"


def test_loop_of_parents_ends(run, say):
    run.call([say.user("Hi?")], say.says("Hello."), parent="one", span="two")
    run.parents[(run.trace, "one")] = (run.trace, "two")
    assert run.turn().reply == "Hello."


def test_deep_nesting_is_linear(run, say):
    """10,000 agents inside each other take no quadratic time or memory, and no recursion."""
    parent = None
    for number in range(10_000):
        parent = run.agent(f"a{number}", span=f"{number:x}", parent=parent, seconds=1).span_id
    run.call([say.user("Hi?")], say.says("Hello."), parent=parent)
    assert [turn.reply for turn in run.turns() if turn.reply] == ["Hello."]


def test_turn_id_is_stable_when_a_child_comes_late(run, say):
    with_tool(run, say).agent()
    before = run.turn().turn_id
    late = run.operations.pop(1)
    assert run.turn().turn_id == before
    run.operations.append(replace(late, result="other"))
    assert run.turn().turn_id == before


@pytest.mark.parametrize("told", ["prefill", "continue"])
def test_reply_that_hit_its_length_limit_is_carried_on(run, say, told):
    """The requester gets both pieces; "continue" in the agent's own run is the harness's word."""
    question = say.user("Tell all.")
    first = replace(say.says("One, two, "), finish_reason="length")
    run.call([question], first)
    more = [say.user("Continue exactly where you stopped.")] if told == "continue" else []
    run.call([question, say.says("One, two, "), *more], say.says("three."))
    run.agent()
    turn = run.turn()
    assert (turn.request, turn.reply) == ("Tell all.", "One, two, three.")


@pytest.mark.parametrize(
    ("tool", "arguments", "reply"),
    [
        ("final_answer", '{"answer": "Twelve."}', "Twelve."),
        ("attempt_completion", '{"result": "Done, see main.py."}', "Done, see main.py."),
        ("final_result", '{"sum": 12, "unit": "crates"}', '{"sum": 12, "unit": "crates"}'),
        ("send_email", '{"message": "hello"}', None),
    ],
)
def test_reply_given_through_a_tool(run, say, tool, arguments, reply):
    run.call([say.user("How many?")], say.asks(("f", tool, arguments)))
    assert run.turn().reply == reply


def test_pieces_of_one_sentence_are_joined_as_they_were_written(run, say):
    """Answers with citations come in several text parts."""
    parts = ("The gate is locked", ", as of noon.", "Ask the porter.")
    answer = Message("assistant", tuple(Part("text", text) for text in parts))
    run.call([say.user("Locked?")], answer)
    assert run.turn().reply == "The gate is locked, as of noon.\nAsk the porter."


@pytest.mark.parametrize("lost", ["tool", "agent", "both", "all that comes later"])
def test_sub_agent_whose_tool_span_is_missing(run, say, lost):
    """Its task is not the requester's word and its answer no reply, lost or only late."""
    given = [say.user("Compare the docks.")]
    wants = say.asks(("s1", "ask", "{}"))
    run.call(given, wants)
    run.parents[(run.trace, "ask")] = (run.trace, "root")
    inner = [say.user("Inspect dock 5.")]
    run.call(inner, say.says("Dock 5 holds 41 barrels of oak."), parent="worker")
    worker = run.agent("worker", span="worker", parent="ask", start=run.at - 1)
    run.call([*given, wants, say.returns("s1", "41 barrels")], say.says("Dock 5 has most."))
    run.agent("desk-agent")
    if lost in ("tool", "both", "all that comes later"):
        del run.parents[(run.trace, "ask")]
    if lost in ("agent", "both"):
        run.operations.remove(worker)
        del run.parents[(run.trace, "worker")]
    if lost == "all that comes later":
        run.operations = run.operations[:2]
        for span in ("worker", "root"):
            del run.parents[(run.trace, span)]
    turn = run.turn()
    assert turn.request == "Compare the docks."
    assert "Dock 5 holds" not in (turn.reply or "")
    assert "Inspect" not in str(turn.requester)
    if lost == "all that comes later":
        assert turn.reply_missing == "unfinished"
    else:
        assert turn.reply == "Dock 5 has most."
        assert turn.model_calls == 3


def test_title_call_beside_the_agents_run_is_no_turn(run, say):
    """A harness asks for a title under a plain root span, outside of the agent's own."""
    run.call([say.user("Plan the delivery route.")], say.says("Take A-C-D."), parent="agent")
    run.agent("desk", span="agent", parent="root")
    run.call(
        [say.system("Write a title."), say.user("Plan the delivery route.")],
        say.says("Delivery route"),
    )
    run.parents[(run.trace, "root")] = None
    turn = run.turn()
    assert (turn.reply, turn.model_calls) == ("Take A-C-D.", 2)
