"""Where one requester is served: the outermost agent's run, or a trace that has no agent.

An arena holds the segments, agents and tool calls of that run. Agents that hand one conversation
on to each other share an arena.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from collector.assembly.material import Key, Tree, key_of
from collector.assembly.segment import Segment
from collector.assembly.speaker import NEAR, main_thread, subject_of, without_utility
from scorers.turn import AgentInvocation, Operation, ToolExecution


@dataclass(slots=True)
class Arena:
    """One outermost run. `agents` are sorted by start; `roots` are those without agents around
    them; `is_run` says that one request was served, by an agent or by whatever took it in."""

    segments: list[Segment] = field(default_factory=list)
    agents: list[AgentInvocation] = field(default_factory=list)
    roots: list[AgentInvocation] = field(default_factory=list)
    tools: list[ToolExecution] = field(default_factory=list)
    is_run: bool = False

    @property
    def speaker(self) -> AgentInvocation | None:
        """The agent whose output names the reply: the outermost with an output, else the last."""
        for root in self.roots:
            if root.output:
                return root
        told = [agent for agent in self.agents if agent.output]
        return max(told, key=lambda agent: agent.end_ns) if told else None

    @property
    def opener(self) -> AgentInvocation | None:
        """The agent whose input names the request: the outermost with an input, else the first."""
        for agent in (*self.roots, *self.agents):
            if agent.input:
                return agent
        return None

    def main_segments(self) -> list[Segment]:
        """Return the segments that talk to the requester, one for each turn, in order."""
        if all(call.utility for segment in self.segments for call in segment.calls):
            return []  # a title's call arrived, and nothing of the conversation
        if len(self.segments) < 2:
            return list(self.segments)
        if not self.is_run:
            # Without an agent around them, calls that do not carry each other on are turns of
            # their own, unless they are about another one (a title, a classification).
            return without_utility(self.segments) or self.segments[:1]
        thread = main_thread(self.segments, self.speaker)
        main = [segment for segment in self.segments if segment.thread == thread]
        return [_one(main, self.roots[0])] if self.has_one_turn else main

    @property
    def has_one_turn(self) -> bool:
        """Whether the run has one root that tells its one request and its one reply."""
        if len(self.roots) != 1:
            return False
        root = self.roots[0]
        asked = [m for m in root.input or () if m.role == "user" and m.text.strip()]
        return len(asked) == 1 and bool(root.output)


def _one(segments: list[Segment], root: AgentInvocation) -> Segment:
    """Join the segments of one turn, up to the one whose answer the agent gave out."""
    told = " ".join(message.text for message in root.output or ())
    last = len(segments) - 1
    for at, segment in enumerate(segments):
        if segment.reply and segment.reply in told:
            last = at
    whole = segments[0]
    for segment in segments[1 : last + 1]:
        whole = whole.joined(segment)
    return whole


def arenas(
    segments: Sequence[Segment],
    agents: Sequence[AgentInvocation],
    tools: Sequence[ToolExecution],
    tree: Tree,
) -> list[Arena]:
    """Group segments, agents and top-level tool calls by the outermost run they belong to."""
    joined: dict[Key, Key] = {}

    def find(key: Key) -> Key:
        while joined.setdefault(key, key) != key:
            joined[key] = joined[joined[key]]
            key = joined[key]
        return key

    for segment in segments:
        first, *rest = sorted(segment.arenas)
        for other in rest:
            joined[find(other)] = find(first)
    found: dict[Key, Arena] = {}
    for segment in segments:
        found.setdefault(find(min(segment.arenas)), Arena()).segments.append(segment)
    for agent in agents:
        if tree.tool_around(agent) is not None:
            continue
        around = tree.agents_around(agent)
        own = tree.entry_around(key_of(agent)) or key_of(around[-1] if around else agent)
        arena = found.setdefault(find(own), Arena())
        arena.agents.append(agent)
        arena.is_run = True
        if not around:
            arena.roots.append(agent)
    for key, arena in found.items():
        arena.is_run = arena.is_run or tree.entry_around(key) is not None
    _gather_utility(segments, found)
    asked: dict[str | None, Key] | None = None
    for tool in tools:
        key = _arena_of(tool, tree, find, found)
        if key not in found and tool.call_id:  # the tool ran in a trace of its own
            asked = _asked(found) if asked is None else asked
            key = asked.get(tool.call_id, key)
        found.setdefault(key, Arena()).tools.append(tool)
    return list(found.values())


def _asked(found: Mapping[Key, Arena]) -> dict[str | None, Key]:
    """Return the arena in which each tool call was asked for."""
    return {
        part.id: key
        for key, arena in found.items()
        for segment in arena.segments
        for call in segment.calls
        for message in call.output or ()
        for part in message.of_kind("tool_call")
    }


def _gather_utility(segments: Sequence[Segment], found: dict[Key, Arena]) -> None:
    """Put calls that are about a run's conversation, and stand outside of it, with that run."""
    if len(found) == 1:
        return  # all stand with it already
    home = {id(s): arena for arena in found.values() for s in arena.segments}
    ordered = sorted(segments, key=lambda s: s.calls[0].start_ns)
    for at, segment in enumerate(ordered):
        arena = home[id(segment)]
        if arena.is_run:
            continue
        subject = subject_of(segment, ordered[max(at - NEAR, 0) : at + NEAR + 1])
        if subject is not None and home[id(subject)] is not arena:
            arena.segments.remove(segment)
            home[id(subject)].segments.append(segment)


def _arena_of(
    tool: Operation, tree: Tree, find: Callable[[Key], Key], found: dict[Key, Arena]
) -> Key:
    entry = tree.entry_around(key_of(tool))
    if entry is not None and find(entry) in found:
        return find(entry)
    around = tree.agents_around(tool)
    if around:
        return find(key_of(around[-1]))
    plain = find((tool.trace_id, ""))
    if plain in found:
        return plain
    # A tool call whose parent never arrived belongs to the only run of its trace, if there is one.
    same_trace = [key for key in found if key[0] == tool.trace_id]
    return same_trace[0] if len(same_trace) == 1 else plain
