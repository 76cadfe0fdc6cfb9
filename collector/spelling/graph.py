"""LangChain's and LangGraph's runs, as their spans tell them: the graph, its nodes, its name."""

from __future__ import annotations

import re

from collector.content import decode
from collector.span import Span

# Names of classes, not of agents: what a run is called that nobody named.
_CLASSES = ("LangGraph", "AgentExecutor", "AgentWorkflow", "FunctionAgent", "ReActAgent")
_PLUMBING = ("ChannelWrite<", "ChannelRead<", "Branch<")
# The agent's name stands last in the repr of the event.
_MEMBER = re.compile(r"\bcurrent_agent_name='([^'\n]{1,200})'\)\"\}\Z")
_CLASS_ENDS = ("Chain", "Executor")


def is_node(span: Span) -> bool:
    """Say whether this is a step of LangGraph's own: the prebuilt node `agent`, or its plumbing.

    The supervisor runs its agents in a step that is called `call_agent`.

    OpenInference takes any run with "agent" in its name for an agent.
    """
    if span.name.startswith(_PLUMBING):
        return True
    metadata = decode(span.attributes.get("metadata"))
    if not isinstance(metadata, dict) or "langgraph_step" not in metadata:
        return False
    return span.name == "call_agent" or span.name == metadata.get("langgraph_node") == "agent"


def is_outermost(span: Span) -> bool:
    """Say whether a chain is a whole workflow, not a step of one."""
    attributes = span.attributes
    if "input.value" not in attributes and "output.value" not in attributes:
        return False
    metadata = decode(attributes.get("metadata"))
    if isinstance(metadata, dict) and "lc_agent_name" in metadata:
        # A graph below a web server's span has a parent; its nodes are known by their step.
        return "langgraph_step" not in metadata
    return span.parent_id is None


def workflow_member(span: Span) -> str | None:
    """Return the name of the agent that a LlamaIndex workflow sets to work, None for other spans.

    Nothing else names it: the span around the run is called by the agent's class.
    """
    if not span.name.endswith(".setup_agent") or not span.scope.name.endswith(".llama_index"):
        return None
    given = span.attributes.get("input.value")
    found = _MEMBER.search(given) if isinstance(given, str) else None
    return found[1] if found else None


def graph_name(span: Span) -> str | None:
    """Return the name that somebody gave the graph or chain, None where it is that of a class."""
    if not span.scope.name.endswith(".langchain"):
        return None
    return given_name(span.name)


def given_name(name: str | None) -> str | None:
    """Return the name that somebody gave a run, None where it is that of a class."""
    return None if not name or is_class(name) else name


def is_class(name: str) -> bool:
    """Say whether a run is called by its class only: nobody gave it a name."""
    named = name in _CLASSES or name.startswith("Runnable")
    return named or (name[:1].isupper() and name.endswith(_CLASS_ENDS))
