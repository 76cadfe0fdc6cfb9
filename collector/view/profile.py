"""The loss profile as a table for a terminal, and as sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from collector.view.finding import Loss
from collector.view.words import counted, indented, plain

HEADER = ("tool", "results", "state", "kept", "characters", "rows", "did not arrive whole", "how")
NUMBERS = ("results", "kept", "characters", "rows")
GAP = 2  # columns of a terminal between two columns of the table
LEAST = 24  # columns of a terminal for the two columns of text
MOST_NAMES = 6  # field names shown of one tool
STYLES = {"intact": "green", "unread": "yellow", "unobservable": "dim", "lower_bound": "yellow"}


def profile(losses: Sequence[Loss], console: Console) -> RenderableType:
    """Return the profile: a table, or paragraphs where the terminal is too narrow for one."""
    if not losses:
        return Text("  No tool results arrived.", style="dim")
    rows = [
        (loss.tool, str(loss.results), loss.state, percent(loss), _kept(loss), _rows(loss),
         _absent(loss), _how(loss))
        for loss in losses
    ]  # fmt: skip
    columns = zip(HEADER, *map(_plain_row, rows), strict=True)
    widths = [max(map(cell_len, cells)) for cells in columns]
    # The two columns of text share what the others leave. Too little to read: the sentences below
    # the table say the same. Not even room for the numbers: each row becomes a paragraph.
    left = console.width - sum(widths[:-2]) - GAP * len(widths)
    if left < -2 * GAP:
        return Group(*(indented(_paragraph(loss)) for loss in losses))
    widths[-1] = min(widths[-1], max(left // 2, left - widths[-2]))
    widths[-2] = min(widths[-2], left - widths[-1])
    shown = len(HEADER) if left >= LEAST else len(HEADER) - 2
    table = Table(box=None, padding=(0, 0, 0, GAP), header_style="bold dim")
    for name, width in zip(HEADER[:shown], widths, strict=False):
        justify: Literal["left", "right"] = "right" if name in NUMBERS else "left"
        table.add_column(name, justify=justify, overflow="fold", width=width)
    for loss, row in zip(losses, rows, strict=True):
        cells = [Text(cell) for cell in _plain_row(row)]
        cells[0].stylize("bold" if loss.lost else "")
        cells[2].stylize(_style(loss))
        cells[-2].stylize("red" if loss.lost else "")
        table.add_row(*cells[:shown])
    return Group(Text(), table, Text())


def sentence(loss: Loss) -> str:
    """Say in one sentence what was lost of a tool's results."""
    calls = "all" if loss.results == loss.calls else f"{loss.results} of"
    calls = "its one call" if loss.calls == 1 else f"{calls} {loss.calls} calls"
    verb = {
        "cut": "was cut", "dropped": "was dropped", "spilled": "was replaced by a pointer",
    }.get(loss.state, "was cut at least in part")  # fmt: skip
    how = f" ({loss.strategy.replace('_', ' ')})" if loss.strategy else ""
    parts = [f"{plain(loss.tool)} {verb}{how} in {calls}"]
    if loss.kept is not None and loss.produced:
        rows = f" and {_rows(loss)} rows" if loss.rows else ""
        parts.append(
            f"the model got {loss.kept:,} of {loss.produced:,} characters ({percent(loss)}){rows}"
        )
    if loss.missing:
        names = _names(loss.missing)
        parts.append(
            f"{'field' if len(loss.missing) == 1 else 'fields'} {names} never arrived whole"
        )
    if loss.partial:
        pairs = [f"{name} in {got:,} of {made:,}" for name, (got, made) in loss.partial.items()]
        parts.append(f"in part: {_names(pairs)}")
    if loss.broken:
        parts.append("what it got no longer parses")
    if loss.silent:
        parts.append("nothing told the model")
    return "; ".join(parts) + "."


def percent(loss: Loss) -> str:
    """Return the kept share; never 100 % where something is missing, nor 0 % where not all is."""
    if loss.share is None or loss.kept is None or loss.produced is None:
        return "–"
    if loss.kept >= loss.produced:
        return "100 %"
    return "< 1 %" if 0 < loss.share < 0.01 else f"{min(int(loss.share * 100 + 0.5), 99)} %"


def _plain_row(row: Sequence[str]) -> list[str]:
    return [plain(cell) for cell in row]


def _paragraph(loss: Loss) -> Text:
    text = Text.assemble(
        (plain(loss.tool), "bold"), "  ", (loss.state, _style(loss)),
        f"  {counted(loss.results, 'result')}\n",
        f"kept: {_kept(loss)} characters ({percent(loss)})",
    )  # fmt: skip
    for name, value in (
        ("rows", _rows(loss)), ("did not arrive whole", _absent(loss)), ("how", _how(loss)),
    ):  # fmt: skip
        if value not in ("", "–"):
            text.append(f"\n{name}: {value}")
    return text


def _style(loss: Loss) -> str:
    return STYLES.get(loss.state, "bold red")


def _kept(loss: Loss) -> str:
    if loss.kept is None or loss.produced is None:
        return "–"
    return f"{loss.kept:,} of {loss.produced:,}"


def _rows(loss: Loss) -> str:
    return "–" if loss.rows is None else f"{loss.rows[0]:,} of {loss.rows[1]:,}"


def _absent(loss: Loss) -> str:
    if loss.missing:
        return _names(loss.missing)
    partly = _names([f"{name} ({got}/{made})" for name, (got, made) in loss.partial.items()])
    return f"partly {partly}" if loss.partial else ""


def _how(loss: Loss) -> str:
    words = []
    if loss.strategy:
        words.append(loss.strategy.replace("_", " "))
    if loss.lost:
        words.append("silent" if loss.silent else "marker" if loss.marker else "")
        words.append("broken" if loss.broken else "")
    if loss.reason and not loss.lost:
        words.append(plain(loss.reason))
    return ", ".join(word for word in words if word)


def _names(names: Iterable[str]) -> str:
    shown = [plain(name) for name in names]
    more = f" and {len(shown) - MOST_NAMES} more" if len(shown) > MOST_NAMES else ""
    return ", ".join(shown[:MOST_NAMES]) + more
