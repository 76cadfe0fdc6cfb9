"""A recorded run beside what is known of it: what its telemetry shows, and what the model got.

`expected.json` of a run comes in two forms: `visible` says which sides the telemetry shows, or
`requests` and `replies` list the texts to be found. `wire/` holds what the model's API was sent.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from collector.assembly.settings import TurnsConfig
from collector.dialects import DIALECTS
from collector.entry import Entry
from collector.ledger.record import turn_record
from collector.pipeline import Pipeline
from collector.receivers import file
from collector.scoring.worker import Worker
from scorers.delivery.pair import Delivery
from scorers.measures import MEASURES
from scorers.turn import ToolResult

LOST = ("cut", "dropped", "spilled")


class Silent:
    """Nothing is counted."""

    def received(self, *counted: object) -> None:
        """Records by dialect are not shown."""

    def dropped(self, reason: str, count: int) -> None:
        """Nor is what was left out."""


@dataclass(frozen=True)
class Cell:
    """What was found of one thing, and whether it is what the run's truth says; None: not said."""

    text: str
    right: bool | None

    def __str__(self) -> str:
        """A cell of a Markdown table; what is wrong stands out."""
        return f"**{self.text} (wrong)**" if self.right is False else self.text


@dataclass(frozen=True)
class Run:
    """One row of the table. `false_losses` are results called lost that no harness cut; `missed`
    are results that a harness cut visibly and that were not called so."""

    name: str
    dialects: tuple[str, ...]
    cells: tuple[Cell, ...]
    false_losses: int
    missed: int

    @property
    def right(self) -> bool:
        """Whether everything is as the truth says."""
        return all(cell.right is not False for cell in self.cells)


def entries(folder: Path) -> list[Entry]:
    """Return the turns of a run."""
    pipeline = Pipeline(
        DIALECTS,
        TurnsConfig(),
        Worker(MEASURES, ()),
        clock=lambda: 0.0,
        observer=Silent(),
    )
    for batch in file.read(folder):
        pipeline.consume(batch)
    found: list[Entry] = []
    for closing in pipeline.due(final="quiet"):
        found += pipeline.finish(closing)[1]
    return sorted(found, key=lambda entry: entry.turn.started_ns)


def run(folder: Path) -> Run:
    """Return a run beside its truth."""
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    found = entries(folder)
    turns = [turn_record(entry) for entry in found]
    texts = _visible if "visible" in expected else _listed
    pairs = [pair for turn in turns for pair in turn["tool_results"]]
    cut = expected.get("cut_tool")
    about = [pair for pair in pairs if cut and _is(pair["tool"], cut["tool"])]
    states = _states(cut)
    sent = _sent(folder)
    false_losses = sum(pair["state"] in LOST and pair["state"] not in states for pair in about)
    false_losses += sum(
        _falsely_lost(result, delivery, cut, sent)
        for entry in found
        for result, delivery in zip(entry.turn.tool_results, entry.deliveries, strict=True)
    )
    missed = int(states == ["cut"] and not any(pair["state"] == "cut" for pair in about))
    cells = (*texts(expected, turns), *_result(cut, about, states), _wire(sent, found))
    dialects = {name for turn in turns for name in turn["dialects"]}
    return Run(folder.name, tuple(sorted(dialects)), cells, false_losses, missed)


def _falsely_lost(
    result: ToolResult, delivery: Delivery, cut: dict[str, Any] | None, sent: str | None
) -> bool:
    """Whether a result is called lost that the model was sent whole. Where the requests are not
    known, nothing but the tool that the run names was cut."""
    if delivery.state not in LOST or (cut and _is(result.tool, cut["tool"])):
        return False
    if sent is None:
        return cut is not None
    return _squeezed(result.produced or "") in sent


def _visible(expected: dict[str, Any], turns: list[dict[str, Any]]) -> Iterator[Cell]:
    visible = expected["visible"]
    for what, words in (
        ("request", expected["requester_message_contains"]),
        ("reply", expected["reply_contains"]),
    ):
        seen = any(words in (turn[what] or "") for turn in turns)
        yield Cell("yes" if seen else _why(turns, what), seen == visible[what])
    sessions = {bool(turn["conversation_id"]) for turn in turns}
    yield Cell(_sessions(sessions), sessions == {visible["session"]})


