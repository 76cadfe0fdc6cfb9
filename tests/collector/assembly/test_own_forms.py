"""Agents that talk to their model in a form of their own, and results nobody can recognize."""

from dataclasses import replace

from scorers.turn import Message, Part

OBSERVED = 'Action: look\nAction Input: {}\nObservation: {"seen": "a heron, on the north bank"}'


def test_answer_with_its_observation_behind_it_is_no_prefill(run, say):
    """CrewAI's ReAct loop appends what the tool returned to the assistant's text."""
    run.call([say.user("What is there?")], say.says("Action: look\nAction Input: {}"))
    run.tool("look", '{"seen": "a heron, on the north bank"}')
    run.call([say.user("What is there?"), say.says(OBSERVED)], say.says("Final Answer: A heron."))
    assert run.turn().reply == "Final Answer: A heron."


def test_reply_is_what_the_agent_took_out_of_the_answer(run, say):
    run.call([say.user("What is there?")], say.says("Thought: I know\nFinal Answer: A heron."))
    run.agent(output=(say.says("A heron."),))
    assert run.turn().reply == "A heron."


def test_agent_output_that_is_the_start_of_the_answer_is_no_reply(run, say):
    """Previews keep the start of a text."""
    run.call([say.user("What is there?")], say.says("A heron. It is on the north bank."))
    run.agent(output=(say.says("A heron."),))
    assert run.turn().reply == "A heron. It is on the north bank."


def test_answer_that_holds_the_agents_output_is_that_of_the_main_thread(run, say):
    """DSPy asks for each step in a conversation of its own."""
    run.call([say.user("[[question]] What is there? [[steps]]")], say.says("[[tool]] look"))
    run.call([say.user("[[question]] What is there? [[steps]] 1")], say.says("[[answer]] A heron!"))
    run.agent(input=(say.user("What is there?"),), output=(say.says("A heron!"),))
    turn = run.turn()
    assert (turn.request, turn.reply, turn.model_calls) == ("What is there?", "A heron!", 2)


def lost(run, say, *behind):
    """A tool's result of which the next call shows no message under its id."""
    asked = [say.user("Look."), say.asks(("c1", "look", "{}"))]
    run.call(asked[:1], asked[1])
    run.tool("look", "a heron", "c1")
    run.call([*asked, *behind], say.says("Nothing."))
    [result] = run.turn().tool_results[:1]
    return result.delivered_missing


def test_result_without_a_message_is_lost(run, say):
    assert lost(run, say) is None


def test_result_is_not_lost_where_a_tools_message_cannot_be_read(run, say):
    assert lost(run, say, Message("tool", ())) == "no_join"
    other = Message("tool", (Part("other", "{}"),))
    assert lost(type(run)(), say, other) == "no_join"


def test_result_is_not_lost_where_another_stands_under_an_id_that_nobody_asked_for(run, say):
    assert lost(run, say, say.returns("item_7", "a heron")) == "no_join"


def test_items_of_one_answer_that_were_recorded_apart_are_one_answer(run, say):
    """The Responses API answers with items: a thought, a text, one or several calls."""
    thought = Message("assistant", (Part("reasoning", "two places"),))
    asked = (thought, say.asks(("c1", "look", "{}")), say.asks(("c2", "hear", "{}")))
    run.call([say.user("What is there?")], None)
    run.operations[-1] = replace(run.operations[-1], output=asked)
    run.tool("look", "a heron on the north bank")
    run.tool("hear", "a bittern in the reeds")
    given = [say.returns("c1", "a heron on the north bank"), say.returns("c2", "a bittern")]
    run.call([say.user("What is there?"), *asked[1:], *given], say.says("Birds."))
    turn = run.turn()
    assert (turn.reply, turn.tool_turns, turn.model_calls) == ("Birds.", 1, 2)
    assert [(r.call_id, r.delivered) for r in turn.tool_results] == [
        ("c1", "a heron on the north bank"),
        ("c2", "a bittern"),
    ]


def test_of_several_choices_the_first_is_the_answer(run, say):
    run.call([say.user("Name a bird.")], None)
    choices = (say.says("A heron."), say.says("A bittern."))
    run.operations[-1] = replace(run.operations[-1], output=choices)
    assert run.turn().reply == "A heron."


def test_calls_of_which_only_the_finish_reason_tells_are_named_by_the_next_input(run, say):
    run.call([say.user("Look.")], Message("assistant", (Part("tool_call", cut_by_capture=True),)))
    asked = [say.user("Look."), say.asks(("c1", "look", "{}"))]
    run.call([*asked, say.returns("c1", "a heron")], say.says("A heron."))
    assert [(r.tool, r.call_id) for r in run.turn().tool_results] == [("look", "c1")]


def test_results_without_ids_or_spans_are_named_by_the_calls_they_answer(run, say):
    asked = say.asks((None, "look", "{}"), (None, "hear", '{"at": "dawn"}'))
    run.call([say.user("What?")], asked)
    given = [say.returns(None, "a heron"), say.returns(None, "a bittern")]
    run.call([say.user("What?"), asked, *given], say.says("Birds."))
    assert [(r.tool, r.delivered) for r in run.turn().tool_results] == [
        ("look", "a heron"),
        ("hear", "a bittern"),
    ]


def test_a_tools_result_that_became_the_reply_was_not_left_unread(run, say):
    """smolagents ends a run with a call of `final_answer`; other tools may return directly."""
    run.call([say.user("What?")], say.asks(("c1", "final_answer", '{"answer": "A heron."}')))
    run.tool("final_answer", "A heron.", "c1")
    run.agent(output=(say.says("A heron."),))
    turn = run.turn()
    assert (turn.reply, turn.tool_results) == ("A heron.", ())


def test_a_call_that_the_output_left_out_is_known_by_the_next_input(run, say):
    """The OpenInference instrumentation of BeeAI runs parallel calls into one."""
    run.call([say.user("What?")], say.asks(("c1", "look", "{}{}")))
    run.tool("look", "a heron")
    run.tool("hear", "a bittern")
    asked = say.asks(("c1", "look", "{}"), ("c2", "hear", "{}"))
    given = [say.returns("c1", "a heron"), say.returns("c2", "a bittern")]
    run.call([say.user("What?"), asked, *given], say.says("Birds."))
    assert [(r.tool, r.call_id, r.delivered) for r in run.turn().tool_results] == [
        ("look", "c1", "a heron"),
        ("hear", "c2", "a bittern"),
    ]
