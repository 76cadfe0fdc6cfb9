"""What a record adds to memory, in bytes: its texts as they are held, and what stands around them.

Wire bytes would not do: every model call repeats the messages before it, which are held once, and
a text with one rare character takes two or four bytes for each of its characters.
"""

from __future__ import annotations

from collections.abc import Iterable

from scorers.turn import Message

# Measured with tracemalloc: the objects without their texts, and their share of the tables.
GROUP_SIZE = 1_200
PLACE_SIZE = 300  # where a span stands in its trace
OPERATION_SIZE = 1_200
USUAL_NAMES = 500  # characters of the names of one operation
PART_SIZE = 250  # one part of a message, and the message around it


def text_size(*texts: str | None) -> int:
    """Return what texts take, where they are there."""
    return sum([text.__sizeof__() for text in texts if text])


def message_size(messages: Iterable[Message]) -> int:
    """Return what messages take."""
    return sum(
        [
            PART_SIZE + part.text.__sizeof__() + len(part.id or "") + len(part.name or "")
            for m in messages
            for part in m.parts
        ]
    )


def names_size(*names: str | None) -> int:
    """Return what names take beyond the usual, which the objects' own size holds already. Senders
    choose them, in any length."""
    return max(0, sum([len(name) for name in names if name]) - USUAL_NAMES)
