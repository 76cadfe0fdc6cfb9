"""Traced functions that may be tools: what a model asked for tells."""

from collector.assembly.supposed import asked_for
from collector.dialect import MessageEvent
from scorers.turn import AgentInvocation, Inference, Message, Part, ToolExecution

IDS = {"trace_id": "a" * 32, "span_id": "b" * 16}
CALL = Message("assistant", (Part("tool_call", "{}", "c1", "find"),))
SUPPOSED = ToolExecution(**IDS, tool="find", result="found", supposed=True)


def test_a_function_that_no_model_asked_for_is_none():
    asking = Inference(**IDS, output=(Message("assistant", (Part("text", "find it"),)),))
    agent = AgentInvocation(**IDS, input=(CALL,))
    assert list(asked_for([asking, SUPPOSED, agent])) == [asking, agent]


def test_a_function_that_a_model_asked_for_is_a_tool():
    for asking in (
        Inference(**IDS, output=(CALL,)),
        Inference(**IDS, input=(CALL,)),
        MessageEvent(**IDS, message=CALL),
    ):
        assert list(asked_for([SUPPOSED, asking])) == [SUPPOSED, asking]


def test_another_trace_asks_for_its_own_tools():
    asking = Inference(trace_id="f" * 32, span_id="b" * 16, output=(CALL,))
    assert list(asked_for([asking, SUPPOSED])) == [asking]


def test_a_function_inside_of_the_tool_of_its_name_is_none():
    asking = Inference(**IDS, output=(CALL,))
    tool = ToolExecution(trace_id="a" * 32, span_id="d" * 16, tool="find", result="found")
    assert list(asked_for([asking, tool, SUPPOSED])) == [asking, tool]


def test_without_such_functions_nothing_is_looked_at():
    operations = [Inference(**IDS, output=(CALL,))]
    assert asked_for(operations) is operations
