"""The verdict on two texts, written down with the counts that the budget allows."""

from __future__ import annotations

from dataclasses import dataclass

from scorers.delivery.evidence import Evidence, field_counts, row_counts, whole_counts
from scorers.delivery.pair import Delivery, State
from scorers.delivery.weighing import is_valid
from scorers.payload.shape import PARSED, Shape
from scorers.payload.work import TooLarge, Work

# Steps for counting fields and rows, whatever the comparison before has used.
MOST_COUNTED = 400_000


@dataclass(frozen=True, slots=True)
class Verdict:
    """Two texts of one result, and the shape of the produced one."""

    produced: str
    delivered: str
    made: Shape
    tool: str = ""
    call_id: str | None = None

    def unobservable(self, reason: str) -> Delivery:
        """Return that nothing can be said, and why."""
        return Delivery(
            tool=self.tool,
            call_id=self.call_id,
            state=State.unobservable,
            format=self.made.format,
            produced_characters=len(self.produced),
            delivered_characters=len(self.delivered),
            reason=reason,
        )

    def intact(self) -> Delivery:
        """Return that everything arrived."""
        layout = self.made.layout
        limit = "fields" if self.made.bounded else None
        fields = rows = None
        try:
            if not self.made.bounded:
                total = layout.row_total
                fields = whole_counts(layout, Work(MOST_COUNTED))
                rows = None if total is None else (total, total)
        except TooLarge as exhausted:
            limit = str(exhausted)
        return Delivery(
            tool=self.tool,
            call_id=self.call_id,
            state=State.intact,
            broken=False if self.made.format in PARSED else None,
            format=self.made.format,
            produced_characters=len(self.produced),
            delivered_characters=len(self.delivered),
            kept_characters=len(self.produced),
            fields=fields,
            rows=rows,
            reason=_too_large(limit),
        )

    def cut(
        self, strategy: str, evidence: Evidence, *, marked: bool, limit: str | None
    ) -> Delivery:
        """Return that something is missing, `limit` being the budget that ran out before."""
        made, work = self.made, Work(MOST_COUNTED)
        fields = rows = broken = None
        limit = limit or ("fields" if made.bounded else None)
        try:
            if not made.bounded:
                rows = row_counts(made.layout, evidence, work)
                fields = field_counts(made.layout, evidence, work)
            if made.format in PARSED:
                broken = not is_valid(made, evidence, work)
        except TooLarge as exhausted:
            limit = str(exhausted)
        spilled = strategy == "spill_pointer"
        return Delivery(
            tool=self.tool,
            call_id=self.call_id,
            state=State.spilled if spilled else State.cut,
            strategy=strategy,
            marker=marked,
            silent=not marked,
            broken=broken,
            format=made.format,
            produced_characters=len(self.produced),
            delivered_characters=len(self.delivered),
            kept_characters=min(evidence.kept, len(self.produced)),
            fields=fields,
            rows=rows,
            reason="pointer" if spilled else _too_large(limit),
        )


def _too_large(limit: str | None) -> str | None:
    return None if limit is None else f"too_large_to_compare: {limit}"
