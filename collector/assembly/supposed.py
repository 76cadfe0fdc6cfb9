"""Traced functions that may be tools: only what a model asked for by that name is one.

Decorators without a type of tool (`@observe()`, `@traceable`, `@mlflow.trace`) record any function
alike. A dialect sees one span; what the model calls of its trace asked for is known here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from collector.dialect import MessageEvent
from scorers.turn import Inference, Message, Operation, ToolExecution

AnyOne = TypeVar("AnyOne", bound=Operation)


def asked_for(operations: Sequence[AnyOne]) -> Sequence[AnyOne]:
    """Return the operations without the functions that no model call of their trace asked for.

    Where a tool's own span has the name too, the function is what runs inside of the tool.
    """
    supposed = [o for o in operations if isinstance(o, ToolExecution) and o.supposed]
    if not supposed:
        return operations
    named = {(o.trace_id, o.tool) for o in supposed}
    asked: set[tuple[str, str]] = set()
    known: set[tuple[str, str]] = set()
    for operation in operations:
        if isinstance(operation, ToolExecution):
            if not operation.supposed:
                known.add((operation.trace_id, operation.tool))
            continue
        for message in _said(operation):
            for part in message.of_kind("tool_call"):
                if part.name and (operation.trace_id, part.name) in named:
                    asked.add((operation.trace_id, part.name))
    return [
        o
        for o in operations
        if not isinstance(o, ToolExecution)
        or not o.supposed
        or ((o.trace_id, o.tool) in asked and (o.trace_id, o.tool) not in known)
    ]


def _said(operation: Operation) -> Iterable[Message]:
    if isinstance(operation, Inference):
        return (*(operation.output or ()), *(operation.input or ()))
    return (operation.message,) if isinstance(operation, MessageEvent) else ()
