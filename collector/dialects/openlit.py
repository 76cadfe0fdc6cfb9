"""OpenLIT: the GenAI conventions with habits of its own, and older span events.

Every node of a LangGraph graph is an `invoke_agent` span, tools' messages have no id, and values
of tool spans are Python's repr. Up to about 1.30 the whole input and output of a call are the two
span events `gen_ai.content.prompt` and `gen_ai.content.completion`, as lines `user: …`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from collector.dialect import AnyOperation, Shape, shape_of
from collector.span import Record, Span
from collector.spelling import convention, conventional, event_spans
from collector.spelling.convention import string
from scorers.turn import Inference, Message, Part

_SCOPE = "openlit"
# Written for every answer to a request with tools, whatever it was.
_PLACEHOLDER = "Function called with tools"
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
        """Yield the operation of a span; nothing for a node.

        Records with all of a call repeat its span, and those of streams name the span around it.
        """
        if not isinstance(record, Span) or _is_node(record):
            return
        if not event_spans.fits(shape_of(record)):
            yield from conventional.operations(record, self.name)
            return
        for operation in event_spans.operations(record, self.name):
            yield _older(operation, record) if isinstance(operation, Inference) else operation


def _is_node(span: Span) -> bool:
    """Say whether an agent run is only a node of a LangGraph graph.

    The tools run in other nodes: as agents of their own, no node would get its tools' results.
    """
    runs = convention.operation_of(span) in (convention.AGENT, convention.WORKFLOW)
    return runs and span.scope.name == _GRAPH_SCOPE and span.parent_id is not None


def _older(call: Inference, span: Span) -> Inference:
    """Complete a call whose answer is a text: calls of tools stand in attributes, or nowhere."""
    made = call.output
    if made and made[0].text == _PLACEHOLDER:
        made = None
    elif not (made and made[0].text) and (asked := _asked(span)):
        made = (Message("assistant", asked),)
    missing = call.input is None and not span.dropped
    hidden = call.capture.hidden or ("content_off" if missing else None)
    return replace(call, output=made, capture=replace(call.capture, hidden=hidden))


def _asked(span: Span) -> tuple[Part, ...]:
    """Return the tool calls of an answer: names, ids and arguments are joined by commas each."""
    attributes = span.attributes
    names = (string(attributes, "gen_ai.tool.name") or "").split(", ")
    ids = (string(attributes, "gen_ai.tool.call.id") or "").split(", ")
    given = string(attributes, "gen_ai.tool.args") or ""
    if len(ids) != len(names):
        ids = [""] * len(names)
    # Arguments of several calls can't be told apart where they hold commas, as most do.
    texts = [given] if len(names) == 1 else [""] * len(names)
    return tuple(
        Part("tool_call", text, id=call_id or None, name=name)
        for name, call_id, text in zip(names, ids, texts, strict=True)
        if name
    )
