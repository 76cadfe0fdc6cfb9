"""OpenLIT: the GenAI conventions with habits of its own, and older span events.

Every node of a LangGraph graph is an `invoke_agent` span, tools' messages have no id, and values
of tool spans are Python's repr. Up to about 1.30 the whole input and output of a call are the two
span events `gen_ai.content.prompt` and `gen_ai.content.completion`, as lines `user: …`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from collector.dialect import AnyOperation, Shape, shape_of
from collector.span import Record, Span
from collector.spelling import convention, conventional, event_spans

_SCOPE = "openlit"
_GRAPH_SCOPE = "openlit.instrumentation.langgraph"


@dataclass(frozen=True, slots=True)
class OpenLIT:
    """Reads the spans of OpenLIT's instrumentations."""

    name: str = "openlit"

    def fits(self, shape: Shape) -> bool:
        """Spans in OpenLIT's scopes that tell of a call, a tool or a run."""
        if not shape.scope.startswith(_SCOPE):
            return False
        return conventional.fits(shape) or event_spans.fits(shape)

    def claims(self, record: Record) -> bool:
        """Say whether OpenLIT wrote the record, and it tells of a call, a tool or a run."""
        if not record.scope.name.startswith(_SCOPE):
            return False
        return conventional.claims(record) or event_spans.fits(shape_of(record))

    def operations(self, record: Record) -> Iterable[AnyOperation]:
        """Yield the operation of a span or of a record with all of a call; nothing for a node."""
        if isinstance(record, Span) and _is_node(record):
            return
        if event_spans.fits(shape_of(record)):
            yield from event_spans.operations(record, self.name)
        else:
            yield from conventional.operations(record, self.name)


def _is_node(span: Span) -> bool:
    """Say whether an agent run is only a node of a LangGraph graph.

    The tools run in other nodes: as agents of their own, no node would get its tools' results.
    """
    runs = convention.operation_of(span) in (convention.AGENT, convention.WORKFLOW)
    return runs and span.scope.name == _GRAPH_SCOPE and span.parent_id is not None
