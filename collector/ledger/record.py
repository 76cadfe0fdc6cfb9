"""The JSON shape of a turn, the same in `replay`, `turns` and `/api/turns` (docs: interface)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from collector.ledger.plain import integer, plain

if TYPE_CHECKING:
    from collector.entry import Entry
    from scorers.score import Score


def turn_record(entry: Entry) -> dict[str, Any]:
    """Return one turn as plain JSON values: always valid JSON and valid Unicode.

    A text that is not there is null, with the reason in `request_missing` or `reply_missing`;
    what was not measured is null, never 0. Times are Unix nanoseconds.
    """
    turn = entry.turn
    record = {
        "turn_id": turn.turn_id,
        "trace_ids": list(turn.trace_ids),
        "conversation_id": turn.conversation_id,
        "agent": turn.agent,
        "agent_version": turn.agent_version,
        "environment": turn.environment,
        "model": turn.model,
        "dialects": list(turn.dialects),
        "started_ns": integer(turn.started_ns),
        "ended_ns": integer(turn.ended_ns),
        "request": turn.request,
        "request_missing": turn.request_missing if turn.request is None else None,
        "reply": turn.reply,
        "reply_missing": turn.reply_missing if turn.reply is None else None,
        "reply_trace_id": turn.reply_trace_id,
        "reply_span_id": turn.reply_span_id,
        "tool_turns": turn.tool_turns,
        "model_calls": turn.model_calls,
        "tool_errors": turn.tool_errors,
        "input_tokens": integer(turn.input_tokens),
        "output_tokens": integer(turn.output_tokens),
        "closed_by": turn.closed_by,
        "stopped": turn.stopped,
        "tool_results": None,
        "scores": None,
        "states": dict(entry.states),
    }
    clean: dict[str, Any] = plain(record)
    pairs = [delivery.as_pair() for delivery in entry.deliveries]
    clean["tool_results"] = plain(pairs, 1)
    clean["scores"] = [_score(score, pairs, clean["tool_results"]) for score in entry.scores]
    return clean


def _score(score: Score, pairs: list[Any], cleaned: list[Any]) -> dict[str, Any]:
    evidence = score.evidence
    # The measure of delivery repeats the tool results: cleaning them once is enough.
    repeats = bool(pairs) and evidence.get("tool_results") == pairs
    record = {
        "scorer": score.scorer,
        "version": score.version,
        "outcome": str(score.outcome),
        "label": score.label,
        "value": score.value,
        "explanation": score.explanation,
        "reason": score.reason,
        "evidence": {**evidence, "tool_results": None} if repeats else evidence,
    }
    clean: dict[str, Any] = plain(record, 2)
    if repeats:
        clean["evidence"]["tool_results"] = cleaned
    return clean
