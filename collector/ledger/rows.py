"""A turn's record taken apart into rows, and put together again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

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
# What a row of these tables leaves out of its record, where it is content.
PAIR_TEXTS = ("tool", "call_id", "fields", "reason")
ENCODED = ("fields", "evidence")
SCORE_TEXTS = ("label", "explanation", "reason", "evidence")
# Stands in stored evidence for the turn's own tool results.
REPEATED = True


@dataclass(frozen=True, slots=True)
class Rows:
    """One turn as rows, still without its key. `texts` is empty where texts are not kept."""

    turn: Row
    tool_results: list[Row] = field(default_factory=list)
    scores: list[Row] = field(default_factory=list)
    texts: list[Row] = field(default_factory=list)


def take_apart(record: Mapping[str, Any], *, keep_text: bool) -> Rows:
    """Return the rows of a record as `turn_record` gives it."""
    whole = plain.dump(record)
    turn: Row = {name: record[name] for name in SAME}
    turn |= {name: plain.dump(record[name]) for name in AS_JSON}
    turn |= {"digest": _hash(whole), "size": len(whole)}
    for name in ("request", "reply"):
        said = record[name]
        turn[f"{name}_characters"] = None if said is None else len(said)
        turn[f"{name}_hash"] = None if said is None else _hash(said)
    texts: list[Row] = [
        {"part": name, "position": 0, "content": plain.dump(record[name])}
        for name in ("request", "reply")
        if record[name]
    ]
    pairs = record["tool_results"]
    scores = [_unrepeated(score, pairs) for score in record["scores"]]
    rows = Rows(turn, [_pair(pair) for pair in pairs], [_score(score) for score in scores])
    for at, (pair, row) in enumerate(zip(pairs, rows.tool_results, strict=True)):
        row["position"] = at
        texts += _left_out("tool_result", at, pair, row, PAIR_TEXTS)
    for at, (score, row) in enumerate(zip(scores, rows.scores, strict=True)):
        row["position"] = at
        texts += _left_out("score", at, score, row, SCORE_TEXTS)
    if keep_text:
        rows.texts.extend(texts)
    else:
        turn["size"] -= sum(len(str(text["content"])) for text in texts)
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


def _pair(pair: Mapping[str, Any]) -> Row:
    fields = pair["fields"]
    if fields is not None:
        fields = dict(zip(plain.safe_names(fields), fields.values(), strict=True))
    row = {name: pair[name] for name in PAIR}
    tool, call = pair["tool"], pair["call_id"]
    return row | {
        "tool": tool if is_tool(tool) else "withheld",
        "call_id": call if call is None or plain.CALL_ID.fullmatch(call) else None,
        "fields": plain.dump(fields),
        "rows": plain.dump(pair["rows"]),
        "reason": plain.wording(pair["reason"]),
    }


def _score(score: Mapping[str, Any]) -> Row:
    row = {name: score[name] for name in SCORE if name != "explanation"}
    return row | {
        "label": plain.code(score["label"]),
        "reason": plain.code(score["reason"]),
        "evidence": plain.dump(plain.wordless(score["evidence"])),
    }


def _left_out(
    part: str, position: int, record: Mapping[str, Any], row: Row, names: Sequence[str]
) -> list[Row]:
    missing = {
        name: record[name]
        for name in names
        if row.get(name) != (plain.dump(record[name]) if name in ENCODED else record[name])
    }
    if not missing:
        return []
    return [{"part": part, "position": position, "content": plain.dump(missing)}]


def _hash(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()
