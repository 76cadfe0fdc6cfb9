"""What a harness may state of its own accord on the spans of its tools (docs/attributes.md)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from collector.dialect import AnyOperation
from collector.span import Record
from scorers.turn import ToolExecution

# Characters of what the tool produced, before anything shortened it: the content need not travel.
PRODUCED_SIZE = "tellback.tool.produced_size"
LARGEST = 2**53


def with_stated(record: Record, operations: tuple[AnyOperation, ...]) -> tuple[AnyOperation, ...]:
    """Add what the harness states on a record to its tool executions, whatever its dialect."""
    if PRODUCED_SIZE not in record.attributes:
        return operations
    size = _count(record.attributes[PRODUCED_SIZE])
    if size is None:
        return operations
    return tuple(
        replace(one, produced_size=size, delivered_size=_same_unit(one), size_unit="characters")
        if isinstance(one, ToolExecution)
        else one
        for one in operations
    )


def _same_unit(tool: ToolExecution) -> int | None:
    return tool.delivered_size if tool.size_unit in (None, "characters") else None


def _count(value: Any) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 17:
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST:
        return value
    return None
