"""`Delivery`: the verdict on one produced/delivered pair, a PAIR of the public interface."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class State(StrEnum):
    """What became of a produced result on its way to the next model call: exactly one."""

    intact = "intact"
    cut = "cut"
    dropped = "dropped"
    spilled = "spilled"
    unread = "unread"
    unobservable = "unobservable"
    lower_bound = "lower_bound"


LOSSES = frozenset({State.cut, State.dropped, State.spilled})


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One tool result's two sides compared.

    `strategy` names how it was cut (None when nothing was), `format` what was produced. `fields`
    counts, per top-level key or column, the records that hold it: (delivered, produced); `rows`
    counts records, elements of an object's main list, or lines. Characters are Unicode code
    points; `kept_characters` are produced characters that arrived, each counted once. None means
    that a number is not known, or that the text it counts is not there; `reason` says why where
    the state is neither intact nor cut, and where a budget ran out: `too_large_to_compare: ` and
    which one. A cut result is one whose loss is proven all the same. `join` says how the two sides
    were found to be one call's: id, arguments or order; None where they were not, or where nobody
    had to look. `dialect` is the one that tells of the result: of the record that hides a side,
    else of the model call that was given it. Two texts alone have neither.
    """

    tool: str = ""
    call_id: str | None = None
    state: State
    strategy: str | None = None
    marker: bool = False
    silent: bool = False
    broken: bool | None = None
    format: str = "text"
    produced_characters: int | None = None
    delivered_characters: int | None = None
    kept_characters: int | None = None
    fields: Mapping[str, tuple[int, int]] | None = None
    rows: tuple[int, int] | None = None
    reason: str | None = None
    join: str | None = None
    dialect: str | None = None

    def as_pair(self) -> dict[str, Any]:
        """Return the JSON-ready form, with the interface's keys in its order."""
        return {
            "tool": self.tool,
            "call_id": self.call_id,
            "state": str(self.state),
            "strategy": self.strategy,
            "marker": self.marker,
            "silent": self.silent,
            "broken": self.broken,
            "format": self.format,
            "produced_characters": self.produced_characters,
            "delivered_characters": self.delivered_characters,
            "kept_characters": self.kept_characters,
            "fields": None
            if self.fields is None
            else {name: list(counts) for name, counts in self.fields.items()},
            "rows": None if self.rows is None else list(self.rows),
            "reason": self.reason,
            "join": self.join,
            "dialect": self.dialect,
        }
