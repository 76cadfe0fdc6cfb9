"""A segment step by step: what each model call asked for, and what the next one was given.

Call ids are not trusted to be unique: many libraries count them anew in every call. A result
belongs to the step in which it was asked for, and stands behind that request in the next input.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from collector.assembly.history import History
from collector.assembly.segment import Segment, answer_of
from scorers.turn import Inference, Message, Part, ToolExecution

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
            repeated = _asked_in(messages, everything=at == 0)
            # Where the next input repeats all calls and more, the output left some out.
            more = {part.id for part in repeated} > {part.id for part in told}
            self.asked.append(repeated if more or not told else told)
            if any(m.role not in SPEAKERS and not m.of_kind("tool_result") for m in messages):
                self.unreadable.add(at)
        final = answer_of(self.calls[-1]) if self.calls else None
        self.asked.append(list(final.of_kind("tool_call")) if final is not None else [])
        self.first_given: dict[str, int] = {}
        for at, new in enumerate(self.new):
            for one in new:
                if one.part.id is not None:
                    self.first_given.setdefault(one.part.id, at)
        self._asked_steps: dict[str, list[int]] = {}
        for step, parts in enumerate(self.asked):
            for part in parts:
                if part.id is not None:
                    self._asked_steps.setdefault(part.id, []).append(step)
        self._groups: list[dict[str, dict[int, list[Given]]] | None] = [None] * len(self.calls)
        self._starts = [call.start_ns for call in self.calls]

    def begun(self, time_ns: int) -> int:
        """Return the last step whose asking call had begun at a time."""
        return bisect_right(self._starts, time_ns)

    def after(self, tool: ToolExecution) -> int:
        """Return the step that ends in the first call after a tool's end (or its start, where the
        call began before that)."""
        ended = bisect_left(self._starts, tool.end_ns)
        begun = bisect_right(self._starts, tool.start_ns) if tool.start_ns else len(self._starts)
        return min(ended, begun)

    def find(self, call_id: str, step: int, at: int) -> list[Given]:
        """Return what call `at` was given under an id that was asked for in `step`."""
        groups = self._grouped(at).get(call_id)
        if groups is None:
            return []
        steps = self._asked_steps.get(call_id, [])
        again = bisect_right(steps, at) - bisect_right(steps, step)
        found = list(groups.values())
        return found[-1 - again] if len(found) > again else []

    def strangers(self, known: set[str]) -> set[int]:
        """Return the calls that were newly given results under ids that nobody is known to have."""
        return {
            at
            for at, new in enumerate(self.new)
            if any(
                given.part.id is not None
                and given.part.id not in known
                and given.part.id not in self._asked_steps
                for given in new
            )
        }

    def _grouped(self, at: int) -> dict[str, dict[int, list[Given]]]:
        groups = self._groups[at]
        if groups is None:
            groups = self._groups[at] = {}
            for given in self.given[at]:
                if given.part.id is not None:
                    of_id = groups.setdefault(given.part.id, {})
                    of_id.setdefault(given.ordinal, []).append(given)
        return groups


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
