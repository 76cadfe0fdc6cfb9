"""A segment step by step: what each model call asked for, and what the next one was given.

Call ids are not trusted to be unique: many libraries count them anew in every call. A result
belongs to the step in which it was asked for, and stands behind that request in the next input.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from collector.assembly.history import History
from collector.assembly.segment import Segment, answer_of
from scorers.turn import Inference, Message, Part

SPEAKERS = ("system", "developer", "user", "assistant")


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """A tool's result in a call's input. `ordinal` counts the assistant messages before it."""

    part: Part
    ordinal: int


class Steps:
    """What was asked before, and newly given to, each call of a segment.

    Step i ends in call i: `asked[i]` are the tool calls asked for before it, `given[i]` all results
    in the part of its input that belongs to this turn, `new[i]` those behind the last assistant
    message. Step `len(calls)` is what the last call asked for, and nobody could read.
    """

    def __init__(self, segment: Segment) -> None:
        self.calls = segment.calls
        self.asked: list[list[Part]] = []
        self.given: list[list[Given]] = []
        self.new: list[list[Given]] = []
        self.unreadable: set[int] = set()
        for at, (call, history) in enumerate(zip(segment.calls, segment.histories, strict=True)):
            messages = _turn_part(call, history)
            given, last = _given(messages, history, len(call.input or ()) - len(messages))
            self.given.append(given)
            # The first call may stand in the middle of the turn: its earlier calls were not seen.
            self.new.append(given if at == 0 else [g for g in given if g.ordinal == last])
            before = answer_of(self.calls[at - 1]) if at else None
            told = [] if before is None else [p for p in before.of_kind("tool_call") if p.name]
            self.asked.append(told or _asked_in(messages, everything=at == 0))
            if any(m.role not in SPEAKERS and not m.of_kind("tool_result") for m in messages):
                self.unreadable.add(at)
        final = answer_of(self.calls[-1]) if self.calls else None
        self.asked.append(list(final.of_kind("tool_call")) if final is not None else [])

    def starts(self, step: int) -> int:
        """Return when the call that asked in a step began; 0 where it was not recorded."""
        return self.calls[step - 1].start_ns if step else 0

    def find(self, call_id: str, step: int, at: int) -> list[Given]:
        """Return what call `at` was given under an id that was asked for in `step`."""
        groups: dict[int, list[Given]] = {}
        for given in self.given[at]:
            if given.part.id == call_id:
                groups.setdefault(given.ordinal, []).append(given)
        again = sum(
            any(part.id == call_id for part in self.asked[later])
            for later in range(step + 1, at + 1)
        )
        found = list(groups.values())
        return found[-1 - again] if len(found) > again else []

    def has_strangers(self, at: int, known: set[str]) -> bool:
        """Say whether a call was newly given results under ids that nobody is known to have."""
        asked = {part.id for parts in self.asked for part in parts}
        return any(
            given.part.id is not None and given.part.id not in known | asked
            for given in self.new[at]
        )


def _turn_part(call: Inference, history: History) -> Sequence[Message]:
    """Return the messages that belong to this turn: those behind the one that opened it."""
    return (call.input or ())[history.opened_at + 1 :]


def _given(messages: Sequence[Message], history: History, offset: int) -> tuple[list[Given], int]:
    """Return the results among messages, and the ordinal behind the last assistant message."""
    asides = set(history.asides)
    given: list[Given] = []
    ordinal = 0
    for at, message in enumerate(messages):
        if message.role == "assistant":
            ordinal += 1
            continue
        given += [Given(part, ordinal) for part in message.of_kind("tool_result")]
        if at + offset in asides and ordinal and message.text:
            # Text in the user role that the requester did not write: a tool's, told as prose.
            given.append(Given(Part("tool_result", message.text), ordinal))
    return given, ordinal


def _asked_in(messages: Sequence[Message], *, everything: bool) -> list[Part]:
    """Return the tool calls that assistant messages of an input asked for (all, or the last).

    Assistant messages in a row are one answer whose items were recorded apart.
    """
    asked: list[Part] = []
    after = ""
    for message in messages:
        if message.role == "assistant":
            asked = [
                *(asked if everything or after == "assistant" else ()),
                *message.of_kind("tool_call"),
            ]
        after = message.role
    return asked
