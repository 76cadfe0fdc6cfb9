"""Microsoft Agent Framework: the GenAI conventions' spans and their older log events, at once.

Each call is told twice, on its `chat` span and in one log record for each message; records of one
span are one call. The span comes first where both are there: it keeps ids that the events lose.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from collector.dialect import AnyOperation, Shape
from collector.span import LogRecord, Record
from collector.spelling import conventional, event_spans
from collector.spelling.message_event import NAMES

# Python's, and that of the .NET library.
_SCOPES = ("agent_framework", "Experimental.Microsoft.Agents.AI")


@dataclass(frozen=True, slots=True)
class AgentFramework:
    """Reads the spans and log records of the Agent Framework's own telemetry."""

    name: str = "agent_framework"

    def fits(self, shape: Shape) -> bool:
        """Spans and events of the conventions, in the framework's scope."""
        if not shape.scope.startswith(_SCOPES):
            return False
        return conventional.fits(shape) or event_spans.fits(shape)

    def claims(self, record: Record) -> bool:
        """Say whether the framework wrote the record, and it tells of a call, a tool or a run."""
        if not record.scope.name.startswith(_SCOPES):
            return False
        if isinstance(record, LogRecord):
            return _is_message(record) or conventional.claims(record)
        return conventional.claims(record)

    def operations(self, record: Record) -> Iterable[AnyOperation]:
        """Yield the operation of a span, or the message of a log record."""
        if _is_message(record):
            yield from event_spans.operations(record, self.name)
        else:
            yield from conventional.operations(record, self.name)


def _is_message(record: Record) -> bool:
    return isinstance(record, LogRecord) and record.event_name in NAMES
