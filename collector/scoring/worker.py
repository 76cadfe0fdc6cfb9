"""Scores a closed turn: the measures always, the judges that need no model at once."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from collector.entry import Entry
from collector.scoring.states import after_judging, before_judging
from scorers.delivery.pair import Delivery
from scorers.measures.delivery import DeliveryMeasure, deliveries
from scorers.score import Outcome, Score
from scorers.scorer import Scorer
from scorers.turn import Turn

logger = logging.getLogger(__name__)
Measured = tuple[tuple[Delivery, ...], list[Score]]
"""What the measures say of a turn: its tool results, and their scores."""


class Worker:
    """Runs scorers on turns. Holds nothing between turns; may be called from any thread."""

    def __init__(self, measures: Sequence[Scorer], judges: Sequence[Scorer]) -> None:
        self._measures = measures
        self._judges = judges

    def score(self, turn: Turn) -> Entry:
        """Return the turn with everything measured on it, one end for each judge."""
        return self.judge(turn, self.measure(turn))

    def measure(self, turn: Turn) -> Measured:
        """Return what the measures say, which needs no sampling."""
        found = deliveries(turn)
        scores = [
            # Comparing texts is the dearest thing done to a turn: once is enough.
            measure.score_of(found)
            if isinstance(measure, DeliveryMeasure)
            else _guarded(measure, turn)
            for measure in self._measures
        ]
        return found, scores

    def judge(self, turn: Turn, measured: Measured) -> Entry:
        """Return the turn with its measures and one end for each judge."""
        found, measures = measured
        scores = list(measures)
        states: dict[str, str] = {}
        for judge in self._judges:
            ended = before_judging(turn)
            if ended is not None:
                state, reason = ended
                states[judge.name] = state
                scores.append(_declined(judge, reason))
                continue
            score = _guarded(judge, turn)
            states[judge.name] = after_judging(score)
            scores.append(score)
        return Entry(turn=turn, deliveries=found, scores=tuple(scores), states=states)


def _declined(judge: Scorer, reason: str) -> Score:
    return Score(scorer=judge.name, version=judge.version, outcome=Outcome.unscored, reason=reason)


def _guarded(scorer: Scorer, turn: Turn) -> Score:
    try:
        return scorer.score(turn)
    except Exception as error:  # noqa: BLE001 - a third party's scorer may raise anything
        # The message may quote the turn: only the kind of error is logged and kept.
        logger.warning("scorer %s failed on a turn: %s", scorer.name, type(error).__name__)
        return Score(
            scorer=scorer.name,
            version=scorer.version,
            outcome=Outcome.error,
            reason=type(error).__name__,
        )
