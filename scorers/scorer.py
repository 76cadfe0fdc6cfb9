"""The `Scorer` protocol: what a measure or a judge is."""

from __future__ import annotations

from typing import Literal, Protocol, runtime_checkable

from scorers.score import Score
from scorers.turn import Turn


@runtime_checkable
class Scorer(Protocol):
    """Measures one thing of a turn.

    A `measure` is deterministic and runs on every turn; a `judge` decides about a reply. `version`
    changes whenever a result could: a new version starts a new series. `score` never raises for
    what a turn holds; what it can't judge is `Outcome.unscored` with a reason.
    """

    @property
    def name(self) -> str:
        """The scorer's name, a label in metrics: lower case, digits and underscores."""

    @property
    def version(self) -> str:
        """Short hash or number of the rules behind the result."""

    @property
    def kind(self) -> Literal["measure", "judge"]:
        """Whether it measures every turn or decides about a reply."""

    def score(self, turn: Turn) -> Score:
        """Measure one turn."""
