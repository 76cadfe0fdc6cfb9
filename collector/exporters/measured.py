"""What one closed turn adds to the metrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from collector import profile
from collector.exporters.family import Family
from collector.name import is_field

if TYPE_CHECKING:
    from collector.entry import Entry
    from scorers.score import Score

Families = Mapping[str, Family]
# More hex digits than any trace id has; OpenMetrics allows an exemplar 128 characters in all.
LONGEST_TRACE = 64
FIELDS = "tellback_tool_field_results_total"
# A result with more fields than that is a map, and its keys are data.
MOST_FIELDS = 200


@dataclass(frozen=True, slots=True)
class _Counting:
    """Where to count and under which of the turn's own labels."""

    families: Families
    labels: Mapping[str, str | None]
    trace: str | None
    now: float

    def add(self, name: str, amount: float = 1, **labels: str | None) -> None:
        self.families[name].add({**self.labels, **labels}, amount, trace=self.trace, now=self.now)

    def observe(self, name: str, value: float, **labels: str | None) -> None:
        self.families[name].observe(
            {**self.labels, **labels}, value, trace=self.trace, now=self.now
        )


def count_entry(families: Families, entry: Entry, *, now: float) -> None:
    """Count a turn, its tool results and its scores. `now` (Unix seconds) dates exemplars."""
    turn = entry.turn
    labels = {
        "agent": turn.agent,
        "agent_version": turn.agent_version,
        "environment": turn.environment,
        "model": turn.model,
        "tool_turns": tool_turns(turn.tool_turns),
    }
    traces = (turn.reply_trace_id, *turn.trace_ids)
    trace = next((found for found in traces if found and _is_trace(found)), None)
    counting = _Counting(families, labels, trace, now)
    counting.add("tellback_replies_observed_total")
    counting.observe("tellback_tool_calls", len(entry.deliveries))
    if turn.stopped is not None:
        counting.add("tellback_turns_stopped_total", reason=turn.stopped)
    for scorer, state in entry.states.items():
        counting.add("tellback_reply_states_total", scorer=scorer, state=state)
    for score in entry.scores:
        _count_score(counting, score)
    for delivery in entry.deliveries:
        _count_pair(counting, delivery.as_pair(), stopped=turn.stopped)


def tool_turns(count: int) -> str:
    """Return the group a reply is in by the model calls before it that asked for tools."""
    if count <= 0:
        return "0"
    return "1-2" if count <= 2 else "3+"


def _count_score(counting: _Counting, score: Score) -> None:
    scorer = score.scorer
    counting.add("tellback_scores_total", scorer=scorer, outcome=str(score.outcome))
    if str(score.outcome) != "scored" or score.label not in ("usable", "failed"):
        return
    counting.add("tellback_reply_verdicts_total", scorer=scorer, verdict=score.label)
    gaps = score.evidence.get("gaps")
    gaps = gaps if isinstance(gaps, list | tuple) else ()
    counting.observe("tellback_information_gaps", len(gaps), scorer=scorer)
    if score.label == "failed":
        for kind in sorted(_failure_kinds(score.evidence, gaps)):
            counting.add("tellback_reply_failures_total", scorer=scorer, kind=kind)


def _failure_kinds(evidence: Mapping[str, Any], gaps: list[Any] | tuple[Any, ...]) -> set[str]:
    kinds = {str(gap.get("category")) for gap in gaps if isinstance(gap, Mapping)}
    if evidence.get("answered") is False:
        kinds.add("not_answered")
    if evidence.get("same_language") is False:
        kinds.add("wrong_language")
    return kinds


def _count_pair(counting: _Counting, pair: Mapping[str, Any], *, stopped: str | None) -> None:
    tool, state = pair["tool"], pair["state"]
    counting.add("tellback_tool_results_total", tool=tool, stage="deliver", state=state)
    for stage in profile.MEASURED:
        became = profile.outcome(stage, state)
        if became is not None:
            counting.add("tellback_stage_items_total", stage=stage, outcome=became)
    if state == "unread":
        counting.add("tellback_tool_results_unread_total", reason=stopped or "ended")
    if state not in profile.OBSERVED:
        return
    strategy = pair["strategy"] or "none"
    if pair["broken"]:
        counting.add("tellback_tool_results_broken_total", tool=tool, strategy=strategy)
    if pair["silent"]:
        counting.add("tellback_tool_results_silent_cuts_total", tool=tool, strategy=strategy)
    produced, kept = pair["produced_characters"], pair["kept_characters"]
    if produced is not None and kept is not None:
        name = "tellback_tool_result_characters_total"
        counting.add(name, produced, tool=tool, side="produced")
        counting.add(name, min(kept, produced), tool=tool, side="delivered")
    _count_fields(counting, tool, pair["fields"] or {})


def _count_fields(counting: _Counting, tool: str, fields: Mapping[str, list[int]]) -> None:
    unnamed = 0
    for position, (field, (delivered, produced)) in enumerate(fields.items()):
        if position >= MOST_FIELDS or not is_field(field):
            unnamed += produced
            continue
        for reached, count in (("true", delivered), ("false", produced - delivered)):
            if count > 0:
                counting.add(FIELDS, count, tool=tool, field=field, delivered=reached)
    if unnamed:
        counting.families[FIELDS].add_unnamed(unnamed)


def _is_trace(text: str) -> bool:
    return len(text) <= LONGEST_TRACE and text.isascii() and text.isalnum()
