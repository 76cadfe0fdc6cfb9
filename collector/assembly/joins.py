"""Which message of which later model call stands for which executed tool call.

By tool call id where both sides have one; else by tool name and arguments; else by order. How each
join was made is recorded, because a join by order is weaker evidence than one by id.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from collector.assembly.capture import CaptureLimits
from collector.assembly.material import Key, Tree, key_of
from collector.assembly.threads import Segment, answer_of
from scorers.turn import Inference, Join, Part, ToolExecution, ToolResult

_SPEAKERS = ("system", "user", "assistant")  # other roles are a tool's, or nobody knows whose


@dataclass(slots=True)
class Scope:
    """The model calls to whom a tool's result can be delivered, in order."""

    calls: list[Inference]
    requested: dict[str, tuple[str, str, int]] = field(default_factory=dict)
    delivered: dict[str, tuple[int, list[Part]]] = field(default_factory=dict)
    anonymous: list[tuple[int, Part]] = field(default_factory=list)
    opening: set[str] = field(default_factory=set)
    unreadable: set[int] = field(default_factory=set)
    strangers: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, calls: list[Inference], opening_from: int) -> Scope:
        """Index the calls. `opening_from`: index in the first call's input after the request."""
        scope = cls(calls)
        seen_anonymous: set[tuple[str | None, str]] = set()
        for at, call in enumerate(calls):
            for index, message in enumerate(call.input or ()):
                if message.role not in _SPEAKERS and not message.of_kind("tool_result"):
                    scope.unreadable.add(at)
                for part in message.of_kind("tool_result"):
                    if part.id is None:
                        mark = (part.name, part.text)
                        if mark not in seen_anonymous and not (at == 0 and index < opening_from):
                            seen_anonymous.add(mark)
                            scope.anonymous.append((at, part))
                        continue
                    first, parts = scope.delivered.setdefault(part.id, (at, []))
                    if first == at:
                        parts.append(part)
                    if at == 0 and index >= opening_from:
                        scope.opening.add(part.id)
                if message.role == "assistant" and (at > 0 or index >= opening_from):
                    for part in message.of_kind("tool_call"):
                        if part.id:
                            scope.requested.setdefault(part.id, (part.name or "", part.text, -1))
            answer = answer_of(call)
            for part in answer.of_kind("tool_call") if answer is not None else ():
                if part.id:
                    name, arguments, _ = scope.requested.get(part.id, ("", "", -1))
                    scope.requested[part.id] = (part.name or name, part.text or arguments, at)
        return scope

    def find_strangers(self, tools: Sequence[ToolExecution]) -> None:
        """Find the calls that were given results under ids that nobody asked for."""
        executed = {tool.call_id for tool in tools}
        for call_id, (at, _) in self.delivered.items():
            new = at > 0 or call_id in self.opening
            if new and call_id not in self.requested and call_id not in executed:
                self.strangers.add(at)

    def may_hide(self, calls: Sequence[int]) -> bool:
        """Say whether a result may stand in one of these calls without being recognized there."""
        return any(at in self.unreadable or at in self.strangers for at in calls)

    def calls_after(self, tool: ToolExecution, call_id: str | None) -> list[int]:
        """Return the positions of the calls that could have read a tool's result."""
        asked_at = self.requested.get(call_id or "", ("", "", -1))[2]
        if asked_at >= 0:
            return list(range(asked_at + 1, len(self.calls)))
        return [
            at
            for at, call in enumerate(self.calls)
            if call.start_ns >= tool.end_ns or call.start_ns > tool.start_ns > 0
        ]


def tool_results(
    segment: Segment,
    tools: Sequence[ToolExecution],
    limits: CaptureLimits,
    incomplete: str | None,
) -> list[ToolResult]:
    """Join a segment's executed tool calls with what its model calls were given.

    Tool calls that have no span of their own, but whose result was delivered, are listed too:
    their produced side is not known.
    """
    history = segment.histories[0]
    scope = Scope.of(segment.calls, history.request_at + 1)
    scope.find_strangers(tools)
    used: set[str] = set()
    found: list[ToolResult] = []
    by_arguments = _by_arguments(scope)
    orphans: list[ToolExecution] = []
    for tool in tools:
        call_id, how = _call_id(tool, scope, by_arguments, used)
        if scope.anonymous and call_id not in scope.delivered:
            # Where no delivered message carries an id (OpenLIT), the order joins.
            orphans.append(tool)
            continue
        if call_id is not None:
            used.add(call_id)
        found.append(_pair(tool, call_id, how, scope, limits, incomplete))
    # Results are delivered in the order in which the model asked, whichever tool ended first.
    asked = {call_id: at for at, call_id in enumerate(scope.requested)}
    orphans.sort(key=lambda tool: asked.get(tool.call_id or "", len(asked)))
    found += _by_order(orphans, scope, limits, incomplete)
    known = {result.call_id for result in found}
    for call_id, (at, parts) in scope.delivered.items():
        if call_id in known or (call_id not in scope.requested and call_id not in scope.opening):
            continue
        found.append(_delivered_only(call_id, at, parts, scope, limits))
    if not orphans and not tools:
        found += [_delivered_only(None, at, [part], scope, limits) for at, part in scope.anonymous]
    return found


def _by_arguments(scope: Scope) -> dict[tuple[str, str], list[str]]:
    index: dict[tuple[str, str], list[str]] = defaultdict(list)
    for call_id, (name, arguments, _) in scope.requested.items():
        index[(name, _squeezed(arguments))].append(call_id)
        index[(name, "*")].append(call_id)
    return index


def _squeezed(arguments: str) -> str:
    """Arguments without what differs between spellings of one JSON: space, quotes, key order."""
    return "".join(sorted("".join(ch for ch in arguments if ch.isalnum())))


