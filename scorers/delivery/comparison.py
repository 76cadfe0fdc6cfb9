"""Two texts compared: what a tool produced, and what was delivered of it."""

from __future__ import annotations

from scorers import markers
from scorers.delivery.capture import capture_cut
from scorers.delivery.evidence import field_counts, missing, row_counts, whole_counts
from scorers.delivery.intact import is_intact
from scorers.delivery.pair import Delivery, State
from scorers.delivery.strategy import Cut, strategy
from scorers.delivery.weighing import is_valid, weigh
from scorers.payload.shape import PARSED, Shape, shape


def compare(
    produced: str, delivered: str, *, tool: str = "", call_id: str | None = None
) -> Delivery:
    """Compare the two texts of one tool result: no stage is known, and no later calls."""
    made = shape(produced)
    reason = capture_cut(produced, delivered)
    if reason is not None:
        return Delivery(
            tool=tool,
            call_id=call_id,
            state=State.unobservable,
            format=made.format,
            produced_characters=len(produced),
            delivered_characters=len(delivered),
            reason=reason,
        )
    if is_intact(produced, delivered, made):
        return _intact(produced, delivered, made, tool, call_id)
    evidence, found = weigh(produced, delivered, made)
    if not missing(evidence, produced) and not evidence.kinds:
        return _intact(produced, delivered, made, tool, call_id)
    name = strategy(Cut(produced, delivered, made, evidence, found))
    notes = [evidence.noise, *evidence.seams]
    marked = bool(found) or any(markers.note(note) for note in notes)
    return Delivery(
        tool=tool,
        call_id=call_id,
        state=State.spilled if name == "spill_pointer" else State.cut,
        strategy=name,
        marker=marked,
        silent=not marked,
        broken=not is_valid(made, evidence) if made.format in PARSED else None,
        format=made.format,
        produced_characters=len(produced),
        delivered_characters=len(delivered),
        kept_characters=min(evidence.kept, len(produced)),
        fields=field_counts(made.layout, evidence),
        rows=row_counts(made.layout, evidence),
        reason="pointer" if name == "spill_pointer" else None,
    )


def _intact(produced: str, delivered: str, made: Shape, tool: str, call_id: str | None) -> Delivery:
    rows = made.layout.rows
    return Delivery(
        tool=tool,
        call_id=call_id,
        state=State.intact,
        broken=False if made.format in PARSED else None,
        format=made.format,
        produced_characters=len(produced),
        delivered_characters=len(delivered),
        kept_characters=len(produced),
        fields=whole_counts(made.layout),
        rows=None if rows is None else (len(rows), len(rows)),
    )
