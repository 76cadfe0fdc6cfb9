"""The one end of every reply with every judge (architecture, decision 3)."""

from __future__ import annotations

from typing import Literal

from scorers.score import Outcome, Score
from scorers.turn import Turn

ReplyState = Literal[
    "scored", "sampled_out", "filtered", "unfinished", "unobservable", "shed", "judge_failed"
]

# Why there is no reply, where the agent rather than its telemetry is the cause.
_UNFINISHED = frozenset({"unfinished", "error", "no_model_call"})


def before_judging(turn: Turn) -> tuple[ReplyState, str] | None:
    """Return a reply's end and its reason where no judge may see it, None where one may."""
    if turn.own_traffic:
        return "filtered", "own_traffic"
    if turn.reply is None:
        missing = turn.reply_missing or "unfinished"
        return ("unfinished" if missing in _UNFINISHED else "unobservable"), missing
    if not turn.reply.strip():
        return "filtered", "empty"
    if turn.request is None:
        return "unobservable", turn.request_missing or "no_request"
    return None


def after_judging(score: Score) -> ReplyState:
    """Return a reply's end from what the judge made of it.

    A judge that declines has seen too little to judge: unobservable, with its reason.
    """
    if score.outcome is Outcome.scored:
        return "scored"
    return "judge_failed" if score.outcome is Outcome.error else "unobservable"
