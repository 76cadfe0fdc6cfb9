"""S1, produced to delivered: how much of each tool result reached the model's next call."""

from __future__ import annotations

from typing import Literal

from scorers.delivery.comparison import compare
from scorers.delivery.pair import LOSSES, Delivery, State
from scorers.delivery.result import deliver
from scorers.delivery.sizes import unseen
from scorers.delivery.spill import with_read_backs
from scorers.score import Outcome, Score
from scorers.turn import ToolResult, Turn

__all__ = ["LOSSES", "Delivery", "DeliveryMeasure", "State", "compare", "deliver", "deliveries"]

# Spilled results of one turn whose read-backs are looked for, and how far ahead.
MOST_SPILLS = 50
MOST_LATER = 200


def deliveries(turn: Turn) -> tuple[Delivery, ...]:
    """Return the verdict on every tool result of a turn, in the turn's order.

    A result that was spilled counts together with what later ones of the turn read back.
    """
    found: list[Delivery] = []
    followed = 0
    for number, result in enumerate(turn.tool_results, 1):
        delivery = _delivered(result)
        if delivery.state == State.spilled and followed < MOST_SPILLS:
            followed += 1
            later = turn.tool_results[number : number + MOST_LATER]
            delivery = with_read_backs(delivery, result, later)
        found.append(delivery)
    return tuple(found)


def _delivered(result: ToolResult) -> Delivery:
    try:
        return deliver(result)
    except Exception:  # noqa: BLE001 - one odd result never takes the turn's others with it
        return unseen(result, State.unobservable, "measure_failed")


class DeliveryMeasure:
    """Compares what every tool produced with what the next model call got (arXiv 2610.36114)."""

    name = "delivery"
    version = "1"
    kind: Literal["measure"] = "measure"

    def score(self, turn: Turn) -> Score:
        """Return the share of observed produced characters that were delivered.

        Evidence: `tool_results`, one PAIR each. Unscored where no pair could be observed.
        """
        return self.score_of(deliveries(turn))

    def score_of(self, found: tuple[Delivery, ...]) -> Score:
        """Return the score of a turn whose deliveries were compared already."""
        seen = [one for one in found if one.kept_characters is not None and one.produced_characters]
        produced = sum(one.produced_characters or 0 for one in seen)
        evidence = {"tool_results": [one.as_pair() for one in found]}
        if not produced:
            reason = "no_tool_results" if not found else "nothing_observed"
            return Score(
                scorer=self.name,
                version=self.version,
                outcome=Outcome.unscored,
                reason=reason,
                evidence=evidence,
            )
        return Score(
            scorer=self.name,
            version=self.version,
            outcome=Outcome.scored,
            value=sum(one.kept_characters or 0 for one in seen) / produced,
            evidence=evidence,
        )