def _listed(expected: dict[str, Any], turns: list[dict[str, Any]]) -> Iterator[Cell]:
    for what in ("request", "reply"):
        words = expected["requests" if what == "request" else "replies"]
        seen = len(turns) == len(words) and all(
            (word or "") in (turn[what] or "") for word, turn in zip(words, turns, strict=True)
        )
        yield Cell("yes" if seen else _why(turns, what), seen)
    stated = expected["conversation_id"]
    sessions = {turn["conversation_id"] for turn in turns}
    right = None not in sessions if stated == "any" else sessions == {stated}
    yield Cell(_sessions({bool(session) for session in sessions}), right)


def _why(turns: list[dict[str, Any]], what: str) -> str:
    reasons = sorted({turn[f"{what}_missing"] for turn in turns if turn[what] is None})
    return f"no: {', '.join(map(str, reasons))}" if reasons else "no" if turns else "no turn"


def _sessions(seen: set[bool]) -> str:
    return {(True,): "yes", (False,): "no"}.get(tuple(sorted(seen)), "in part" if seen else "no")


def _states(cut: dict[str, Any] | None) -> list[str]:
    states = [] if cut is None else cut["state"]
    return [states] if isinstance(states, str) else list(states)


def _is(tool: str, name: str) -> bool:
    return tool == name or tool.endswith(name)


def _result(
    cut: dict[str, Any] | None, about: list[dict[str, Any]], states: list[str]
) -> Iterator[Cell]:
    """State and kept characters of the long result: every call of it has to be right."""
    if cut is None:
        yield Cell("–", None)
        yield Cell("–", None)
        return
    if not about:
        # A run whose telemetry holds no such call says so by leaving the state open.
        yield Cell("no call", None if "unobservable" in states else False)
        yield Cell("–", None)
        return
    reasons = {pair["reason"] for pair in about if pair["state"] not in ("intact", "cut")}
    told = ", ".join(sorted({pair["state"] for pair in about}))
    reason = f": {', '.join(sorted(map(str, reasons)))}" if reasons else ""
    yield Cell(told + reason, all(pair["state"] in states for pair in about))
    kept = {pair["kept_characters"] for pair in about}
    produced = {pair["produced_characters"] for pair in about}
    shown = ", ".join("–" if one is None else f"{one:,}" for one in sorted(kept, key=str))
    of = ", ".join(f"{one:,}" for one in sorted(filter(None, produced)))
    right = cut["kept_characters"] is None or kept == {cut["kept_characters"]}
    yield Cell(f"{shown} of {of}" if of and kept != {None} else shown, right)


def _sent(folder: Path) -> str | None:
    """Return all texts that the model's API was sent, None where they were not recorded."""
    paths = sorted((folder / "wire").glob("*request*.json"))
    if not paths:
        return None
    return "\n".join(_texts(json.loads(path.read_text(encoding="utf-8"))) for path in paths)


def _wire(sent: str | None, found: list[Entry]) -> Cell:
    """How many of the delivered texts are in what the model's API was sent."""
    delivered = [
        result.delivered
        for entry in found
        for result in entry.turn.tool_results
        if result.delivered is not None and result.capture_cut is None
    ]
    if sent is None or not delivered:
        return Cell("–", None)
    there = sum(_squeezed(text) in sent for text in delivered)
    return Cell(f"{there} of {len(delivered)}", there == len(delivered))


def _texts(value: Any) -> str:
    """All texts of a request, decoded and without what encodings change."""
    if isinstance(value, str):
        return _squeezed(value)
    if isinstance(value, dict):
        return "\n".join([*map(_texts, value.values()), _squeezed(json.dumps(value))])
    return "\n".join(map(_texts, value)) if isinstance(value, list) else ""


def _squeezed(text: str) -> str:
    with contextlib.suppress(ValueError):
        text = json.dumps(json.loads(text))
    return "".join(char for char in text if char.isalnum())
