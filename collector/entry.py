"""An `Entry`: one closed turn with everything that was measured on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scorers.measures.delivery import Delivery
    from scorers.score import Score
    from scorers.turn import Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What goes into the ledger and into the metrics, as one.

    `deliveries` stands for `turn.tool_results`, one each, in order. `states` names the one end
    that the reply had with each scorer: scored, sampled_out, filtered, unfinished, unobservable,
    shed or judge_failed.
    """

    turn: Turn
    deliveries: tuple[Delivery, ...] = ()
    scores: tuple[Score, ...] = ()
    states: Mapping[str, str] = field(default_factory=dict)
