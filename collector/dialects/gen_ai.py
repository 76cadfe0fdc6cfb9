"""OpenTelemetry GenAI semantic conventions, current form: content in span attributes or one event.

Spans `chat`, `execute_tool`, `invoke_agent`, …; the same fields in one log record or span event,
`gen_ai.client.inference.operation.details`. Used by the opentelemetry-instrumentation-genai-*
libraries, by Google ADK, by the Vercel AI SDK from version 7 on, and by many others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from collector.dialect import AnyOperation, Shape
from collector.span import Record, Span
from collector.spelling import conventional
from collector.spelling.convention import string

# Google ADK's span for calls made in parallel repeats the results of the single spans.
_MERGED = ("(merged tools)", "(merged)")


@dataclass(frozen=True, slots=True)
class GenAI:
    """Spans and events of the current GenAI conventions."""

    name: str = "gen_ai"

    def fits(self, shape: Shape) -> bool:
        """Spans that may state an operation or hold content, and events with all of a call."""
        return conventional.fits(shape)

    def claims(self, record: Record) -> bool:
        """Claim what states an operation of the conventions, or holds their content."""
        return conventional.claims(record)

    def operations(self, record: Record) -> Iterable[AnyOperation]:
        """Yield the model call, tool call or agent run that a record describes."""
        if isinstance(record, Span) and string(record.attributes, "gen_ai.tool.name") in _MERGED:
            return
        yield from conventional.operations(record, self.name)
