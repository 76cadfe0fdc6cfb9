"""Which segments, tool calls and agents make up one turn."""

from __future__ import annotations

from dataclasses import dataclass, field

from collector.assembly.arenas import Arena
from collector.assembly.segment import Segment
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
    def calls(self) -> list[Inference]:
        """Every model call at the top level, the requester's own thread first."""
        own = self.segment.calls if self.segment else []
        return [*own, *(call for other in self.others for call in other.calls)]

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
    for segment in arena.segments:
        if segment not in main:
            _at_time(drafts, segment.calls[0].start_ns).others.append(segment)
    asked = {
        part.id: draft
        for draft in reversed(drafts)
        for call in draft.calls
        for message in (*(call.output or ()), *(call.input or ()))
        for part in message.of_kind("tool_call")
        if part.id and (len(drafts) == 1 or message in (call.output or ()))
    }
    for tool in arena.tools:
        draft = asked.get(tool.call_id or "") or _at_time(drafts, tool.start_ns)
        draft.tools.append(tool)
    return drafts


def _at_time(drafts: list[Draft], start_ns: int) -> Draft:
    """Return the draft that was under way at a time: the last one that began before it."""
    under_way = drafts[0]
    for draft in drafts:
        if draft.segment and draft.segment.calls[0].start_ns <= start_ns:
            under_way = draft
    return under_way
