"""In which step of a segment a tool was executed, and for which request of it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from collector.assembly.steps import Steps
from scorers.turn import Join, Part, ToolExecution

LOOK_BACK = 64  # requests that are looked at for one that nobody has claimed
MOST_OPTIONS = 32  # requests of one step among which the text decides
BEGINNING = 24  # characters by which a shortened result is recognised


@dataclass(slots=True, eq=False)
class Placed:
    """A tool execution in its step. `request` is what asked for it, None where that is not known.

    `superseded`: another execution answered the same request (a retry after a failure).
    """

    tool: ToolExecution
    step: int
    request: Part | None = None
    join: Join | None = None
    superseded: bool = False

    @property
    def call_id(self) -> str | None:
        """The id under which its result is delivered."""
        return (self.request.id if self.request is not None else None) or self.tool.call_id


def place(tools: Sequence[ToolExecution], steps: Steps) -> list[Placed]:
    """Place each execution in the step whose request it answers: by id, by name and arguments, by
    name, else by time. Linear but for the requests of one name."""
    placer = _Placer(steps)
    placed = [placer.place(tool) for tool in tools]
    claims: dict[int, list[Placed]] = defaultdict(list)
    for one in placed:
        if one.request is not None:
            claims[id(one.request)].append(one)
    for rivals in claims.values():
        # Of several attempts the last that worked is the one whose result was passed on.
        best = max(rivals, key=lambda one: (not one.tool.failed, one.tool.start_ns))
        for one in rivals:
            one.superseded = one is not best
    return placed


class _Requests:
    """Requests in the order of their steps, and which of them are claimed."""

    def __init__(self) -> None:
        self.steps: list[int] = []
        self.parts: list[Part] = []
        self._first_free = 0

    def add(self, step: int, part: Part) -> None:
        self.steps.append(step)
        self.parts.append(part)

    def options(self, step: int, claimed: set[int]) -> list[tuple[int, Part]]:
        """Return the unclaimed requests of the last step up to `step`, else of the first step that
        has one; nothing when all are claimed. Looks back a bounded way."""
        while self._first_free < len(self.parts) and id(self.parts[self._first_free]) in claimed:
            self._first_free += 1
        at = bisect_right(self.steps, step) - 1
        for back in range(at, max(at - LOOK_BACK, -1), -1):
            if id(self.parts[back]) not in claimed:
                return self._of_step(self.steps[back], claimed)
        if self._first_free < len(self.parts):
            return self._of_step(self.steps[self._first_free], claimed)
        return []

    def latest(self, step: int) -> tuple[int, Part]:
        """Return the last request up to `step`, claimed or not; else the first."""
        at = max(bisect_right(self.steps, step) - 1, 0)
        return (self.steps[at], self.parts[at])

    def _of_step(self, step: int, claimed: set[int]) -> list[tuple[int, Part]]:
        start = max(bisect_left(self.steps, step), self._first_free)
        found: list[tuple[int, Part]] = []
        for at in range(start, len(self.parts)):
            if self.steps[at] != step or len(found) >= MOST_OPTIONS:
                break
            if id(self.parts[at]) not in claimed:
                found.append((step, self.parts[at]))
        return found


class _Placer:
    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        self._by_id: dict[str, _Requests] = defaultdict(_Requests)
        self._by_call: dict[tuple[str, str], _Requests] = {}
        self._by_name: dict[str, _Requests] = defaultdict(_Requests)
        self._claimed: set[int] = set()
        for step, parts in enumerate(steps.asked):
            for part in parts:
                if part.id:
                    self._by_id[part.id].add(step, part)
                self._by_name[part.name or ""].add(step, part)

    def place(self, tool: ToolExecution) -> Placed:
        step = self._step_of(tool)
        if tool.call_id and tool.call_id in self._by_id:
            # A retry has the id of the attempt it repeats: a request may be claimed twice.
            return self._claim(tool, self._by_id[tool.call_id], step, "id")
        given = self._steps.first_given.get(tool.call_id or "")
        if given is not None:
            return Placed(tool, given, None, "id")
        same = self._same_calls().get((tool.tool, squeezed(tool.arguments or "")))
        if same is not None:
            return self._claim(tool, same, step, "arguments")
        # Arguments may be wrapped beyond recognition on one side.
        named = self._by_name.get(tool.tool)
        if named is not None and tool.call_id is None and named.options(step, self._claimed):
            return self._claim(tool, named, step, "order")
        return Placed(tool, self._steps.after(tool))

    def _same_calls(self) -> dict[tuple[str, str], _Requests]:
        """Return the requests by name and arguments; most tools are found by id before."""
        if not self._by_call:
            self._by_call = defaultdict(_Requests)
            for step, parts in enumerate(self._steps.asked):
                for part in parts:
                    self._by_call[(part.name or "", squeezed(part.text))].add(step, part)
        return self._by_call

    def _claim(self, tool: ToolExecution, requests: _Requests, step: int, join: Join) -> Placed:
        options = requests.options(step, self._claimed)
        at, request = self._by_text(tool, options) if options else requests.latest(step)
        self._claimed.add(id(request))
        return Placed(tool, at, request, join)

    def _step_of(self, tool: ToolExecution) -> int:
        """Return the last step whose call had begun when the tool did; 0 where no time is known."""
        return self._steps.begun(tool.start_ns) if tool.start_ns else 0

    def _by_text(
        self, tool: ToolExecution, options: Sequence[tuple[int, Part]]
    ) -> tuple[int, Part]:
        """Of requests that nothing else tells apart, return the one answered with the tool's own
        text; else the first."""
        if len(options) > 1 and tool.result:
            for same in (_is_same, _begins):
                for step, request in options:
                    if request.id and step < len(self._steps.calls):
                        given = self._steps.find(request.id, step, step)
                        if any(same(tool.result, each.part.text) for each in given):
                            return (step, request)
        return options[0]


def _is_same(result: str, told: str) -> bool:
    return result.strip() == told.strip()


def _begins(result: str, told: str) -> bool:
    size = min(BEGINNING, len(result), len(told))
    return size > 3 and result[:size] == told[:size]


def squeezed(arguments: str) -> str:
    """Arguments without what differs between spellings of one JSON: space, quotes, key order."""
    return "".join(sorted(ch for ch in arguments if ch.isalnum()))
