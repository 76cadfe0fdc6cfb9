"""A reply that its requester can't use, for a terminal: what it said, and what is not explained."""

from __future__ import annotations

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from collector.view.finding import Failing
from collector.view.words import plain, shorten

MOST_REPLY = 600  # characters shown of one reply


def failing_reply(failing: Failing) -> RenderableType:
    """Return one failing reply with its spans marked."""
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
