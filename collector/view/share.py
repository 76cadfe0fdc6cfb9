"""What telemetry shows of tool results, for a terminal: the observable share, and what hides them.

It stands before any loss: a loss is a share of what could be observed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from collector.inspection.advice import change_in
from collector.view.words import counted, indented, plain
from scorers.delivery.reasons import reason_of

SHARE = "Observable share: of which tool results does telemetry show both sides?"
HEADER = ("agent", "dialect", "results", "observable", "lower bound", "unobservable")
NAME = 14  # columns of a terminal for a name, at least, where it is so long
MOST_SHARES = 12
MOST_REASONS = 8

Share = Mapping[str, Any]


def shares(found: Sequence[Share], width: int) -> RenderableType:
    """Return the share of each agent and dialect (`totals.observable_share_by`), those with most
    results first, and why the others are not observable, with what to change."""
    ordered = sorted(found, key=lambda share: (-share["results"], share["agent"]))
    if not ordered:
        return Text("  No tool results arrived.", style="dim")
    rows = [
        (plain(share["agent"]), plain(share["dialect"]), f"{share['results']:,}",
         percent_of(share["observable_share"]), f"{share['lower_bound']:,}",
         f"{share['unobservable']:,}")
        for share in ordered[:MOST_SHARES]
    ]  # fmt: skip
    shown: list[RenderableType] = [indented(_table(rows, width))]
    if len(ordered) > MOST_SHARES:
        more = counted(len(ordered) - MOST_SHARES, "pair").split()
        shown.append(Text(f"  and {' '.join(more)} of agent and dialect more\n", style="dim"))
    return Group(*shown, *_reasons(ordered))


def _table(rows: Sequence[tuple[str, ...]], width: int) -> RenderableType:
    """Return the rows as a table, or as lines where the terminal is too narrow for one."""
    widths = [max(map(cell_len, cells)) for cells in zip(HEADER, *rows, strict=True)]
    if sum(widths[2:]) + 2 * NAME + len(widths) + 4 > width:
        lines = [
            f"{row[0]}, {row[1]}: {row[3]} of {counted(int(row[2].replace(',', '')), 'result')} "
            f"observable, {row[4]} lower bound, {row[5]} unobservable"
            for row in rows
        ]
        return Text("\n".join(lines))
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold dim")
    for name, size in zip(HEADER[:2], widths[:2], strict=True):
        table.add_column(name, overflow="fold", min_width=min(size, NAME))
    for name in HEADER[2:]:
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        cells = [Text(cell) for cell in row]
        cells[3].stylize("" if row[3] == "–" else "green" if row[3] == "100 %" else "yellow")
        table.add_row(*cells)
    return table


def percent_of(share: float | None) -> str:
    """Return a share in percent; 100 % and 0 % are said of all and of none only."""
    if share is None:
        return "–"
    if share in (0.0, 1.0):
        return f"{share * 100:.0f} %"
    return f"{min(max(int(share * 100 + 0.5), 1), 99)} %"


def _reasons(found: Sequence[Share]) -> list[RenderableType]:
    """Return a paragraph for each reason, those that hide most first."""
    counts: dict[tuple[str, str], int] = {}
    for share in found:
        for name, number in share["unobservable_by_reason"].items():
            key = (name, share["dialect"])
            counts[key] = counts.get(key, 0) + number
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    paragraphs: list[RenderableType] = []
    for (name, dialect), number in ordered[:MOST_REASONS]:
        reason = reason_of(name)
        change = change_in(dialect, name) or reason.change
        paragraphs.append(
            indented(
                Text.assemble(
                    (f"{number:,} not shown: {name}", "bold"), f" ({plain(dialect)}). ",
                    reason.meaning, "\n", ("To see them: ", "dim"), change,
                )
            )
        )  # fmt: skip
    if len(ordered) > MOST_REASONS:
        more = f"  and {counted(len(ordered) - MOST_REASONS, 'reason')} more\n"
        paragraphs.append(Text(more, style="dim"))
    return paragraphs
