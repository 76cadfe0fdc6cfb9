"""What opencode makes of the AI SDK's spans: runs of one step, and results that are records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from collector.content import decode
from collector.dialect import AnyOperation
from collector.span import Record
from scorers.turn import AgentInvocation, Inference, ToolExecution

_SCOPE = "opencode"


def own(record: Record, operations: Iterable[AnyOperation]) -> Iterable[AnyOperation]:
    """Yield a span's operations as opencode means them, where it is one of opencode's.

    Each step is a run of its own there, and says nothing of the turn. A tool's result is an object
    of title, output and whether the tool's wrapper cut the output: then what the tool had produced
    is not in it.
    """
    if record.scope.name != _SCOPE:
        yield from operations
        return
    agent = record.resource.text("service.name")
    for operation in operations:
        if isinstance(operation, AgentInvocation):
            continue
        if isinstance(operation, ToolExecution):
            yield replace(_returned(record, operation), agent=agent)
        elif isinstance(operation, Inference):
            yield replace(operation, agent=agent, utility=_is_title(operation))


def _is_title(call: Inference) -> bool:
    first = call.input[0].text if call.input else ""
    return first.startswith("You are a title generator")


def _returned(record: Record, tool: ToolExecution) -> ToolExecution:
    returned = decode(record.attributes.get("ai.toolCall.result"))
    if not isinstance(returned, Mapping) or not isinstance(returned.get("output"), str):
        return tool
    told = returned.get("metadata")
    if isinstance(told, Mapping) and told.get("truncated") is True:
        capture = replace(tool.capture, hidden="cut_before_recording")
        return replace(tool, result=None, capture=capture)
    return replace(tool, result=returned["output"])
