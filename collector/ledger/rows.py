"""A turn's record taken apart into rows, and put together again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from collector.ledger import plain
from collector.ledger.schema import TOOL_RESULTS, TURNS
from collector.ledger.totals import NOT_KEPT
from collector.name import is_tool

Row = dict[str, Any]

AS_JSON = ("trace_ids", "dialects", "states")
# Columns that hold what the record holds under the same name.
SAME = [
    column.name
    for column in TURNS.columns
    if column.name not in ("key", "revision", "digest", "written_ns", "size", *AS_JSON)
    and not column.name.endswith(("_characters", "_hash"))
]
PAIR = [column.name for column in TOOL_RESULTS.columns][2:]
SCORE = ["scorer", "version", "outcome", "label", "value", "explanation", "reason", "evidence"]
ENCODED = ("fields", "rows", "evidence")
# Stands in stored evidence for the turn's own tool results.
REPEATED = True


@dataclass(frozen=True, slots=True)
class Rows:
    """One turn as rows, still without their key. `texts` is empty where texts are not kept."""

    turn: Row
    tool_results: list[Row] = field(default_factory=list)
    scores: list[Row] = field(default_factory=list)
    texts: list[Row] = field(default_factory=list)

    def leave_out(self, part: str, position: int, content: Any) -> None:
        """Put content aside that the part's own row must not hold."""
        self.texts.append({"part": part, "position": position, "content": plain.dump(content)})


def take_apart(record: Mapping[str, Any], *, keep_text: bool) -> Rows:
    """Return the rows of a record as `turn_record` gives it."""
    whole = msgspec.json.encode(record)
    turn: Row = {name: record[name] for name in SAME}
    for name in AS_JSON:
        turn[name] = plain.dump(record[name])
    turn["digest"] = hashlib.sha256(whole).hexdigest()
    turn["size"] = len(whole)
    rows = Rows(turn)
    for name in ("request", "reply"):
        said = record[name]
        turn[f"{name}_characters"] = None if said is None else len(said)
        turn[f"{name}_hash"] = None if said is None else _hash(said)
        if said:
            rows.leave_out(name, 0, said)
    pairs = record["tool_results"]
    for at, pair in enumerate(pairs):
        rows.tool_results.append(_row(rows, "tool_result", at, pair, _safe_pair(pair)))
    for at, score in enumerate(record["scores"]):
        once = _unrepeated(score, pairs)
        rows.scores.append(_row(rows, "score", at, once, _safe_score(once)))
    if not keep_text:
        turn["size"] -= sum(len(text["content"].encode()) for text in rows.texts)
        rows.texts.clear()
    return rows


def put_together(
    turn: Row, tool_results: Sequence[Row], scores: Sequence[Row], texts: Sequence[Row]
) -> dict[str, Any]:
    """Return the record that `take_apart` was given, without what was not kept."""
    kept = {(text["part"], text["position"]): json.loads(text["content"]) for text in texts}
    record = {name: turn[name] for name in SAME}
    record |= {name: json.loads(turn[name]) for name in AS_JSON}
    for name in ("request", "reply"):
        said = turn[f"{name}_characters"]
        # An empty text is no content, so it is known without being kept.
        record[name] = "" if said == 0 else kept.get((name, 0))
        if said and record[name] is None:
            record[f"{name}_missing"] = NOT_KEPT
    record["tool_results"] = [
        {name: row[name] for name in PAIR}
        | {name: json.loads(row[name]) for name in ("fields", "rows")}
        | kept.get(("tool_result", row["position"]), {})
        for row in tool_results
    ]
    scored = [
        {name: row.get(name) for name in SCORE}
        | {"evidence": json.loads(row["evidence"])}
        | kept.get(("score", row["position"]), {})
        for row in scores
    ]
    record["scores"] = [_repeated(score, record["tool_results"]) for score in scored]
    return record


def _unrepeated(score: Mapping[str, Any], pairs: Sequence[Any]) -> Mapping[str, Any]:
    """The measure of delivery has the tool results as its evidence: they are stored once."""
    if pairs and score["evidence"].get("tool_results") == pairs:
        return {**score, "evidence": {**score["evidence"], "tool_results": REPEATED}}
    return score


def _repeated(score: Row, pairs: Sequence[Any]) -> Row:
    if score["evidence"].get("tool_results") is REPEATED:
        return {**score, "evidence": {**score["evidence"], "tool_results": pairs}}
    return score


def _row(rows: Rows, part: str, at: int, record: Mapping[str, Any], safe: Row) -> Row:
    """A part's row: `safe` stands for what its record says in texts, which are left out."""
    missing = {name: record[name] for name, value in safe.items() if value != record[name]}
    if missing:
        rows.leave_out(part, at, missing)
    row = {**record, **safe, "position": at}
    row.pop("explanation", None)
    for name in ENCODED:
        if name in row:
            row[name] = plain.dump(row[name])
    return row


def _safe_pair(pair: Mapping[str, Any]) -> Row:
    fields, call = pair["fields"], pair["call_id"]
    if fields is not None:
        fields = dict(zip(plain.safe_names(fields), fields.values(), strict=True))
    return {
        "tool": pair["tool"] if is_tool(pair["tool"]) else "withheld",
        "call_id": call if call is None or plain.CALL_ID.fullmatch(call) else None,
        "fields": fields,
        "reason": plain.wording(pair["reason"]),
    }


def _safe_score(score: Mapping[str, Any]) -> Row:
    return {
        "label": plain.code(score["label"]),
        "explanation": None,
        "reason": plain.code(score["reason"]),
        "evidence": plain.wordless(score["evidence"]),
    }


def _hash(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()
