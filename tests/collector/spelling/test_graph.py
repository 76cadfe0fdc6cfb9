import json

import pytest

from collector.dialects.openinference import OpenInference
from collector.span import Resource, Scope, Span
from collector.spelling.graph import graph_name, workflow_member

LANGCHAIN = Scope(name="openinference.instrumentation.langchain")


def span(name, scope=LANGCHAIN, **attributes):
    return Span(
        resource=Resource({}), scope=scope, trace_id="1" * 32, span_id="2" * 16, name=name,
        attributes=attributes,
    )  # fmt: skip


def agent(name, **metadata):
    attributes = {"openinference.span.kind": "AGENT", "metadata": json.dumps(metadata)}
    return span(name, **attributes, **{"input.value": "hi"})


def test_the_prebuilt_node_called_agent_is_a_step_of_the_graph():
    node = agent("agent", langgraph_step=1, langgraph_node="agent")
    assert list(OpenInference().operations(node)) == []
    assert list(OpenInference().operations(agent("ChannelWrite<agent,messages>"))) == []
    for other in (agent("agent"), agent("planner_agent", langgraph_step=1, langgraph_node="x")):
        assert [one.agent for one in OpenInference().operations(other)] == [other.name]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("billing-assistant", "billing-assistant"),
        ("LangGraph", None),
        ("AgentExecutor", None),
        ("LLMChain", None),
        ("RunnableSequence", None),
        ("", None),
    ],
)
def test_a_graph_is_called_what_somebody_called_it(name, found):
    assert graph_name(span(name)) == found
    assert graph_name(span(name, scope=Scope(name="other"))) is None


def test_the_supervisors_step_is_no_agent():
    step = agent("call_agent", langgraph_step=2, langgraph_node="invoice_specialist")
    assert list(OpenInference().operations(step)) == []
    assert [one.agent for one in OpenInference().operations(agent("call_agent"))] == ["call_agent"]


LLAMA = Scope(name="openinference.instrumentation.llama_index")
EVENT = "AgentInput(input=[ChatMessage(text='x')], current_agent_name='desk')"


@pytest.mark.parametrize(
    ("scope", "name", "event", "named"),
    [
        (LLAMA, "BaseWorkflowAgent.setup_agent", EVENT, "desk"),
        (LLAMA, "BaseWorkflowAgent.run_agent_step", EVENT, None),
        (LANGCHAIN, "BaseWorkflowAgent.setup_agent", EVENT, None),
        (LLAMA, "BaseWorkflowAgent.setup_agent", "AgentInput()", None),
        (LLAMA, "BaseWorkflowAgent.setup_agent", f"{EVENT} and more", None),
    ],
)
def test_an_agent_of_a_workflow_is_named_by_the_step_that_sets_it_to_work(
    scope, name, event, named
):
    given = json.dumps({"ctx": "<Context>", "ev": event})
    assert workflow_member(span(name, scope, **{"input.value": given})) == named
