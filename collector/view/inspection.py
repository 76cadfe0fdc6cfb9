"""An inspection for a terminal: per service what was read, what is visible, what to switch on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from collector.view.words import counted, heading, plain

Json = Mapping[str, Any]

MOST_SERVICES = 20
MOST_NAMES = 8  # unclaimed names and unknown keys shown of one service
MOST_LIBRARIES = 12
FACETS = {
    "request": "request",
    "reply": "reply",
    "session": "session id",
    "agent": "agent name",
    "agent_version": "agent version",
    "usage": "usage",
    "produced": "produced",
    "delivered": "delivered",
    "compared": "both sides seen",
}
# Said instead of the reasons that do not explain themselves.
REASONS = {"not_recorded": "not recorded", "no_turn": "no turn"}


def show(console: Console, document: Json) -> None:
    """Write what `inspect --output json` holds."""
    services = document["services"]
    spans = counted(document["spans"], "span")
    records = counted(document["log_records"], "log record")
    console.print(heading(f"{counted(len(services), 'service')}, {spans}, {records}"))
    if not services:
        console.print(Text("  Nothing arrived yet.", style="dim"))
    for service in services[:MOST_SERVICES]:
        console.print()
        for block in _service(service):
            console.print(block)
    if len(services) > MOST_SERVICES:
        more = f"\nand {counted(len(services) - MOST_SERVICES, 'more service')}: --output json"
        console.print(Text(more, style="dim"))


def _service(service: Json) -> Iterator[RenderableType]:
    yield _title(service)
    yield Padding(_read(service), (0, 0, 0, 2))
    for visible in service["visible"]:
        yield Text()
        yield Padding(_visible(visible), (0, 0, 0, 2))
    if not service["visible"]:
        yield Padding(Text("No turn was seen.", style="bold yellow"), (0, 0, 0, 2))
    if service["advice"]:
        yield Text("\n  To see the rest, switch on", style="bold")
        for advice in service["advice"]:
            yield Padding(_advice(advice), (0, 0, 0, 4))
    if service["warnings"]:
        yield Text("\n  Look at", style="bold")
        for warned in service["warnings"]:
            yield Padding(_bullet(warned["text"], "yellow"), (0, 0, 0, 4))
    yield from _keys(service["unknown_keys"])


def _title(service: Json) -> Text:
    name = service["service"]
    title = Text("(no service.name)" if name is None else plain(name), style="bold cyan")
    title.append(" ".join(f" {plain(version)}" for version in service["versions"]), style="cyan")
    for sdk in service["sdks"]:
        said = " ".join(plain(part) for part in (sdk["language"], sdk["version"]) if part)
        title.append(f"  OpenTelemetry SDK {said}", style="dim")
    return title


def _read(service: Json) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    dialects = [f"{each['dialect']} ({_records(each)})" for each in service["dialects"]]
    table.add_row("read as", Text(", ".join(dialects) or "nothing"))
    for number, line in enumerate(_scopes(service["scopes"])):
        table.add_row("" if number else "written by", Text(line))
    unclaimed = service["unclaimed"]
    if unclaimed["spans"] or unclaimed["log_records"]:
        genai = unclaimed["with_genai_keys"]
        style = "yellow" if genai else ""
        told = f"{_records(unclaimed)}"
        told += f"; {genai:,} of them with GenAI keys" if genai else ""
        table.add_row("not read", Text(told, style=style))
        for line in _names(unclaimed):
            table.add_row("", Text(line, style="dim"))
    return table


def _records(counts: Json) -> str:
    spans, records = counts["spans"], counts["log_records"]
    parts = [counted(spans, "span")] if spans else []
    parts += [counted(records, "log record")] if records else []
    return ", ".join(parts) or "none"


def _scopes(scopes: Json) -> Iterator[str]:
    by_name: dict[tuple[str, str | None], list[Json]] = {}
    for each in scopes["listed"]:
        by_name.setdefault((each["scope"], each["version"]), []).append(each)
    for (name, version), listed in list(by_name.items())[:MOST_LIBRARIES]:
        library = listed[0]["library"]
        of = f", {plain(library)}" if library else ""
        said = " ".join(filter(None, (plain(name) or "(no scope)", version and plain(version))))
        yield f"{said}: {sum(each['count'] for each in listed):,}{of}"
    rest = len(by_name) - MOST_LIBRARIES
    if rest > 0 or scopes["others"]:
        more = sum(
            each["count"] for pair in list(by_name)[MOST_LIBRARIES:] for each in by_name[pair]
        )
        yield f"and others: {more + scopes['others']:,}"


def _names(unclaimed: Json) -> Iterator[str]:
    shown = unclaimed["names"][:MOST_NAMES]
    for each in shown:
        yield f"{each['count']:,} × {plain(each['name']) or '(no name)'}  {plain(each['scope'])}"
    left = unclaimed["others"] + sum(each["count"] for each in unclaimed["names"][MOST_NAMES:])
    if left:
        yield f"{left:,} × others"


def _visible(visible: Json) -> Table:
    dialects = " + ".join(visible["dialects"]) or "no dialect"
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold", pad_edge=False)
    table.add_column(plain(dialects), no_wrap=True)
    turns = counted(visible["turns"], "turn")
    table.add_column("seen", justify="right", no_wrap=True)
    table.add_column(f"of {turns}, {counted(visible['tool_results'], 'tool result')}", ratio=1)
    for facet, name in FACETS.items():
        share = visible[facet]
        if not share["of"]:
            table.add_row(name, Text("–", style="dim"), Text("nothing to see", style="dim"))
            continue
        whole = share["seen"] == share["of"]
        style = "green" if whole else "yellow" if share["seen"] else "bold red"
        seen = Text(f"{share['seen']:,} of {share['of']:,}", style=style)
        table.add_row(name, seen, Text(_reasons(share["missing"])))
    return table


def _reasons(missing: Mapping[str, int]) -> str:
    told = [f"{count:,} {plain(REASONS.get(why, why))}" for why, count in missing.items()]
    more = len(told) - 5
    return ", ".join(told[:5]) + (f" and {more} more reasons" if more > 0 else "")


def _advice(advice: Json) -> Table:
    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    shows = ", ".join(FACETS.get(facet, facet) for facet in advice["shows"])
    head = Text.assemble((shows, "bold"), (f"  ({plain(advice['library'])})", "dim"))
    table.add_row("•", head)
    for switch in advice["set"]:
        table.add_row("", Text(plain(switch["setting"]), style="green"))
        table.add_row("", Padding(Text(plain(switch["effect"]), style="dim"), (0, 0, 0, 2)))
    return table


def _bullet(text: str, style: str) -> Table:
    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True, style=style)
    table.add_column(overflow="fold")
    table.add_row("!", Text(plain(text)))
    return table


def _keys(unknown: Json) -> Iterator[RenderableType]:
    listed: Sequence[Json] = unknown["listed"]
    if not listed:
        return
    yield Text("\n  Keys that this version of Tellback has not met", style="bold")
    table = Table.grid(padding=(0, 2))
    for _ in range(3):
        table.add_column(overflow="fold")
    for each in listed[:MOST_NAMES]:
        by = " ".join(plain(part) for part in (each["scope"], each["version"]) if part)
        table.add_row(Text(plain(each["key"])), Text(f"{each['count']:,}"), Text(by, style="dim"))
    left = unknown["others"] + sum(each["count"] for each in listed[MOST_NAMES:])
    if left:
        table.add_row(Text("others"), Text(f"{left:,}"), Text())
    yield Padding(table, (0, 0, 0, 4))