def _call_id(
    tool: ToolExecution,
    scope: Scope,
    by_arguments: dict[tuple[str, str], list[str]],
    used: set[str],
) -> tuple[str | None, Join | None]:
    if tool.call_id and (tool.call_id in scope.delivered or tool.call_id in scope.requested):
        return tool.call_id, "id"
    same = by_arguments.get((tool.tool, _squeezed(tool.arguments or "")), [])
    for call_id in same:
        if call_id not in used:
            return call_id, "arguments"
    # The same tool asked for once: arguments may be wrapped beyond recognition on one side.
    alike = [c for c in by_arguments.get((tool.tool, "*"), []) if c not in used]
    if alike and tool.call_id is None:
        return alike[0], "order"
    return tool.call_id, None


def _by_order(
    tools: list[ToolExecution],
    scope: Scope,
    limits: CaptureLimits,
    incomplete: str | None,
) -> list[ToolResult]:
    """Join results without ids in the order in which they were produced and delivered."""
    left = list(scope.anonymous)
    found: list[ToolResult] = []
    for tool in tools:
        choice = next(
            (
                slot
                for slot, (at, part) in enumerate(left)
                if (not part.name or part.name == tool.tool)
                and (scope.calls[at].start_ns >= tool.start_ns or not tool.start_ns)
            ),
            None,
        )
        if choice is None:
            found.append(_pair(tool, None, None, scope, limits, incomplete))
            continue
        at, part = left.pop(choice)
        missing, cut = _sides(tool, scope.calls[at], [part], limits)
        found.append(
            ToolResult(
                tool=tool.tool,
                call_id=tool.call_id,
                arguments=tool.arguments,
                produced=tool.result,
                delivered=part.text,
                calls_after=len(scope.calls) - at,
                failed=tool.failed,
                join="order",
                produced_missing=missing,
                capture_cut=cut,
                span_id=tool.span_id,
            )
        )
    return found


def _pair(
    tool: ToolExecution,
    call_id: str | None,
    how: Join | None,
    scope: Scope,
    limits: CaptureLimits,
    incomplete: str | None,
) -> ToolResult:
    after = scope.calls_after(tool, call_id)
    at, parts = scope.delivered.get(call_id or "", (-1, []))
    missing, cut = _sides(tool, scope.calls[at] if at >= 0 else None, parts, limits)
    delivered_missing = None
    if at < 0 and after:
        delivered_missing = incomplete or _why_not_seen([scope.calls[n] for n in after], limits)
        nameless = how is None and not tool.call_id
        if delivered_missing is None and (nameless or scope.may_hide(after)):
            delivered_missing = "no_join"
    return ToolResult(
        tool=tool.tool,
        call_id=call_id,
        arguments=tool.arguments,
        produced=tool.result,
        delivered="\n".join(part.text for part in parts) if at >= 0 else None,
        calls_after=max(len(after), 1) if at >= 0 else len(after),
        failed=tool.failed,
        join=how if at >= 0 else None,
        produced_missing=missing,
        delivered_missing=delivered_missing,
        capture_cut=cut,
        span_id=tool.span_id,
    )


def _sides(
    tool: ToolExecution, call: Inference | None, parts: list[Part], limits: CaptureLimits
) -> tuple[str | None, str | None]:
    """Return (why the produced side is missing, why either side is known to be cut)."""
    missing = None
    if tool.result is None:
        missing = tool.capture.hidden or ("tool_failed" if tool.failed else "not_recorded")
    elif tool.capture.hidden:
        return None, tool.capture.hidden
    cut = limits.cut_reason(tool)
    if cut is None and call is not None:
        if any(part.cut_by_capture for part in parts):
            cut = call.capture.hidden or "attribute_length_limit"
        elif limits.is_at_limit(call, parts):
            cut = "attribute_length_limit"
    return missing, cut


def _why_not_seen(calls: list[Inference], limits: CaptureLimits) -> str | None:
    """Say why none of the calls shows a message; None where one of them would show it."""
    reason = None
    for call in calls:
        if call.input is None:
            reason = reason or call.capture.hidden or "input_not_recorded"
        elif call.capture.dropped:
            reason = reason or "attribute_count_limit"
        elif limits.hides_messages(call):
            reason = reason or "attribute_length_limit"
        elif call.capture.hidden:
            reason = reason or call.capture.hidden
        else:
            return None
    return reason


def _delivered_only(
    call_id: str | None, at: int, parts: list[Part], scope: Scope, limits: CaptureLimits
) -> ToolResult:
    name, arguments, _ = scope.requested.get(call_id or "", ("", "", -1))
    hidden = scope.calls[at].capture.hidden
    cut = None
    if any(part.cut_by_capture for part in parts) or limits.is_at_limit(scope.calls[at], parts):
        cut = hidden or "attribute_length_limit"
    return ToolResult(
        tool=name or next((part.name for part in parts if part.name), None) or "unknown",
        call_id=call_id,
        arguments=arguments or None,
        delivered="\n".join(part.text for part in parts),
        calls_after=len(scope.calls) - at,
        produced_missing=hidden or "no_tool_span",
        capture_cut=cut,
        span_id=None,
    )


def scopes_inside(
    tools: Sequence[ToolExecution], tree: Tree
) -> dict[Key | None, list[ToolExecution]]:
    """Group executed tool calls by the tool call they ran in (None: at the top level)."""
    grouped: dict[Key | None, list[ToolExecution]] = defaultdict(list)
    for tool in tools:
        holder = tree.tool_around(tool)
        grouped[key_of(holder) if holder else None].append(tool)
    return grouped
