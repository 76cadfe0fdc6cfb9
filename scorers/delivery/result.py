"""The verdict on a `ToolResult` of a turn, where stages and later calls are known."""

from __future__ import annotations

from dataclasses import replace

from scorers import markers
from scorers.delivery.comparison import compare
from scorers.delivery.evidence import whole_counts
from scorers.delivery.pair import Delivery, State
from scorers.payload.shape import shape
from scorers.payload.work import TooLarge, Work
from scorers.turn import ToolResult

# Characters of a message whose produced side is unknown that are searched for markers.
LONGEST = 4_000_000
# Why the produced side is missing where only what a harness had left of it was recorded.
CUT_BEFORE = "cut_before_recording"
# Of what was produced: where the telemetry states less than this share as delivered, it was cut.
# Encodings and wrappings do not take a tenth away.
SHORT = 0.9


def deliver(result: ToolResult) -> Delivery:
    """Judge one tool result by both its sides and by what followed it."""
    verdict = _judged(result)
    return _floor(result, verdict) if verdict.state == State.unobservable else verdict


def _floor(result: ToolResult, verdict: Delivery) -> Delivery:
    """Where a side can't be seen, sizes that the telemetry states may prove a loss all the same."""
    produced, delivered = result.produced_size, result.delivered_size
    if result.capture_cut is None and result.size_unit != "tokens":
        if produced is None and result.produced is not None:
            produced = len(result.produced)
        if delivered is None and result.delivered is not None:
            delivered = len(result.delivered)
    stated = result.produced_size is not None or result.delivered_size is not None
    if produced is None or delivered is None or not stated or result.failed:
        return verdict
    if delivered >= SHORT * produced:
        return verdict
    unit = result.size_unit or "characters"
    found = f"the telemetry states {produced} {unit}, and at most {delivered} of them delivered"
    return replace(verdict, state=State.lower_bound, reason=f"{verdict.reason}; {found}")


def _judged(result: ToolResult) -> Delivery:
    produced, delivered = result.produced, result.delivered
    if result.capture_cut is not None:
        return unseen(result, State.unobservable, result.capture_cut)
    if produced is None:
        return _one_sided(result)
    if delivered is None:
        if result.calls_after == 0:
            return unseen(result, State.unread, "no_later_model_call")
        if result.delivered_missing is not None:
            return unseen(result, State.unobservable, result.delivered_missing)
        return _dropped(result, produced)
    return compare(produced, delivered, tool=result.tool, call_id=result.call_id)


def _one_sided(result: ToolResult) -> Delivery:
    """Without the produced side, a marker that states sizes gives a floor for the loss."""
    reason = result.produced_missing or "no_tool_result"
    stated = None
    if result.delivered is not None and not result.failed:
        stated = next(filter(_states_size, markers.sightings(result.delivered, end=LONGEST)), None)
    if stated is None:
        # Where the telemetry itself says that a harness had cut the result, a part of it is lost.
        known = reason == CUT_BEFORE
        return unseen(result, State.lower_bound if known else State.unobservable, reason)
    size, word = stated.removed, "removed"
    if size is None:
        size, word = stated.total, "in all"
    unit = stated.unit or "characters"
    return replace(
        unseen(
            result,
            State.lower_bound,
            f"{reason}; the harness states {size} {unit} {word}",
        ),
        strategy=stated.marker.strategy if stated.marker.strategy != "lines" else None,
        marker=True,
    )


def _states_size(one: markers.Sighting) -> bool:
    """Only words of a known harness: "and 50 more files" may be the tool's own, and no loss."""
    if one.marker.harness == markers.UNKNOWN:
        return False
    return one.removed is not None or one.total is not None


def _dropped(result: ToolResult, produced: str) -> Delivery:
    made = shape(produced)
    fields = rows = limit = None
    try:
        if made.bounded:
            limit = "fields"
        else:
            fields = {
                name: (0, count) for name, (_, count) in whole_counts(made.layout, Work()).items()
            }
            rows = made.layout.row_total
    except TooLarge as exhausted:
        limit = str(exhausted)
    reason = "no_message_for_this_call"
    return replace(
        unseen(
            result, State.dropped, f"{reason}; too_large_to_compare: {limit}" if limit else reason
        ),
        strategy="channel_drop",
        silent=True,
        kept_characters=0,
        fields=fields,
        rows=None if rows is None else (0, rows),
    )


def unseen(result: ToolResult, state: State, reason: str) -> Delivery:
    """Return the verdict on a result of which a side is not seen: every number is None."""
    produced, delivered = result.produced, result.delivered
    text = produced if produced is not None else delivered
    return Delivery(
        tool=result.tool,
        call_id=result.call_id,
        state=state,
        format=shape(text or "").format,
        produced_characters=None if produced is None else len(produced),
        delivered_characters=None if delivered is None else len(delivered),
        reason=reason,
    )
