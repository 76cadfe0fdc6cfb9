"""What a record adds to memory, in bytes: its texts as they are held, and what stands around them.

Wire bytes would not do: every model call repeats the messages before it, which are held once, and
a text with one rare character takes two or four bytes for each of its characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from collector.dialect import AnyOperation, MessageEvent
from scorers.turn import Message, ToolExecution

# Measured with tracemalloc: the objects without their texts, and their share of the tables.
GROUP_SIZE = 1_200
PLACE_SIZE = 300  # where a span stands in its trace
OPERATION_SIZE = 1_200
PART_SIZE = 250  # one part of a message, and the message around it


def footprint(operation: AnyOperation, fresh: Sequence[Message]) -> int:
    """Return what an operation adds, of whose input only the messages of `fresh` are new."""
    if isinstance(operation, ToolExecution):
        texts = (operation.result, operation.arguments)
        return OPERATION_SIZE + sum(text.__sizeof__() for text in texts if text)
    if isinstance(operation, MessageEvent):
        return OPERATION_SIZE + _held((operation.message,))
    return OPERATION_SIZE + _held(fresh) + _held(operation.output or ())


def _held(messages: Iterable[Message]) -> int:
    size = 0
    for message in messages:
        for part in message.parts:
            size += PART_SIZE + part.text.__sizeof__()
    return size
