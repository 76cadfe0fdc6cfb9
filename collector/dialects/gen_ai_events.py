"""OpenTelemetry GenAI semantic conventions, older form: one event for each message.

Log records (opentelemetry-instrumentation-openai-v2, google-genai, Pydantic AI in event mode
`logs`) give message events; spans that hold the messages as span events (Azure AI Inference,
LangChain and Semantic Kernel in other languages) give whole operations.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from collector.dialect import AnyOperation, Shape, shape_of
from collector.span import Record
from collector.spelling import event_spans


@dataclass(frozen=True, slots=True)
class GenAIEvents:
    """Messages of the older GenAI conventions, as log records and as span events."""

    name: str = "gen_ai_events"

    def fits(self, shape: Shape) -> bool:
        """Records of single messages, and spans whose content is nowhere else."""
        return event_spans.fits(shape)

    def claims(self, record: Record) -> bool:
        """Claim records of single messages, and spans whose content is nowhere else."""
        return self.fits(shape_of(record))

    def operations(self, record: Record) -> Iterable[AnyOperation]:
        """Yield the message events of a log record, or the operation of a span."""
        yield from event_spans.operations(record, self.name)
