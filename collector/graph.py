"""LangChain's and LangGraph's runs, as their spans tell them: the graph, its nodes, its name."""

from __future__ import annotations

from collector.content import decode
from collector.span import Span

# Names of classes, not of agents: what a run is called that nobody named.
_CLASSES = ("LangGraph", "AgentExecutor")
_CLASS_ENDS = ("Chain", "Executor", "Agent")


def is_node(span: Span) -> bool:
    """Say whether this is LangGraph's prebuilt node `agent`: one step of the agent around it.

    OpenInference takes any run with "agent" in its name for an agent.
    """
    metadata = decode(span.attributes.get("metadata"))
    return (
        isinstance(metadata, dict)
        and "langgraph_step" in metadata
        and span.name == metadata.get("langgraph_node") == "agent"
    )


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


def graph_name(span: Span) -> str | None:
    """Return the name that somebody gave the graph or chain, None where it is that of a class."""
    name = span.name
    if not span.scope.name.endswith(".langchain") or name.startswith("Runnable"):
        return None
    if name in _CLASSES or (name[:1].isupper() and name.endswith(_CLASS_ENDS)):
        return None
    return name or None
