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

from collector.view.words import counted, indented, plain
from scorers.delivery.reasons import change_for, reason_of

SHARE = "Observable share: of which tool results does telemetry show both sides?"
MOST_SHARES = 12
MOST_REASONS = 8

Share = Mapping[str, Any]


def shares(found: Sequence[Share]) -> RenderableType:
    """Return the share of each agent and dialect (`totals.observable_share_by`), those with most
    results first, and why the others are not observable, with what to change."""
    ordered = sorted(found, key=lambda share: (-share["results"], share["agent"]))
    if not ordered:
        return Text("  No tool results arrived.", style="dim")
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold dim")
    for name in ("agent", "dialect"):
        longest = max(cell_len(plain(share[name])) for share in ordered)
        table.add_column(name, overflow="fold", min_width=min(longest, 20))
    for name in ("results", "observable", "lower bound", "unobservable"):
        table.add_column(name, justify="right", no_wrap=True)
    for share in ordered[:MOST_SHARES]:
        part = percent_of(share["observable_share"])
        table.add_row(
            Text(plain(share["agent"])),
            Text(plain(share["dialect"])),
            Text(f"{share['results']:,}"),
            Text(part, style="" if part == "–" else "green" if part == "100 %" else "yellow"),
            Text(f"{share['lower_bound']:,}"),
            Text(f"{share['unobservable']:,}"),
        )
    shown: list[RenderableType] = [indented(table)]
    if len(ordered) > MOST_SHARES:
        more = f"  and {counted(len(ordered) - MOST_SHARES, 'pair')} of agent and dialect more\n"
        shown.append(Text(more, style="dim"))
    shown += _reasons(ordered)
    return Group(*shown)


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
        change = change_for(reason, dialect)
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
