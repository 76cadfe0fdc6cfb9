"""What one closed turn adds to the metrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from collector import profile
from collector.exporters.family import Family, Labels
from collector.exporters.label import clean
from collector.name import is_field

if TYPE_CHECKING:
    from collector.entry import Entry
    from scorers.delivery.pair import Delivery
    from scorers.score import Score

Families = Mapping[str, Family]
# More hex digits than any trace id has; OpenMetrics allows an exemplar 128 characters in all.
LONGEST_TRACE = 64
FIELDS = "tellback_tool_field_results_total"
# A result with more fields than that is a map, and its keys are data.
MOST_FIELDS = 200


@dataclass(slots=True)
class _Counting:
    """Where to count, under which of the turn's own labels, and what dates exemplars."""

    families: Families
    turn: Labels
    trace: str | None
    now: float

    def add(self, name: str, *labels: str | None, amount: float = 1) -> None:
        """Count under the turn's labels and these, in the instrument's order."""
        self.families[name].add(
            (*self.turn, *map(clean, labels)), amount, trace=self.trace, now=self.now
        )

    def observe(self, name: str, value: float, *labels: str | None) -> None:
        self.families[name].observe(
            (*self.turn, *map(clean, labels)), value, trace=self.trace, now=self.now
        )


def count_entry(families: Families, entry: Entry, *, now: float) -> None:
    """Count a turn, its tool results and its scores. `now` (Unix seconds) dates exemplars."""
    turn = entry.turn
    who = (clean(turn.agent), clean(turn.agent_version), clean(turn.environment))
    traces = (turn.reply_trace_id, *turn.trace_ids)
    trace = next((found for found in traces if found and _is_trace(found)), None)
    counting = _Counting(families, who, trace, now)
    turns = tool_turns(turn.tool_turns)
    counting.add("tellback_replies_observed_total", turn.model, turns)
    counting.observe("tellback_tool_calls", len(entry.deliveries), turn.model)
    if turn.stopped is not None:
        counting.add("tellback_turns_stopped_total", turn.stopped)
    for scorer, state in entry.states.items():
        counting.add("tellback_reply_states_total", scorer, state)
    for score in entry.scores:
        _count_score(counting, score, turns)
    for delivery in entry.deliveries:
        _count_delivery(counting, delivery, stopped=turn.stopped)


def tool_turns(count: int) -> str:
    """Return the group a reply is in by the model calls before it that asked for tools."""
    if count <= 0:
        return "0"
    return "1-2" if count <= 2 else "3+"


def _count_score(counting: _Counting, score: Score, turns: str) -> None:
    scorer = score.scorer
    counting.add("tellback_scores_total", scorer, str(score.outcome))
    if str(score.outcome) != "scored" or score.label not in ("usable", "failed"):
        return
    counting.add("tellback_reply_verdicts_total", scorer, turns, score.label)
    gaps = score.evidence.get("gaps")
    gaps = gaps if isinstance(gaps, list | tuple) else ()
    counting.observe("tellback_information_gaps", len(gaps), scorer)
    if score.label == "failed":
        for kind in sorted(_failure_kinds(score.evidence, gaps)):
            counting.add("tellback_reply_failures_total", scorer, kind)


def _failure_kinds(evidence: Mapping[str, Any], gaps: list[Any] | tuple[Any, ...]) -> set[str]:
    kinds = {str(gap.get("category")) for gap in gaps if isinstance(gap, Mapping)}
    if evidence.get("answered") is False:
        kinds.add("not_answered")
    if evidence.get("same_language") is False:
        kinds.add("wrong_language")
    return kinds


def _count_delivery(counting: _Counting, delivery: Delivery, *, stopped: str | None) -> None:
    tool, state = delivery.tool, str(delivery.state)
    counting.add("tellback_tool_results_total", tool, "deliver", state)
    counting.add("tellback_tool_result_joins_total", delivery.join or "none")
    for stage in profile.MEASURED:
        became = profile.outcome(stage, state)
        if became is not None:
            counting.add("tellback_stage_items_total", stage, became)
    if state == "unread":
        counting.add("tellback_tool_results_unread_total", stopped or "ended")
    if state not in profile.OBSERVED:
        return
    strategy = delivery.strategy or "none"
    if delivery.broken:
        counting.add("tellback_tool_results_broken_total", tool, strategy)
    if delivery.silent:
        counting.add("tellback_tool_results_silent_cuts_total", tool, strategy)
    produced, kept = delivery.produced_characters, delivery.kept_characters
    if produced is not None and kept is not None:
        name = "tellback_tool_result_characters_total"
        counting.add(name, tool, "produced", amount=produced)
        counting.add(name, tool, "delivered", amount=min(kept, produced))
    _count_fields(counting, tool, delivery.fields or {})


def _count_fields(counting: _Counting, tool: str, fields: Mapping[str, tuple[int, int]]) -> None:
    family, trace, now = counting.families[FIELDS], counting.trace, counting.now
    of_tool = (*counting.turn, clean(tool))
    unnamed = 0
    for position, (field, (delivered, produced)) in enumerate(fields.items()):
        if position >= MOST_FIELDS or not is_field(field):
            unnamed += produced
            continue
        named = (*of_tool, clean(field))
        if delivered > 0:
            family.add((*named, "true"), delivered, trace=trace, now=now)
        if produced > delivered:
            family.add((*named, "false"), produced - delivered, trace=trace, now=now)
    if unnamed:
        family.add_unnamed(unnamed)


def _is_trace(text: str) -> bool:
    return len(text) <= LONGEST_TRACE and text.isascii() and text.isalnum()
