"""A segment step by step: what each model call asked for, and what the next one was given.

Call ids are not trusted to be unique: many libraries count them anew in every call. A result
belongs to the step in which it was asked for, and stands behind that request in the next input.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from collector.assembly.repetition import Messages, repeated
from collector.assembly.segment import Segment, answer_of
from scorers.turn import Message, Part, ToolExecution

SPEAKERS = ("system", "developer", "user", "assistant")


@dataclass(slots=True, eq=False)
class Given:
    """A tool's result in a call's input. `ordinal` counts the assistant messages before it,
    `position` the results."""

    part: Part
    ordinal: int
    position: int


class _Run:
    """Calls that repeat each other's messages: what is given to one is given to those after it.

    `ids` holds the results under each id, those behind one assistant message together.
    """

    def __init__(self) -> None:
        self.given: list[Given] = []
        self.ordinal = 0
        self.is_unreadable = False
        self.ids: dict[str, list[list[Given]]] = {}

    def extend(self, messages: Sequence[Message], start: int, asides: Collection[int]) -> None:
        """Take the messages from `start` on. The requester did not write those at `asides`."""
        for at in range(start, len(messages)):
            message = messages[at]
            if message.role == "assistant":
                self.ordinal += 1
                continue
            results = [part for part in message.parts if part.kind == "tool_result"]
            if not results and message.role not in SPEAKERS:
                self.is_unreadable = True
            if at in asides and self.ordinal and message.text:
                # Text in the user role that the requester did not write: a tool's, told as prose.
                results.append(Part("tool_result", message.text))
            for part in results:
                self._add(Given(part, self.ordinal, len(self.given)))

    def _add(self, given: Given) -> None:
        self.given.append(given)
        if given.part.id is not None:
            groups = self.ids.setdefault(given.part.id, [])
            if groups and groups[-1][0].ordinal == given.ordinal:
                groups[-1].append(given)
            else:
                groups.append([given])

    def newest(self) -> list[Given]:
        """Return the results behind the last assistant message."""
        at = len(self.given)
        while at and self.given[at - 1].ordinal == self.ordinal:
            at -= 1
        return self.given[at:]


class Steps:
    """What was asked before, and newly given to, each call of a segment.

    Step i ends in call i: `asked[i]` are the tool calls asked for before it, `new[i]` the results
    behind the last assistant message of its input. Step `len(calls)` is what the last call asked
    for, and nobody could read.
    """

    def __init__(self, segment: Segment) -> None:
        self.calls = segment.calls
        self.asked: list[list[Part]] = []
        self.new: list[list[Given]] = []
        self.unreadable: set[int] = set()
        self._seen: list[tuple[_Run, int]] = []  # for each call: its run, and the results so far
        run, opened = _Run(), -1
        read: Messages = ()
        for at, (call, history) in enumerate(zip(segment.calls, segment.histories, strict=True)):
            messages, first = call.input or (), history.opened_at + 1
            start = repeated(messages, read) if at and opened == first else 0
            if not start:
                run = _Run()
            # Messages that belong to this turn: those behind the one that opened it.
            start = max(start, first)
            run.extend(messages, start, history.asides[bisect_left(history.asides, start) :])
            read, opened = messages, first
            self._seen.append((run, len(run.given)))
            # The first call may stand in the middle of the turn: its earlier calls were not seen.
            self.new.append(run.newest() if at else list(run.given))
            before = answer_of(self.calls[at - 1]) if at else None
            told = [] if before is None else [p for p in before.of_kind("tool_call") if p.name]
            repeats = _asked_last(messages, first) if at else _asked_in(messages[first:])
            # Where the next input repeats all calls and more, the output left some out.
            # A streamed one may have left out their ids.
            more = {p.id for p in repeats if p.id} > {p.id for p in told if p.id}
            self.asked.append(repeats if more or not told else told)
            if run.is_unreadable:
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
        self._starts = [call.start_ns for call in self.calls]

    def begun(self, time_ns: int) -> int:
        """Return the last step whose asking call had begun at a time."""
        return bisect_right(self._starts, time_ns)

    def ended(self, time_ns: int) -> int:
        """Return the first step whose call began at a time or later."""
        return bisect_left(self._starts, time_ns)

    def after(self, tool: ToolExecution) -> int:
        """Return the step that ends in the first call after a tool's end (or its start, where the
        call began before that)."""
        begun = bisect_right(self._starts, tool.start_ns) if tool.start_ns else len(self._starts)
        return min(self.ended(tool.end_ns), begun)

    def find(self, call_id: str, step: int, at: int) -> list[Given]:
        """Return what call `at` was given under an id that was asked for in `step`."""
        run, count = self._seen[at]
        groups = run.ids.get(call_id)
        if groups is None:
            return []
        steps = self._asked_steps.get(call_id, [])
        again = bisect_right(steps, at) - bisect_right(steps, step)
        seen = bisect_left(groups, count, key=lambda group: group[0].position)
        if seen <= again:
            return []
        return [given for given in groups[seen - 1 - again] if given.position < count]

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


def _asked_in(messages: Iterable[Message]) -> list[Part]:
    """Return the tool calls that the assistant messages of an input asked for."""
    return [part for m in messages if m.role == "assistant" for part in m.of_kind("tool_call")]


def _asked_last(messages: Sequence[Message], first: int) -> list[Part]:
    """Return the tool calls of the last answer in an input, from its message `first` on.

    Assistant messages in a row are one answer whose items were recorded apart.
    """
    end = len(messages)
    while end > first and messages[end - 1].role != "assistant":
        end -= 1
    start = end
    while start > first and messages[start - 1].role == "assistant":
        start -= 1
    return _asked_in(messages[start:end])
