"""A `Score`: one measurement of one turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Outcome(StrEnum):
    """How a scorer ended: it measured, it declined with a reason, or it broke.

    Nothing measured is never zero: `value` and `label` of a score that is not `scored` are None.
    """

    scored = "scored"
    unscored = "unscored"
    error = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One scorer's measurement of one turn.

    `evidence` holds plain JSON values only (numbers, texts, lists, dicts; no NaN). `reason` says
    why where the outcome is not `scored`.
    """

    scorer: str
    version: str
    outcome: Outcome
    label: str | None = None
    value: float | None = None
    explanation: str | None = None
    reason: str | None = None
    evidence: Mapping[str, Any] = field(default_factory=dict)
