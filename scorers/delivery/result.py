"""The verdict on a `ToolResult` of a turn, where stages and later calls are known."""

from __future__ import annotations

from scorers import markers
from scorers.delivery.comparison import compare
from scorers.delivery.pair import Delivery, State
from scorers.payload.shape import shape
from scorers.turn import ToolResult

# Stages whose markers can stand in a tool result that a model was given.
_STAGES = markers.LOSS_STAGES


def deliver(result: ToolResult) -> Delivery:
    """Judge one tool result by both its sides and by what followed it."""
    produced, delivered = result.produced, result.delivered
    if result.capture_cut is not None:
        return _unseen(result, State.unobservable, result.capture_cut)
    if produced is None:
        return _one_sided(result)
    if delivered is None:
        if result.calls_after == 0:
            return _unseen(result, State.unread, "no_later_model_call")
        if result.delivered_missing is not None:
            return _unseen(result, State.unobservable, result.delivered_missing)
        return _dropped(result, produced)
    return compare(produced, delivered, tool=result.tool, call_id=result.call_id)


def _one_sided(result: ToolResult) -> Delivery:
    """Without the produced side, a marker that states sizes gives a floor for the loss."""
    reason = result.produced_missing or "no_tool_result"
    stated = None
    if result.delivered is not None and not result.failed:
        stated = next(
            (
                one
                for one in markers.sightings(result.delivered, _STAGES)
                if one.removed is not None or one.total is not None
            ),
            None,
        )
    if stated is None:
        return _unseen(result, State.unobservable, reason)
    size = stated.removed if stated.removed is not None else stated.total
    word = "removed" if stated.removed is not None else "in all"
    return _unseen(
        result,
        State.lower_bound,
        f"{reason}; the harness states {size} {stated.unit or 'characters'} {word}",
        strategy=stated.marker.strategy if stated.marker.strategy != "lines" else None,
        marker=True,
    )


def _dropped(result: ToolResult, produced: str) -> Delivery:
    made = shape(produced)
    fields: dict[str, tuple[int, int]] = dict.fromkeys(made.layout.names(), (0, 0))
    for record in made.layout.records:
        for name in record:
            fields[name] = (0, fields[name][1] + 1)
    return _unseen(
        result,
        State.dropped,
        "no_message_for_this_call",
        strategy="channel_drop",
        silent=True,
        kept_characters=0,
        fields=fields,
        rows=None if made.layout.rows is None else (0, len(made.layout.rows)),
    )


def _unseen(
    result: ToolResult,
    state: State,
    reason: str,
    *,
    strategy: str | None = None,
    marker: bool = False,
    silent: bool = False,
    kept_characters: int | None = None,
    fields: dict[str, tuple[int, int]] | None = None,
    rows: tuple[int, int] | None = None,
) -> Delivery:
    produced, delivered = result.produced, result.delivered
    text = produced if produced is not None else delivered
    return Delivery(
        tool=result.tool,
        call_id=result.call_id,
        state=state,
        strategy=strategy,
        marker=marker,
        silent=silent,
        broken=None,
        format=shape(text or "").format,
        produced_characters=None if produced is None else len(produced),
        delivered_characters=None if delivered is None else len(delivered),
        kept_characters=kept_characters,
        fields=fields,
        rows=rows,
        reason=reason,
    )
