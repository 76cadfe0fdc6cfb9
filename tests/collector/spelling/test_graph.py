import json

import pytest

from collector.dialects.openinference import OpenInference
from collector.span import Resource, Scope, Span
from collector.spelling.graph import graph_name

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
