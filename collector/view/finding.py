"""What the demo's turns show, as plain data: the loss profile by tool, and the failing replies.

Both take turns in the shape of `tellback replay --output json`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

Json = Mapping[str, Any]

# Something that was produced is known not to have reached the model.
LOST = ("cut", "dropped", "spilled", "lower_bound")


@dataclass(slots=True)
class Loss:
    """All results of one tool of one agent that met the same end.

    `kept` and `produced` are characters, summed over the results in which both are known, and None
    where they are known in none; `rows` likewise. `fields` counts (delivered, produced) by name.
    """

    agent: str
    tool: str
    state: str
    strategy: str | None
    marker: bool
    silent: bool
    broken: bool | None
    reason: str | None
    results: int = 0
    calls: int = 0
    kept: int | None = None
    produced: int | None = None
    rows: tuple[int, int] | None = None
    fields: dict[str, tuple[int, int]] = field(default_factory=dict)
    reply: str | None = None
    trace_ids: list[str] = field(default_factory=list)

    @property
    def lost(self) -> bool:
        """Whether something that was produced is known not to have reached the model."""
        return self.state in LOST

    @property
    def share(self) -> float | None:
        """The share of the produced characters that reached the model."""
        if self.kept is None or not self.produced:
            return None
        return self.kept / self.produced

    @property
    def missing(self) -> list[str]:
        """Fields that arrived in none of the results."""
        return [name for name, (got, made) in self.fields.items() if made and not got]

    @property
    def partial(self) -> dict[str, tuple[int, int]]:
        """Fields that arrived in some records and not in all: (delivered, produced)."""
        return {name: pair for name, pair in self.fields.items() if 0 < pair[0] < pair[1]}


@dataclass(frozen=True, slots=True)
class Gap:
    """A span of a reply that its requester can't understand, and why."""

    start: int
    end: int
    span: str
    category: str
    question: str
    origin: str | None


@dataclass(frozen=True, slots=True)
class Failing:
    """A reply that its requester can't use. `trace_ids` has one text for each time it was sent."""

    agent: str
    scorer: str
    request: str
    reply: str
    explanation: str
    gaps: tuple[Gap, ...]
    trace_ids: list[str] = field(default_factory=list)


def losses(turns: Iterable[Json]) -> list[Loss]:
    """Group the tool results of all turns; what was lost comes first, then by size."""
    found: dict[tuple[Any, ...], Loss] = {}
    for turn in turns:
        agent = turn.get("agent") or "unknown agent"
        for pair in turn.get("tool_results") or ():
            shape = (
                agent, pair["tool"], pair["state"], pair["strategy"], pair["marker"],
                pair["silent"], pair["broken"], pair.get("reason"),
            )  # fmt: skip
            loss = found.setdefault(shape, Loss(*shape))
            _add(loss, pair, turn.get("trace_ids") or ())
            loss.reply = loss.reply or turn.get("reply")
    for loss in found.values():
        loss.calls = sum(other.results for other in found.values() if _same_tool(other, loss))
    return sorted(
        found.values(), key=lambda loss: (not loss.lost, -(loss.produced or 0), loss.tool)
    )


def _same_tool(one: Loss, other: Loss) -> bool:
    return (one.agent, one.tool) == (other.agent, other.tool)


def _add(loss: Loss, pair: Json, trace_ids: Iterable[str]) -> None:
    loss.results += 1
    loss.trace_ids.extend(trace_ids)
    kept, produced = pair["kept_characters"], pair["produced_characters"]
    if kept is not None and produced is not None:
        loss.kept = (loss.kept or 0) + kept
        loss.produced = (loss.produced or 0) + produced
    if pair["rows"] is not None:
        before = loss.rows or (0, 0)
        loss.rows = (before[0] + pair["rows"][0], before[1] + pair["rows"][1])
    for name, (delivered, made) in (pair["fields"] or {}).items():
        got, all_made = loss.fields.get(name, (0, 0))
        loss.fields[name] = (got + delivered, all_made + made)


def failing_replies(turns: Iterable[Json]) -> list[Failing]:
    """Return the replies that a scorer found its requester can't use; equal ones once.

    The ones with most gaps come first.
    """
    found: dict[tuple[str, ...], Failing] = {}
    for turn in turns:
        reply = turn.get("reply")
        for score in turn.get("scores") or ():
            evidence = score.get("evidence") or {}
            if reply is None or score.get("outcome") != "scored" or not evidence.get("failed"):
                continue
            gaps = [_gap(reply, gap) for gap in evidence.get("gaps") or ()]
            failing = Failing(
                agent=turn.get("agent") or "unknown agent",
                scorer=score["scorer"],
                request=turn.get("request") or "",
                reply=reply,
                explanation=score.get("explanation") or "",
                gaps=tuple(sorted(gaps, key=lambda gap: gap.start)),
            )
            same = (failing.agent, failing.scorer, failing.request, reply, failing.explanation)
            found.setdefault(same, failing).trace_ids.append(", ".join(turn["trace_ids"]))
    return sorted(found.values(), key=lambda failing: -len(failing.gaps))


def is_judged(turn: Json) -> bool:
    """Say whether a scorer has decided about the turn's reply."""
    return any(
        score["outcome"] == "scored" and "failed" in (score["evidence"] or {})
        for score in turn["scores"]
    )


def _gap(reply: str, gap: Json) -> Gap:
    start, end = int(gap["start"]), int(gap["end"])
    # Offsets count in the reply as the scorer read it; the text decides where they disagree.
    if reply[start:end] != gap["span"]:
        start = max(reply.find(gap["span"]), 0)
        end = start + len(gap["span"])
    return Gap(start, end, gap["span"], gap["category"], gap["question"], gap.get("origin"))
