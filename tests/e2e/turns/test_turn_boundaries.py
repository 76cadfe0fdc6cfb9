"""Which turns there are, what was asked and what was answered."""

import json

import pytest

from running import run
from traces import MINUTE, MS, Trace, assistant, call, system, tool, user

QUESTION = "How do I ship crates to Oslo?"


def texts(document):
    return [(turn["request"], turn["reply"]) for turn in document["turns"]]


@pytest.mark.parametrize(
    "questions",
    [
        pytest.param(("Show order 1", "Show order 12"), id="begins like the one before"),
        pytest.param(("yes", "yes, please do that"), id="repeats the one before and goes on"),
        pytest.param(("status?", "status?"), id="is the one before, a minute after its answer"),
    ],
)
def test_each_question_is_a_turn_of_its_own(questions):
    """Calls without history, as stateful APIs have them."""
    trace = Trace("questions")
    for number, question in enumerate(questions):
        trace.chat([user(question)], assistant(f"Answer {number}."))
        trace.now += MINUTE
    assert texts(run(trace)) == [(questions[0], "Answer 0."), (questions[1], "Answer 1.")]


@pytest.mark.parametrize("window", [0, 2])
@pytest.mark.parametrize("one_agent_each", [True, False])
def test_the_same_question_again_after_tools_were_used(window, one_agent_each):
    """The input is shorter than the one before, and shows at most the answer of the turn before."""
    trace = Trace("again with tools")
    history = []
    with trace.around("session") as session:
        for number in range(3):
            around = trace.agent("desk", session) if one_agent_each else trace.around("step")
            with around as parent:
                history = [*history[len(history) - window :], user("status?")]
                asked = assistant(None, call(f"c{number}", "look", {}))
                trace.chat(history, asked, parent)
                trace.execute("look", f"c{number}", {}, f"value {number * 1000 + 7}", parent)
                history = [*history, asked, tool((f"c{number}", f"value {number * 1000 + 7}"))]
                trace.chat(history, assistant(f"Answer {number}."), parent)
                history = [*history, assistant(f"Answer {number}.")]
            trace.now += MINUTE
    assert texts(run(trace)) == [("status?", f"Answer {number}.") for number in range(3)]


@pytest.mark.parametrize(
    ("instruction", "said"),
    [
        ("Classify the message as safe or unsafe.", "safe"),
        ("Route to one of: sales, ops", "ops"),
        ("Rewrite as search query", "shipping crates Oslo"),
    ],
)
def test_a_guardrail_or_router_call_before_the_answer_is_not_the_reply(instruction, said):
    trace = Trace("guard")
    with trace.agent() as desk:
        trace.chat([system(instruction), user(QUESTION)], assistant(said), desk)
        trace.chat([system("You are desk."), user(QUESTION)], assistant("Use dock 4."), desk)
    assert texts(run(trace)) == [(QUESTION, "Use dock 4.")]


def test_a_router_agent_then_an_answering_agent_under_a_plain_span():
    trace = Trace("route")
    with trace.around("POST /chat") as handler:
        with trace.agent("router", handler) as router:
            trace.chat([system("Route."), user(QUESTION)], assistant("ops"), router)
        with trace.agent("ops", handler) as ops:
            trace.chat([system("Ops."), user(QUESTION)], assistant("Use dock 4."), ops)
    assert texts(run(trace)) == [(QUESTION, "Use dock 4.")]


def test_a_critic_loop_inside_one_agent_is_one_turn():
    trace = Trace("critic")
    task = "Write a haiku."
    critique = [system("You are a critic."), user("Critique: Draft one.")]
    improve = user("Critique: Too short. Improve.")
    with trace.agent(given=task, said="Final poem.") as desk:
        trace.chat([user(task)], assistant("Draft one."), desk)
        trace.chat(critique, assistant("Too short."), desk)
        given = [user(task), assistant("Draft one."), improve]
        trace.chat(given, assistant("Final poem."), desk)
    assert texts(run(trace)) == [(task, "Final poem.")]


def test_follow_up_suggestions_after_the_reply_are_no_turn():
    trace = Trace("follow-ups")
    with trace.agent(given=QUESTION, said="Use dock 4.") as desk:
        trace.chat([user(QUESTION)], assistant("Use dock 4."), desk)
        so_far = [user(QUESTION), assistant("Use dock 4.")]
        given = [system("Suggest follow-up questions"), *so_far, user("Suggest 3 follow-ups")]
        trace.chat(given, assistant('["a"]'), desk)
    assert texts(run(trace)) == [(QUESTION, "Use dock 4.")]


def test_map_and_reduce_have_the_workflows_request():
    trace = Trace("map reduce")
    task, summary = "Summarise the report.", "Final summary."
    with trace.agent("flow", kind="workflow", given=task, said=summary) as flow:
        start = trace.now
        for number in range(3):
            trace.now = start + number * MS
            given = [system("Summarise."), user(f"Chunk {number}: dock {number}")]
            trace.chat(given, assistant(f"Summary {number}"), flow)
        trace.now = start + 300 * MS
        given = [system("Merge."), user("Merge: Summary 0 Summary 1 Summary 2")]
        trace.chat(given, assistant(summary), flow)
    assert texts(run(trace)) == [(task, summary)]


