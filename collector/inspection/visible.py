"""What of one turn its telemetry shows, as things to count: facet, and "seen" or why not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from collector import profile
from collector.entry import Entry
from collector.inspection.names import short
from scorers.turn import ToolResult, Turn

SEEN = "seen"
OF_TURNS = ("request", "reply", "session", "agent", "agent_version", "usage")
OF_RESULTS = ("produced", "delivered", "compared")

Fact = tuple[str, str]
Blame = tuple[str, str, str]
ScopeOf = Callable[[str, str], str | None]
"""Returns the scope that wrote a span, by trace id and span id; None where it is forgotten."""


def facts(entry: Entry, *, names_agent: bool) -> Counter[Fact]:
    """Return what is visible of a turn. `names_agent`: a span of its traces names an agent."""
    turn = entry.turn
    found: Counter[Fact] = Counter()
    found["turns", SEEN] = 1
    found["request", _why(turn.request, turn.request_missing)] += 1
    found["reply", _why(turn.reply, turn.reply_missing)] += 1
    found["session", _why(turn.conversation_id)] += 1
    # The service's name stands for the agent's where no span names one.
    found["agent", SEEN if names_agent else "not_recorded"] += 1
    found["agent_version", _why(turn.agent_version)] += 1
    found["usage", _usage(turn)] += 1
    for result, delivery in zip(turn.tool_results, entry.deliveries, strict=False):
        found["results", SEEN] += 1
        found["produced", _produced(result)] += 1
        delivered = _delivered(result)
        if delivered is not None:
            found["delivered", delivered] += 1
        state = str(delivery.state)
        if state in profile.OBSERVED:
            found["compared", SEEN] += 1
        elif state != "unread":
            found["compared", delivery.reason or state] += 1
    return found


def tool_spans(turn: Turn) -> Counter[tuple[str, bool]]:
    """Count a turn's results by tool, and by whether the tool's own span was seen."""
    return Counter((short(each.tool), each.span_id is not None) for each in turn.tool_results)


def _why(value: str | None, reason: str | None = None) -> str:
    return SEEN if value is not None else reason or "not_recorded"


def _usage(turn: Turn) -> str:
    if turn.input_tokens is not None or turn.output_tokens is not None:
        return SEEN
    return "not_recorded" if turn.model_calls else "no_model_call"


def _produced(result: ToolResult) -> str:
    return _why(result.produced, result.produced_missing)


def _delivered(result: ToolResult) -> str | None:
    """None where no model call came after it: then there was nothing to see."""
    if result.delivered is not None:
        return SEEN
    if not result.calls_after:
        return None
    # Messages that are recorded and do not hold it show that it was dropped.
    return result.delivered_missing or SEEN


def blames(entry: Entry, found: Counter[Fact], scope_of: ScopeOf) -> Counter[Blame]:
    """Return who wrote the spans in which something is missing: facet, reason and scope.

    What a tool produced is missing in the tool's own span where it has one, all else in the model
    calls.
    """
    turn = entry.turn
    calls = {scope_of(call.trace_id, call.span_id) for call in turn.inferences} - {None}
    traces = turn.trace_ids
    written: Counter[Blame] = Counter()
    by_tool: set[str | None] = set()
    for result in turn.tool_results:
        own = {scope_of(trace, result.span_id) for trace in traces if result.span_id} - {None}
        by_tool |= own
        reason = _produced(result)
        if reason != SEEN:
            written.update(("produced", reason, scope) for scope in own or calls if scope)
    for facet, reason in found:
        if reason != SEEN and facet != "produced":
            at_fault = calls | by_tool if facet == "compared" else calls or by_tool
            written.update((facet, reason, scope) for scope in at_fault if scope)
    return written
