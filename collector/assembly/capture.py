"""What the instrumentation cut: found once per group of traces, asked for every pair.

An SDK's value length limit leaves no marker, no flag and no dropped count: many values of exactly
one length, none longer, and JSON that ends in the middle (`OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT`).
What it cut is unobservable, never lost.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from collector.assembly.lengths import AtLength
from scorers import markers
from scorers.turn import AgentInvocation, Inference, Operation, Part, ToolExecution

LENGTH = "attribute_length_limit"
COUNT = "attribute_count_limit"
LONGEST_MARKER = 240
MIN_LIMIT = 64  # characters; shorter limits would leave nothing to measure


@dataclass(frozen=True, slots=True)
class CaptureLimits:
    """The value length limit of each service in the group, where one shows. Characters."""

    by_service: dict[str | None, int] = field(default_factory=dict)

    @classmethod
    def of(
        cls, operations: Sequence[Operation], shown: Mapping[str | None, int] | None = None
    ) -> CaptureLimits:
        """Find the limits: the greatest length, seen twice or more, with broken JSON among it.

        `shown` are limits that the services' attributes show by themselves, content or not.
        """
        longest: dict[str | None, int] = {}
        times: dict[str | None, int] = {}
        broken: set[str | None] = set()
        for operation in operations:
            service = operation.service
            for length in operation.capture.lengths:
                greatest = longest.get(service, 0)
                if length > greatest:
                    longest[service], times[service] = length, 1
                elif length == greatest > 0:
                    times[service] += 1
            if operation.capture.broken and not operation.capture.dropped:
                broken.add(service)  # gaps in a list are a count limit's
        found = {
            service: length
            for service, length in longest.items()
            if length >= MIN_LIMIT and times[service] >= 2
        }
        return cls(_confirmed(found, broken, operations) | dict(shown or {}))

    def cut_reason(self, tool: ToolExecution) -> str | None:
        """Say whether a tool's result ends at the limit."""
        if tool.result is None:
            return None
        limit = self.by_service.get(tool.service)
        if limit is None or limit not in tool.capture.lengths:
            return None
        # The value may be an encoding of the result: then the text is shorter, and not by much.
        is_result = tool.capture.broken or len(tool.result) * 4 >= limit
        return LENGTH if is_result else None

    def is_at_limit(self, call: Inference, parts: Sequence[Part]) -> bool:
        """Say whether a delivered text ends at the limit (dialects with one attribute a text)."""
        limit = self.by_service.get(call.service)
        if limit is None:
            return False
        return any(len(part.text) == limit and not _ends_marked(part.text) for part in parts)

    def hides_messages(self, call: Inference) -> bool:
        """Say whether a call's list of messages ends at the limit: later messages are not seen."""
        limit = self.by_service.get(call.service)
        return bool(call.capture.broken) or (
            limit is not None and limit in call.capture.lengths and not call.input
        )


def _ends_marked(text: str) -> bool:
    """Say whether a text ends with a harness's marker, which an SDK's limit would have torn."""
    found = markers.sightings(text, start=max(0, len(text) - LONGEST_MARKER))
    return any(len(text) - one.end < 4 for one in found)


def lost_end(call: Inference) -> bool:
    """Say whether the newest of what a call was given may be missing: an SDK over its count limit
    refused it. What a model answers is recorded after what it was given, and would be refused first
    (Python's SDK drops the oldest instead, and keeps the answer)."""
    return call.capture.dropped > 0 and not call.output and call.input is not None


def _confirmed(
    found: dict[str | None, int], broken: set[str | None], operations: Sequence[Operation]
) -> dict[str | None, int]:
    """Leave only limits at which different texts end: one text, told again in every later call,
    has one length too. Broken JSON needs no other proof."""
    doubtful = {service: length for service, length in found.items() if service not in broken}
    if not doubtful:
        return found
    seen: dict[str | None, AtLength] = defaultdict(AtLength)
    for operation in operations:
        length = doubtful.get(operation.service)
        if length is not None and length in operation.capture.lengths:
            for text in _texts(operation):
                if len(text) == length:
                    seen[operation.service].add(text.encode("utf-8", "replace"))
    return {
        service: length
        for service, length in found.items()
        # One text alone is no proof here: every later call tells it again.
        if service in broken or (len(seen[service].values) >= 2 and seen[service].shows(length))
    }


def _texts(operation: Operation) -> Iterator[str]:
    if isinstance(operation, ToolExecution):
        yield from filter(None, (operation.result, operation.arguments))
    elif isinstance(operation, Inference | AgentInvocation):
        for message in (*(operation.input or ()), *(operation.output or ())):
            for part in message.parts:
                yield part.text