def test_react_in_plain_text_is_one_turn():
    trace = Trace("react")
    question = "Where are my crates?"
    answer = "Final Answer: at dock 1."
    history = [system("Use Action/Observation."), user(question)]
    with trace.agent(given=question, said=answer) as desk:
        for number in range(2):
            action = assistant(f"Thought: need dock {number}\nAction: look[{number}]")
            result = f"dock {number} holds {number * 77 + 1000} crates of oak"
            trace.chat(history, action, desk)
            trace.execute("look", None, {"i": number}, result, desk)
            history = [*history, action, user(f"Observation: {result}")]
        trace.chat(history, assistant(answer), desk)
    document = run(trace)
    assert texts(document) == [(question, answer)]
    assert "unread" not in document["totals"]["tool_results_by_state"]


def test_a_react_scratchpad_in_openinference_replies_with_the_last_call():
    trace = Trace("scratchpad")
    prompt = "Where are crates?\nThought:"
    action = "I need to look\nAction: look\nAction Input: 1"
    result = "dock 1 holds 1077 crates of oak"

    def model(given, said, parent):
        attributes = {
            "openinference.span.kind": "LLM",
            "llm.input_messages.0.message.role": "user",
            "llm.input_messages.0.message.content": given,
            "llm.output_messages.0.message.role": "assistant",
            "llm.output_messages.0.message.content": said,
        }
        trace.span("LLM", attributes, parent)

    def step(kind, given, said):
        return {"openinference.span.kind": kind, "input.value": given, "output.value": said}

    executor = step("CHAIN", "Where are crates?", "dock 1")
    with trace.around("AgentExecutor", executor) as chain:
        model(prompt, action, chain)
        trace.span("look", {**step("TOOL", "1", result), "tool.name": "look"}, chain)
        scratchpad = f"{prompt}{action}\nObservation: {result}\nThought:"
        model(scratchpad, "Final Answer: dock 1", chain)
    [turn] = run(trace, scope="openinference.instrumentation.langchain")["turns"]
    assert "dock 1" in turn["reply"]
    assert "Action" not in turn["reply"]


def test_compaction_in_the_middle_keeps_the_reply():
    trace = Trace("compaction")
    question = "Task: total of invoices"
    summary = "Summary: page 0 read, 120"
    continued = (
        "This session is being continued from a previous conversation that ran out of context. "
        f"{summary}. {question}"
    )
    with trace.agent() as desk:
        history = [system("sys"), user(question)]
        first = assistant(None, call("c0", "fetch", {}))
        trace.chat(history, first, desk)
        trace.execute("fetch", "c0", {}, "page 0: sum 120", desk)
        history += [first, tool(("c0", "page 0: sum 120"))]
        compact = system("Summarise the conversation so far for continuation.")
        trace.chat([compact, user(json.dumps(history))], assistant(summary), desk)
        history = [system("sys"), user(continued)]
        last = assistant(None, call("c9", "fetch", {"p": 9}))
        trace.chat(history, last, desk)
        trace.execute("fetch", "c9", {"p": 9}, "page 9: sum 88", desk)
        history += [last, tool(("c9", "page 9: sum 88"))]
        trace.chat(history, assistant("The total is 208."), desk)
    assert texts(run(trace)) == [(question, "The total is 208.")]


@pytest.mark.parametrize("given", [None, [], '[{"role": "user", "parts": [{"ty'])
def test_a_call_whose_input_was_not_captured_still_replies(given):
    trace = Trace("no input")
    with trace.agent() as desk:
        trace.chat([user("q")], assistant(None, call("c1", "f", {})), desk)
        trace.execute("f", "c1", {}, "value 1077", desk)
        trace.chat(given, assistant("done"), desk)
    document = run(trace)
    assert texts(document) == [("q", "done")]
    assert document["turns"][0]["tool_results"][0]["state"] == "unobservable"


def test_a_researcher_and_a_writer_of_one_request_are_one_turn():
    trace = Trace("research")
    asked = assistant(None, call("c1", "look", {}))
    result = "at dock 4, 17 crates"
    with trace.around("POST /chat") as handler:
        with trace.agent("researcher", handler) as researcher:
            trace.chat([user("where?")], asked, researcher)
            trace.execute("look", "c1", {}, result, researcher)
            given = [user("where?"), asked, tool(("c1", result))]
            trace.chat(given, assistant("notes: dock 4"), researcher)
        with trace.agent("writer", handler) as writer:
            task = user(f"Write answer to 'where?' from notes: {result}")
            trace.chat([system("Writer"), task], assistant("It is at dock 4."), writer)
    assert texts(run(trace)) == [("where?", "It is at dock 4.")]
