"""The demo's page of text: what was sent, the loss profile, the failing replies, where to look on.

Everything that telemetry holds is written as plain `Text`, never as markup, and without control
characters: a reply must not be able to draw on its reader's terminal.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from collector.demo.finding import Failing, Loss

HEADER = ("tool", "results", "state", "kept", "characters", "rows", "did not arrive whole", "how")
NUMBERS = ("results", "kept", "characters", "rows")
GAP = 2  # columns of a terminal between two columns of the table
LEAST = 24  # columns of a terminal for the two columns of text
MOST_NAMES = 6  # field names shown of one tool
MOST_REPLY = 600  # characters shown of one reply
STYLES = {"intact": "green", "unread": "yellow", "unobservable": "dim", "lower_bound": "yellow"}


@dataclass(frozen=True, slots=True)
class Sent:
    """What was sent: libraries, their transport, and the number of traces."""

    libraries: Sequence[tuple[str, str]]
    traces: int


@dataclass(frozen=True, slots=True)
class Page:
    """Everything the demo has to show."""

    sent: Sent
    turns: int
    losses: Sequence[Loss]
    failing: Sequence[Failing]
    failures: int
    judged: int
    metrics: Sequence[str]
    addresses: Sequence[tuple[str, str]]


def show(console: Console, page: Page) -> None:
    """Write the page."""
    console.print(Text("Tellback demo\n", style="bold"))
    console.print(_heading("Sent to the sidecar, as their exporters sent it"))
    for library, transport in page.sent.libraries:
        console.print(Text.assemble("  ", (transport, "dim"), f"  {plain(library)}"))
    sent = f"{_count(page.sent.traces, 'trace')} became {_count(page.turns, 'turn')}"
    console.print(f"  {sent}.\n", highlight=False)
    console.print(_heading("Loss profile: did what the tools produced reach the model?"))
    console.print(_profile(page.losses, console))
    for loss in page.losses:
        if loss.lost:
            console.print(_indented(Text(sentence(loss))))
            if loss.reply:
                reply = shorten(loss.reply, MOST_REPLY)
                console.print(_indented(Text(f"Written on such a result: “{reply}”")))
    console.print(_heading("Replies that their requester cannot use"))
    console.print(
        f"  {page.failures} of {page.judged} judged replies, by the lexical reader "
        "(rules, no model).\n",
        highlight=False,
    )
    for failing in page.failing:
        console.print(_indented(_failing(failing)))
    console.print(_heading("Where to look on"))
    width = max(len(name) for name, _ in page.addresses)
    for name, address in page.addresses:
        console.print(Text.assemble("  ", f"{name:<{width}}  ", (address, "cyan")), soft_wrap=True)
    if page.metrics:
        console.print("\n  Prometheus reads there, for example:", highlight=False)
        for line in page.metrics:
            # A terminal wraps for itself, and leaves the line whole for copying; a picture can't.
            text = Text(plain(line), style="dim", overflow="fold")
            if console.record:
                console.print(Padding(text, (0, 0, 0, 2)))
            else:
                console.print(Text("  ").append_text(text), soft_wrap=True)


def plain(text: str) -> str:
    """Return `text` without what could move a cursor, colour, or reverse what is shown."""
    return "".join(
        char if char == "\n" or unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co") else "�"
        for char in text.replace("\r\n", "\n").replace("\t", " ")
    )


def shorten(text: str, characters: int) -> str:
    """Return `text` on one line, cut to about `characters`."""
    line = " ".join(plain(text[: characters * 2]).split())
    return line if len(line) <= characters else line[:characters].rstrip() + " …"


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


def _profile(losses: Sequence[Loss], console: Console) -> RenderableType:
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
        return Group(*(_indented(_paragraph(loss)) for loss in losses))
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


def _plain_row(row: Sequence[str]) -> list[str]:
    return [plain(cell) for cell in row]


def _indented(what: RenderableType) -> Padding:
    return Padding(what, (0, 0, 1, 2), expand=False)


def _paragraph(loss: Loss) -> Text:
    text = Text.assemble(
        (plain(loss.tool), "bold"), "  ", (loss.state, _style(loss)),
        f"  {_count(loss.results, 'result')}\n",
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


def _failing(failing: Failing) -> RenderableType:
    reply = Text()
    at = 0
    limit = min(len(failing.reply), MOST_REPLY)
    for gap in failing.gaps:
        if at <= gap.start < gap.end <= limit:
            reply.append(plain(failing.reply[at : gap.start]))
            reply.append(plain(failing.reply[gap.start : gap.end]), style="bold red underline")
            at = gap.end
    reply.append(plain(failing.reply[at:limit]))
    if limit < len(failing.reply):
        reply.append(" …", style="dim")
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("agent", Text(plain(failing.agent), style="bold"))
    table.add_row("request", Text(shorten(failing.request, 300)))
    table.add_row("reply", reply)
    table.add_row("why", Text(plain(failing.explanation)))
    for gap in failing.gaps:
        where = f"; it stands only in {gap.origin.replace('_', ' ')}" if gap.origin else ""
        line = Text.assemble((plain(gap.span), "bold red"), f"  {gap.category}: ")
        line.append(plain(gap.question + where))
        table.add_row("", line)
    table.add_row("trace", Text("\n".join(failing.trace_ids), style="dim"))
    return table


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _heading(text: str) -> Text:
    return Text(text, style="bold cyan")
