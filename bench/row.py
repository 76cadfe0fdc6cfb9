"""A line of the table: what was measured in each round, and whether its target is met."""

from __future__ import annotations

import argparse
import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

HEAD = ("measure", "target", "median", "spread", "met")


@dataclass(frozen=True)
class Row:
    """One measure. It has `at_most` or `at_least`; one without either only informs."""

    measure: str
    values: tuple[float, ...]  # of each round
    at_most: float | None = None
    at_least: float | None = None
    unit: str = ""

    @property
    def median(self) -> float:
        """The figure that the target is held against."""
        return statistics.median(self.values)

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None where there is none."""
        if self.at_most is not None:
            return self.median <= self.at_most
        return None if self.at_least is None else self.median >= self.at_least

    @property
    def target(self) -> str:
        """The target as people write it."""
        limit, sign = (self.at_most, "≤") if self.at_least is None else (self.at_least, "≥")
        return "–" if limit is None else f"{sign} {limit:g}{self.unit}"

    def cells(self) -> tuple[str, ...]:
        """Return what the table shows."""
        verdict = {True: "yes", False: "NO", None: "–"}[self.met]
        spread = "one run"
        if len(self.values) > 1:
            spread = f"{_figure(min(self.values))}–{_figure(max(self.values))}"
        return self.measure, self.target, _figure(self.median) + self.unit, spread, verdict

    def as_dict(self) -> dict[str, object]:
        """Return the row for a JSON document."""
        return {
            "measure": self.measure,
            "target": self.target,
            "median": self.median,
            "values": list(self.values),
            "unit": self.unit,
            "met": self.met,
        }


@dataclass(frozen=True)
class Skipped:
    """A measure that could not be taken here, and why: a sentence."""

    measure: str
    why: str

    def cells(self) -> tuple[str, ...]:
        """Return what the table shows."""
        return f"{self.measure}: skipped, {self.why}", "", "", "", "–"

    def as_dict(self) -> dict[str, object]:
        """Return the row for a JSON document."""
        return {"measure": self.measure, "skipped": self.why, "met": None}


Rows = list[Row | Skipped]
Measure = Callable[[int], Rows]
"""Takes the number of rounds."""


def table(rows: Sequence[Row | Skipped]) -> str:
    """Return rows as a Markdown table whose columns line up in plain text too."""
    lines = [HEAD, *(row.cells() for row in rows)]
    widths = [max(len(line[n]) for line in lines) for n in range(len(HEAD))]
    shown = ["| " + " | ".join(map(str.ljust, line, widths)) + " |" for line in lines]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([shown[0], rule, *shown[1:]])


def show(measure: Measure, description: str | None) -> None:
    """Run one module's measure by itself."""
    options = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--rounds", type=int, default=5)
    print(table(measure(options.parse_args().rounds)))


def _figure(value: float) -> str:
    """Return three significant digits; whole numbers of any length."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    decimals = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:.{decimals}f}"
