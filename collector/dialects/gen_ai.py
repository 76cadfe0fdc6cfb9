"""OpenTelemetry GenAI semantic conventions, current form: content in span attributes or one event.

Spans `chat`, `execute_tool`, `invoke_agent`, …; the same fields in one log record or span event,
`gen_ai.client.inference.operation.details`. Used by the opentelemetry-instrumentation-genai-*
libraries, Agent Framework, Google ADK, OpenLIT, LiteLLM, Semantic Kernel's spans and many others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from collector.content import capture_of
from collector.dialect import AnyOperation, Shape
from collector.span import LogRecord, Record, Span
from collector.spelling import convention
from collector.spelling.convention import string
from collector.spelling.placed import placed
from scorers.turn import AgentInvocation, Inference, ToolExecution

_CONTENT = (convention.SYSTEM, convention.INPUT, convention.OUTPUT)
_GRAPH_SCOPE = "openlit.instrumentation.langgraph"
# Google ADK's span for calls made in parallel repeats the results of the single spans.
_MERGED = ("(merged tools)", "(merged)")


@dataclass(frozen=True, slots=True)
class GenAI:
    """Spans and events of the current GenAI conventions."""

    name: str = "gen_ai"

    def fits(self, shape: Shape) -> bool:
        """Spans that may state an operation or hold content, and events with all of a call."""
        if shape.event is not None:
            return shape.event == convention.DETAILS
        return any(key in shape.keys for key in convention.STATING)

    def claims(self, record: Record) -> bool:
        """Claim what states an operation of the conventions, or holds their content."""
        if isinstance(record, LogRecord):
            return record.event_name == convention.DETAILS
        return convention.operation_of(record) != ""

    def operations(self, record: Record) -> Iterable[AnyOperation]:
        """Yield the model call, tool call or agent run that a record describes."""
        record = convention.with_details(record)
        operation = convention.operation_of(record)
        if operation in convention.CALLS:
            own = placed(record)
            if own is not None:
                yield self._inference(own)
        elif not isinstance(record, Span):
            return
        elif operation == convention.TOOL:
            if string(record.attributes, "gen_ai.tool.name") not in _MERGED:
                yield self._tool(record)
        elif operation in (convention.AGENT, convention.WORKFLOW) and not _is_node(record):
            yield self._agent(record, operation)

    def _inference(self, record: Record) -> Inference:
        given, made = convention.read(record)
        hidden = convention.why_hidden(record, missing=given is None)
        capture = capture_of(record, _CONTENT, hidden=hidden)
        return convention.inference(record, self.name, given, made, capture)

    def _tool(self, span: Span) -> ToolExecution:
        arguments = span.attributes.get(convention.ARGUMENTS)
        result = span.attributes.get(convention.RESULT)
        missing = result is None and not convention.failed(span)
        capture = capture_of(
            span,
            (convention.ARGUMENTS,),
            # What the tool returned is not encoded again: JSON that ends early was made so.
            texts={convention.RESULT: result},
            hidden=convention.why_hidden(span, missing=missing),
        )
        return convention.tool_execution(span, self.name, arguments, result, capture)

    def _agent(self, span: Span, operation: str) -> AgentInvocation:
        given, made = convention.read(span)
        shared = convention.who(span, self.name)
        shared["agent"] = shared["agent"] or string(span.attributes, "gen_ai.workflow.name")
        return AgentInvocation(
            **shared,
            kind="workflow" if operation == convention.WORKFLOW else "agent",
            input=given,
            output=made,
            capture=capture_of(span, _CONTENT),
        )


def _is_node(span: Span) -> bool:
    """Say whether an agent run is only a node of a LangGraph graph, which OpenLIT calls agents.

    The tools run in other nodes: as agents of their own, no node would get its tools' results.
    """
    return span.scope.name == _GRAPH_SCOPE and span.parent_id is not None
