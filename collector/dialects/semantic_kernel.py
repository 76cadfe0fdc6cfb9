"""Semantic Kernel: spans of the GenAI conventions, and their content as lines of Python's logging.

Its `chat` spans have no content. Messages are log records of its diagnostics: the body is JSON
as text, the name stands in `event.name`, and all may have one time: a number gives the order.
Tools are called `Plugin-function` wherever the model sees them; its other log lines say nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from collector.dialect import AnyOperation, Shape, shape_of
from collector.span import LogRecord, Record
from collector.spelling import conventional, event_spans
from collector.spelling.message_event import NAMES

# Python's modules; the .NET library's source, whose messages are span events.
_SCOPES = ("semantic_kernel", "Microsoft.SemanticKernel")
_INDEX = "CHAT_MESSAGE_INDEX"


@dataclass(frozen=True, slots=True)
class SemanticKernel:
    """Reads the spans and the diagnostic log records of Semantic Kernel."""

    name: str = "semantic_kernel"

    def fits(self, shape: Shape) -> bool:
        """Spans and events of the conventions, in a module of the kernel."""
        if not shape.scope.startswith(_SCOPES):
            return False
        return conventional.fits(shape) or event_spans.fits(shape)

    def claims(self, record: Record) -> bool:
        """Say whether the kernel wrote the record, and it tells of a message, call, tool or run."""
        if not record.scope.name.startswith(_SCOPES):
            return False
        if isinstance(record, LogRecord):
            return record.event_name in NAMES
        return conventional.claims(record) or event_spans.fits(shape_of(record))

    def operations(self, record: Record) -> Iterable[AnyOperation]:
        """Yield the operation of a span, or the message of a log record."""
        if isinstance(record, LogRecord):
            index = record.attributes.get(_INDEX)
            yield from event_spans.message_events(record, self.name, index=index)
        elif event_spans.fits(shape_of(record)):
            yield from event_spans.operations(record, self.name)
        else:
            yield from conventional.operations(record, self.name)
