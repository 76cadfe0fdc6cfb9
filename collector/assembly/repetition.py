"""How much of a call's messages repeats an earlier call's: work is to follow what is new."""

from __future__ import annotations

from scorers.turn import Message

Messages = tuple[Message, ...]


def repeated(messages: Messages, before: Messages) -> int:
    """Return how many messages at the start are all those of an earlier input, 0 where they are
    not. Readers share messages that are told again, so that this compares references mostly."""
    size = len(before)
    return size if size <= len(messages) and messages[:size] == before else 0
