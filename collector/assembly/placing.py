"""In which step of a segment a tool was executed, and for which request of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from collector.assembly.steps import Steps
from scorers.turn import Join, Part, ToolExecution

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


class _Placer:
    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        self._by_id: dict[str, list[tuple[int, Part]]] = defaultdict(list)
        self._by_call: dict[tuple[str, str], list[tuple[int, Part]]] = defaultdict(list)
        self._by_name: dict[str, list[tuple[int, Part]]] = defaultdict(list)
        self._claimed: set[int] = set()
        for step, parts in enumerate(steps.asked):
            for part in parts:
                if part.id:
                    self._by_id[part.id].append((step, part))
                self._by_call[(part.name or "", squeezed(part.text))].append((step, part))
                self._by_name[part.name or ""].append((step, part))

    def place(self, tool: ToolExecution) -> Placed:
        if tool.call_id and tool.call_id in self._by_id:
            # A retry has the id of the attempt it repeats: a request may be claimed twice.
            return self._claim(tool, self._at_time(tool, self._by_id[tool.call_id]), "id")
        if tool.call_id and any(
            given.part.id == tool.call_id for new in self._steps.new for given in new
        ):
            return Placed(tool, self._step_given(tool.call_id), None, "id")
        same = self._by_call.get((tool.tool, squeezed(tool.arguments or "")), [])
        free = [found for found in same if id(found[1]) not in self._claimed]
        if free or same:
            return self._claim(tool, self._at_time(tool, free or same), "arguments")
        # Arguments may be wrapped beyond recognition on one side.
        named = [f for f in self._by_name.get(tool.tool, []) if id(f[1]) not in self._claimed]
        if named and tool.call_id is None:
            return self._claim(tool, self._at_time(tool, named), "order")
        return Placed(tool, self._step_by_time(tool))

    def _claim(self, tool: ToolExecution, found: tuple[int, Part], join: Join) -> Placed:
        step, request = found
        self._claimed.add(id(request))
        return Placed(tool, step, request, join)

    def _at_time(self, tool: ToolExecution, found: Iterable[tuple[int, Part]]) -> tuple[int, Part]:
        """Return the last request before the tool began that nobody claimed; else the first."""
        options = list(found)
        free = [option for option in options if id(option[1]) not in self._claimed]
        before = [o for o in free or options if self._steps.starts(o[0]) <= tool.start_ns]
        if before and tool.start_ns:
            latest = max(step for step, _ in before)
            before = [option for option in before if option[0] == latest]
        return self._by_text(tool, before or free or options)

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

    def _step_given(self, call_id: str) -> int:
        for step, new in enumerate(self._steps.new):
            if any(given.part.id == call_id for given in new):
                return step
        return len(self._steps.calls)

    def _step_by_time(self, tool: ToolExecution) -> int:
        for step, call in enumerate(self._steps.calls):
            if call.start_ns >= tool.end_ns or call.start_ns > tool.start_ns > 0:
                return step
        return len(self._steps.calls)


def _is_same(result: str, told: str) -> bool:
    return result.strip() == told.strip()


def _begins(result: str, told: str) -> bool:
    size = min(BEGINNING, len(result), len(told))
    return size > 3 and result[:size] == told[:size]


def squeezed(arguments: str) -> str:
    """Arguments without what differs between spellings of one JSON: space, quotes, key order."""
    return "".join(sorted(ch for ch in arguments if ch.isalnum()))
