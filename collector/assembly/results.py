"""Every tool call of a turn with its two sides: at the top level and inside sub-agents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from collector.assembly.capture import COUNT, CaptureLimits
from collector.assembly.drafts import Draft
from collector.assembly.joins import tool_results
from collector.assembly.material import Key, Tree, key_of
from collector.assembly.merge import Work
from collector.assembly.segment import Segment
from collector.assembly.sides import sides, why_not_given
from collector.assembly.threads import segments
from scorers.turn import Inference, ToolExecution, ToolResult


class Results:
    """Joins the tool calls of a group, scope by scope.

    A tool called by a sub-agent delivers to that sub-agent's model calls, not to the caller's.
    """

    def __init__(
        self,
        work: Work,
        limits: CaptureLimits,
        incomplete: str | None,
        cut_short: str | None = None,
    ) -> None:
        self._work = work
        self._limits = limits
        self._incomplete = incomplete
        self._cut_short = cut_short
        self._tools = _by_holder(work.tools, work.tree)
        # The last call of each trace that was recorded without all that it was given.
        self._blind = {
            call.trace_id: call for call in work.inferences if not call.input or call.capture.broken
        }
        self._calls: dict[Key, list[Inference]] = {key_of(tool): [] for tool in work.tools}
        for call in work.inferences:
            holder = work.tree.tool_around(call)
            if holder is not None:
                self._calls.setdefault(key_of(holder), []).append(call)

    @property
    def top_level(self) -> list[ToolExecution]:
        """Tool calls that stand inside no other tool call."""
        return self._tools.get(None, [])

    def tools_inside(self, tools: Iterable[ToolExecution]) -> list[ToolExecution]:
        """Return the tool calls made inside other tool calls (by sub-agents), at any depth."""
        found: list[ToolExecution] = []
        left = list(tools)
        seen: set[Key] = set()
        while left:
            key = key_of(left.pop())
            if key not in seen:
                seen.add(key)
                inner = self._tools.get(key, [])
                found += inner
                left += inner
        return found

    def calls_inside(self, tools: Iterable[ToolExecution]) -> list[Inference]:
        """Return the model calls made directly inside some tool calls."""
        return [call for tool in tools for call in self._calls.get(key_of(tool), [])]

    def of(self, draft: Draft) -> tuple[ToolResult, ...]:
        """Return the tool results of a turn, those of sub-agents behind its own."""
        own = [draft.segment] if draft.segment else []
        found = self._joined([*own, *draft.others], draft.tools)
        for tool in (*draft.tools, *self.tools_inside(draft.tools)):
            key = key_of(tool)
            calls, tools = self._calls.get(key, []), self._tools.get(key, [])
            if calls or tools:
                found += self._joined(segments(calls, self._work.tree), tools)
        return tuple(found)

    def _joined(self, parts: list[Segment], tools: list[ToolExecution]) -> list[ToolResult]:
        if not parts:
            return [self._without_calls(tool) for tool in tools]
        placed = [tools] if len(parts) == 1 else self._placed(parts, tools)
        found = [
            (at, result)
            for at, segment in enumerate(parts)
            for result in tool_results(
                segment, placed[at], self._limits, self._incomplete, self._cut_short
            )
        ]
        return [self._handed_over(result, parts, at) for at, result in found]

    def _placed(
        self, parts: list[Segment], tools: list[ToolExecution]
    ) -> list[list[ToolExecution]]:
        """Return for each segment the tool calls that it asked for."""
        asked: dict[str, list[int]] = {}
        for at, segment in enumerate(parts):
            for call in segment.calls:
                for message in (*(call.output or ()), *(call.input or ())):
                    for part in (*message.of_kind("tool_call"), *message.of_kind("tool_result")):
                        # A call without an id is known by its tool.
                        name = part.id or f"\n{part.name}"
                        if not asked.get(name) or asked[name][-1] != at:
                            asked.setdefault(name, []).append(at)
        placed: list[list[ToolExecution]] = [[] for _ in parts]
        for tool in tools:
            around = self._work.tree.agents_around(tool)
            agent = key_of(around[0]) if around else None
            # Agents count their ids anew: of several that know an id, the tool's own one.
            known = asked.get(tool.call_id or "") or asked.get(f"\n{tool.tool}")
            options = known or range(len(parts))
            own = next((at for at in options if agent in parts[at].agents), options[0])
            placed[own].append(tool)
        return placed

    def _handed_over(self, result: ToolResult, parts: list[Segment], at: int) -> ToolResult:
        """Mark a result that nobody read before another agent took over: what that agent was told
        of it can't be seen under its call id, so it is neither read nor lost."""
        if result.delivered is not None or result.calls_after or result.span_id is None:
            return result
        asked = parts[at].calls[-1].start_ns
        after = [call for part in parts for call in part.calls if call.start_ns > asked]
        if not after:
            blind = self._blind.get(parts[at].calls[-1].trace_id)
            if blind is None or blind.start_ns <= asked:
                return result
            return replace(result, calls_after=1, delivered_missing=why_not_given(blind))
        taken = any(call.capture.dropped for call in (*after, *parts[at].calls))
        reason = COUNT if taken else "handed_over"
        return replace(result, calls_after=len(after), delivered_missing=reason)

    def _without_calls(self, tool: ToolExecution) -> ToolResult:
        seen = sides(tool, None, (), self._limits)
        return ToolResult(
            tool=tool.tool,
            call_id=tool.call_id,
            arguments=tool.arguments,
            produced=seen.produced,
            failed=tool.failed,
            calls_after=1,
            produced_missing=seen.produced_missing,
            delivered_missing=self._incomplete or "no_model_call",
            span_id=tool.span_id,
            produced_size=tool.produced_size,
            delivered_size=tool.delivered_size,
            size_unit=tool.size_unit,
            dialect=seen.dialect,
        )


def _by_holder(tools: Iterable[ToolExecution], tree: Tree) -> dict[Key | None, list[ToolExecution]]:
    """Group executed tool calls by the tool call they ran in (None: at the top level)."""
    grouped: dict[Key | None, list[ToolExecution]] = {}
    for tool in tools:
        holder = tree.tool_around(tool)
        grouped.setdefault(key_of(holder) if holder else None, []).append(tool)
    return grouped
