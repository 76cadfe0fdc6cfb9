"""The loss profile's stages: what became of one tool result, stage by stage.

A result has exactly one state (design: measures, S1). Each stage sorts what came in to it into
whole, lost and unobservable, so that `entered = whole + lost + unobservable` holds for every
stage that is measured.
"""

from __future__ import annotations

from typing import Literal

Stage = Literal["deliver", "act", "retain", "transfer", "persist"]
StageOutcome = Literal["whole", "lost", "unobservable"]

STAGES: tuple[Stage, ...] = ("deliver", "act", "retain", "transfer", "persist")
MEASURED: tuple[Stage, ...] = ("deliver", "act")

# States whose two sides were both seen: only on these is survival known.
OBSERVED = frozenset({"intact", "cut", "dropped", "spilled"})
# A lower bound proves a loss and hides its size, so it is not in the observed share.
UNOBSERVED = frozenset({"unobservable", "lower_bound"})


def outcome(stage: Stage, state: str) -> StageOutcome | None:
    """Say how a result in `state` came out of `stage`; None where it never came in.

    An unread result is whole after delivery, for nothing withheld it; it is lost in acting. A
    dropped one never comes to acting. A state this version doesn't know is unobservable.
    """
    if stage == "act":
        if state == "dropped":
            return None
        return "lost" if state == "unread" else "whole"
    if stage != "deliver":
        return None
    if state in ("intact", "unread"):
        return "whole"
    return "lost" if state in OBSERVED else "unobservable"
