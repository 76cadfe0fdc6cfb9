"""What many turns add up to: the `totals` of `replay` and `turns` (docs: interface)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from collector import profile
from collector.ledger.record import turn_record
from scorers.delivery.reasons import reason_of

if TYPE_CHECKING:
    from collector.entry import Entry

# A map keyed by ids is not a record: beyond this many names, fields and tools are added up here.
MOST_NAMES = 1000
OTHERS = "(others)"
UNKNOWN = "unknown"
# What `request_missing` says where the text was known and is not kept.
NOT_KEPT = "text_not_kept"


@dataclass(slots=True)
class Shares:
    """Results of one agent that one dialect tells of: how many show both sides, and why not."""

    states: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, pair: Mapping[str, Any]) -> None:
        """Add one tool result."""
        self.states[pair["state"]] += 1
        if pair["state"] == "unobservable":
            self.reasons[reason_of(pair["reason"]).name] += 1

    def as_dict(self) -> dict[str, Any]:
        """Return counts and the share; null where nothing came to be observed."""
        observed = sum(self.states[state] for state in profile.OBSERVED)
        hidden = sum(self.states[state] for state in profile.UNOBSERVED)
        return {
            "results": self.states.total(),
            "observed": observed,
            "lower_bound": self.states["lower_bound"],
            "unobservable": self.states["unobservable"],
            "observable_share": observed / (observed + hidden) if observed + hidden else None,
            "unobservable_by_reason": _sorted(self.reasons),
        }


class Totals:
    """Adds up turns one by one, in memory that doesn't grow with their number."""

    def __init__(self) -> None:
        self._turns = 0
        self._without_request = 0
        self._empty_replies = 0
        self._judge_calls = 0
        self._states: dict[str, Counter[str]] = {}
        self._results: Counter[str] = Counter()
        self._stages: dict[str, Counter[str]] = {stage: Counter() for stage in profile.MEASURED}
        self._characters: Counter[str] = Counter()
        self._fields: dict[str, dict[str, list[int]]] = {}
        self._shares: dict[tuple[str, str], Shares] = {}

    def add(self, entry: Entry) -> None:
        """Add one closed turn."""
        self.add_record(turn_record(entry))

    def add_record(self, record: Mapping[str, Any]) -> None:
        """Add one turn in the shape that `turn_record` gives."""
        self._turns += 1
        if record["request"] is None and record["request_missing"] != NOT_KEPT:
            self._without_request += 1
        if record["reply"] == "":
            self._empty_replies += 1
        for scorer, state in record["states"].items():
            self._states.setdefault(scorer, Counter())[state] += 1
        for score in record["scores"]:
            calls = score["evidence"].get("judge_calls") if score["evidence"] else None
            self._judge_calls += calls if isinstance(calls, int) else 0
        for pair in record["tool_results"]:
            self._add_pair(pair)
            self._share(record["agent"], pair["dialect"]).add(pair)

    def _share(self, agent: str | None, dialect: str | None) -> Shares:
        key = (agent or UNKNOWN, dialect or UNKNOWN)
        if key not in self._shares and len(self._shares) >= MOST_NAMES:
            key = (OTHERS, OTHERS)
        return self._shares.setdefault(key, Shares())

    def _add_pair(self, pair: Mapping[str, Any]) -> None:
        state = pair["state"]
        self._results[state] += 1
        for stage in profile.MEASURED:
            became = profile.outcome(stage, state)
            if became is not None:
                self._stages[stage][became] += 1
        if state not in profile.OBSERVED:
            return
        produced, kept = pair["produced_characters"], pair["kept_characters"]
        if produced is not None and kept is not None:
            self._characters["produced"] += produced
            self._characters["kept"] += kept
        tool = _bounded(self._fields, pair["tool"])
        fields = self._fields.setdefault(tool, {})
        for name, (delivered, made) in (pair["fields"] or {}).items():
            count = fields.setdefault(_bounded(fields, name), [0, 0])
            count[0] += delivered
            count[1] += made

    def as_dict(
        self, *, spans: int | None = None, log_records: int | None = None
    ) -> dict[str, Any]:
        """Return the totals as plain JSON values.

        `spans` and `log_records` are what was kept of the input, None where that is not known.
        Stages that aren't measured yet, and shares of which nothing was observed, are null.
        """
        observed = sum(self._results[state] for state in profile.OBSERVED)
        met = observed + sum(self._results[state] for state in profile.UNOBSERVED)
        produced = self._characters["produced"]
        return {
            "spans": spans,
            "log_records": log_records,
            "turns": self._turns,
            "turns_without_request": self._without_request,
            "empty_replies": self._empty_replies,
            "reply_states": {
                name: _sorted(states) for name, states in sorted(self._states.items())
            },
            "judge_calls": self._judge_calls,
            "stages": {stage: self._stage(stage) for stage in profile.STAGES},
            "tool_results_by_state": _sorted(self._results),
            "observable_share": observed / met if met else None,
            "observable_share_by": [
                {"agent": agent, "dialect": dialect, **share.as_dict()}
                for (agent, dialect), share in sorted(self._shares.items())
            ],
            "char_survival": self._characters["kept"] / produced if produced else None,
            "field_survival": self._survival() if observed else None,
            "yield": {"automatic": None, "configured": None},
        }

    def _stage(self, stage: profile.Stage) -> dict[str, int | None]:
        counts = self._stages.get(stage)
        if counts is None:
            return dict.fromkeys(("entered", "left", "lost", "unobservable", "findings"))
        return {
            "entered": counts.total(),
            "left": counts["whole"],
            "lost": counts["lost"],
            # Whether an unseen result was read is not what hides it: acting has no such count yet.
            "unobservable": counts["unobservable"] if stage == "deliver" else None,
            "findings": None,
        }

    def _survival(self) -> dict[str, dict[str, list[int]]]:
        return {tool: fields for tool, fields in sorted(self._fields.items()) if fields}


def totals(
    records: Iterable[Mapping[str, Any]],
    *,
    spans: int | None = None,
    log_records: int | None = None,
) -> dict[str, Any]:
    """Add up turns in the shape that `turn_record` gives."""
    added = Totals()
    for record in records:
        added.add_record(record)
    return added.as_dict(spans=spans, log_records=log_records)


def _bounded(known: Mapping[str, Any], name: str) -> str:
    return name if name in known or len(known) < MOST_NAMES else OTHERS


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return {name: counts[name] for name in sorted(counts)}
