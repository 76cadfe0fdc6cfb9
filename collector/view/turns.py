"""Many turns for a terminal: the observable share first, then the profile, then the replies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from collector.view.finding import LOST, failing_replies, is_judged, losses
from collector.view.profile import profile, sentence
from collector.view.reply import failing_reply
from collector.view.share import SHARE, percent_of, shares
from collector.view.words import counted, heading, indented, plain, shorten

WIDE = 140  # columns from which on a line has room for a trace id
MOST_TURNS = 40  # turns listed one by one; all of them are counted
MOST_FAILING = 10


def show(console: Console, turns: Sequence[Mapping[str, Any]], totals: Mapping[str, Any]) -> None:
    """Write turns and totals in the shape of `replay --output json`."""
    console.print(heading(counted(len(turns), "turn")))
    if len(turns) > MOST_TURNS:
        more = f"  The last {MOST_TURNS}; --output json lists them all."
        console.print(Text(more, style="dim"))
    console.print(_list(turns[-MOST_TURNS:], console.width))
    console.print()
    console.print(heading(SHARE))
    console.print(Text(f"  {_observed(totals)}\n"))
    if totals["observable_share_by"]:
        console.print(shares(totals["observable_share_by"], console.width))
    console.print(heading("Loss profile: did what the tools produced reach the model?"))
    found = losses(turns)
    console.print(profile(found, console))
    for loss in found:
        if loss.lost:
            console.print(indented(Text(sentence(loss))))
    failing = failing_replies(turns)
    judged = sum(is_judged(turn) for turn in turns)
    failures = sum(len(reply.trace_ids) for reply in failing)
    console.print(heading("Replies that their requester cannot use"))
    console.print(
        Text(
            f"  {failures} of {judged} judged replies, by rules without a model (lexical_reader).\n"
        )
    )
    for reply in failing[:MOST_FAILING]:
        console.print(indented(failing_reply(reply)))
    if len(failing) > MOST_FAILING:
        console.print(Text(f"  and {len(failing) - MOST_FAILING:,} more", style="dim"))


def _observed(totals: Mapping[str, Any]) -> str:
    """Say on how many results the profile rests, before it is read."""
    states = totals["tool_results_by_state"]
    results = sum(states.values())
    if not results:
        return "No tool results were seen."
    hidden = states.get("unobservable", 0) + states.get("lower_bound", 0)
    share = totals["observable_share"]
    if share is None:
        return f"{counted(results, 'tool result')}, none of which could be observed."
    told = f"{counted(results, 'tool result')}, {percent_of(share)} observable"
    return f"{told}; of {hidden:,} telemetry does not show both sides." if hidden else f"{told}."


def _list(turns: Sequence[Mapping[str, Any]], width: int) -> Table:
    """One line a turn; a wide terminal shows the trace by which it is found again.

    Lost are so many of the results whose fate is known; where none is known, nothing is said.
    """
    table = Table(box=None, padding=(0, 1, 0, 2), header_style="bold dim", expand=True)
    table.add_column("ended (UTC)", no_wrap=True, min_width=11)
    table.add_column("agent", no_wrap=True, max_width=20, overflow="ellipsis")
    table.add_column("request", no_wrap=True, ratio=1, overflow="ellipsis")
    table.add_column("reply", no_wrap=True, ratio=1, overflow="ellipsis")
    table.add_column("lost", justify="right", no_wrap=True, min_width=5)
    table.add_column("verdict", no_wrap=True, min_width=7)
    if width >= WIDE:
        table.add_column("trace", no_wrap=True, min_width=32)
    for turn in turns:
        states = Counter(pair["state"] for pair in turn["tool_results"])
        lost = sum(states[state] for state in LOST)
        known = lost + states["intact"]
        verdict = _verdict(turn)
        cells = [
            Text(_time(turn["ended_ns"]), style="dim"),
            Text(plain(turn["agent"] or "–")),
            _text(turn, "request"),
            _text(turn, "reply"),
            Text(f"{lost}/{known}" if known else "–", style="bold red" if lost else ""),
            Text(verdict, style="bold red" if verdict == "failed" else ""),
        ]
        if width >= WIDE:
            cells.append(Text((turn["trace_ids"] or ["–"])[0], style="dim"))
        table.add_row(*cells)
    return table


def _time(unix_ns: int | None) -> str:
    if not unix_ns:
        return "–"
    return datetime.fromtimestamp(unix_ns / 1e9, UTC).strftime("%m-%d %H:%M")


def _verdict(turn: Mapping[str, Any]) -> str:
    """The first judge's verdict, or the state in which the reply ended with it."""
    for score in turn["scores"]:
        if score["label"]:
            return str(score["label"])
    return next(iter(turn["states"].values()), "–")


def _text(turn: Mapping[str, Any], what: str) -> Text:
    if turn[what] is None:
        return Text(f"({turn[f'{what}_missing'] or 'unknown'})", style="dim")
    return Text(shorten(turn[what], 60) or "(empty)")
