"""Which segments, tool calls and agents make up one turn."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, field

from collector.assembly.arenas import Arena
from collector.assembly.segment import Segment
from collector.dialect import Opening
from scorers.turn import Inference, Operation, ToolExecution


@dataclass(slots=True)
class Draft:
    """What one turn is made of, before it is read as a whole."""

    arena: Arena
    segment: Segment | None
    alone: bool
    others: list[Segment] = field(default_factory=list)
    tools: list[ToolExecution] = field(default_factory=list)

    @property
    def started_ns(self) -> int:
        """When its first operation began; 0 where no time is known."""
        starts = [operation.start_ns for operation in self.operations if operation.start_ns]
        return min(starts, default=0)

    @property
    def only_asked(self) -> bool:
        """Whether nothing but the requester's message has come: the work on it is under way."""
        if self.segment is not None or self.tools or not self.alone:
            return False
        agents = self.arena.agents
        return bool(agents) and all(
            isinstance(agent, Opening) and agent.end_ns <= agent.start_ns for agent in agents
        )

    @property
    def calls(self) -> list[Inference]:
        """Every model call at the top level, the requester's own thread first."""
        own = self.segment.calls if self.segment else []
        return [*own, *[call for other in self.others for call in other.calls]]

    @property
    def operations(self) -> list[Operation]:
        """Everything at the top level of the turn."""
        agents = self.arena.agents if self.alone else []
        return [*self.calls, *self.tools, *agents]


def drafts_of(arena: Arena) -> list[Draft]:
    """Return one draft for each turn that an arena served."""
    main = arena.main_segments()
    if not main:
        told = any(agent.input or agent.output for agent in arena.agents)
        if not told and not (arena.tools and arena.agents):
            return []  # tool calls that no agent and no model call stands around are no turn
        return [Draft(arena, None, alone=True, tools=arena.tools)]
    drafts = [Draft(arena, segment, alone=len(main) == 1) for segment in main]
    if len(drafts) == 1:
        drafts[0].others = [segment for segment in arena.segments if segment not in main]
        drafts[0].tools = list(arena.tools)
        return drafts
    timeline = _Timeline(drafts)
    for segment in arena.segments:
        if segment not in main:
            timeline.at(segment.calls[0].start_ns).others.append(segment)
    asked: dict[str, list[Draft]] = defaultdict(list)
    for draft in drafts:
        for call_id in _asked_ids(draft):
            asked[call_id].append(draft)
    lines = {call_id: _Timeline(options) for call_id, options in asked.items()}
    for tool in arena.tools:
        # Many libraries count their ids anew in every turn: the time says which one it is.
        lines.get(tool.call_id or "", timeline).at(tool.start_ns).tools.append(tool)
    return drafts


def _asked_ids(draft: Draft) -> set[str]:
    """Return the ids of the tool calls that a draft's models asked for."""
    return {
        part.id
        for call in draft.calls
        for message in call.output or ()
        for part in message.of_kind("tool_call")
        if part.id
    }


class _Timeline:
    """Drafts by the time of their first call."""

    def __init__(self, drafts: list[Draft]) -> None:
        starts = [
            (draft.segment.calls[0].start_ns if draft.segment else 0, at)
            for at, draft in enumerate(drafts)
        ]
        self._starts = sorted(starts)
        self._drafts = [drafts[at] for _, at in self._starts]

    def at(self, time_ns: int) -> Draft:
        """Return the draft that was under way at a time: the last one that began before it."""
        begun = bisect_right(self._starts, (time_ns, len(self._drafts)))
        return self._drafts[max(begun - 1, 0)]
