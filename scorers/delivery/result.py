"""The verdict on a `ToolResult` of a turn, where stages and later calls are known."""

from __future__ import annotations

from dataclasses import replace

from scorers import markers
from scorers.delivery.comparison import compare
from scorers.delivery.evidence import whole_counts
from scorers.delivery.masks import is_mark, masked
from scorers.delivery.pair import Delivery, State
from scorers.delivery.sizes import TOLERANCE, by_beginning, by_sizes, unseen
from scorers.payload.shape import shape
from scorers.payload.work import TooLarge, Work
from scorers.turn import ToolResult

# Characters of a message whose produced side is unknown that are searched for markers.
LONGEST = 4_000_000
# Why the produced side is missing where only what a harness had left of it was recorded.
CUT_BEFORE = "cut_before_recording"


def deliver(result: ToolResult) -> Delivery:
    """Judge one tool result by both its sides and by what followed it."""
    found = _judged(result)
    if result.dialect is None and result.join is None:
        return found
    return replace(found, dialect=result.dialect, join=result.join)


def _judged(result: ToolResult) -> Delivery:
    produced, delivered = result.produced, result.delivered
    if result.capture_cut is not None:
        return by_sizes(result, result.capture_cut)
    if produced is None:
        return _one_sided(result)
    if delivered is None:
        if result.calls_after == 0:
            return unseen(result, State.unread, "no_later_model_call")
        if result.delivered_missing is not None:
            return by_sizes(result, result.delivered_missing)
        return _dropped(result, produced)
    if result.produced_cut is not None:
        found = by_beginning(result, result.produced_cut)
        if found.state == State.lower_bound:
            return found
        return _by_marker(result, result.produced_cut) or found
    if result.dialect is not None and (hides := _masked(result, produced, delivered)) is not None:
        return hides
    return compare(produced, delivered, tool=result.tool, call_id=result.call_id)


def _masked(result: ToolResult, produced: str, delivered: str) -> Delivery | None:
    """Judge a result of which a side was masked: only a trace shows that no harness did it."""
    if is_mark(produced) and is_mark(delivered):
        return unseen(result, State.unobservable, "redacted")
    found = masked(produced, delivered) if produced != delivered else None
    if found is None:
        return None
    hides = unseen(result, State.unobservable, found.reason)
    if found.missing <= TOLERANCE:
        return hides
    words = f"{found.reason}; {found.missing} characters besides what was masked are missing"
    return replace(hides, state=State.lower_bound, reason=words)


def _one_sided(result: ToolResult) -> Delivery:
    """Without the produced side, a marker that states sizes gives a floor for the loss."""
    reason = result.produced_missing or "no_tool_result"
    if result.failed:
        return unseen(result, State.unobservable, reason)
    found = _by_marker(result, reason) or by_sizes(result, reason)
    # Where the telemetry itself says that a harness had cut the result, a part of it is lost.
    known = reason == CUT_BEFORE and found.state == State.unobservable
    return replace(found, state=State.lower_bound) if known else found


def _by_marker(result: ToolResult, reason: str) -> Delivery | None:
    """Judge by the sizes that a harness's marker states; None where the delivered text has none."""
    delivered, produced = result.delivered, result.produced or ""
    if delivered is None:
        return None
    # What the tool itself wrote is no marker.
    stated = next(
        (
            one
            for one in markers.sightings(delivered, end=LONGEST)
            if _states_size(one) and delivered[one.start : one.end] not in produced
        ),
        None,
    )
    if stated is None:
        return None
    size, word = stated.removed, "removed"
    if size is None:
        size, word = stated.total, "in all"
    strategy = stated.marker.strategy
    unit = stated.unit or ("tokens" if strategy == "head_tail_tokens" else "characters")
    return replace(
        unseen(
            result,
            State.lower_bound,
            f"{reason}; the harness states {size} {unit} {word}",
        ),
        strategy=strategy if strategy != "lines" else None,
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
