"""The demo's page of text: what was sent, what was lost, what fails, where to look on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from collector.view.finding import Failing, Loss
from collector.view.profile import profile, sentence
from collector.view.reply import MOST_REPLY, failing_reply
from collector.view.share import SHARE, Share, shares
from collector.view.words import counted, heading, indented, plain, shorten


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
    shares: Sequence[Share] = ()


def show(console: Console, page: Page) -> None:
    """Write the page."""
    console.print(Text("Tellback demo\n", style="bold"))
    console.print(heading("Sent to the sidecar, as their exporters sent it"))
    for library, transport in page.sent.libraries:
        console.print(Text.assemble("  ", (transport, "dim"), f"  {plain(library)}"))
    sent = f"{counted(page.sent.traces, 'trace')} became {counted(page.turns, 'turn')}"
    console.print(f"  {sent}.\n", highlight=False)
    console.print(heading(SHARE))
    console.print()
    console.print(shares(page.shares, console.width))
    console.print(heading("Loss profile: did what the tools produced reach the model?"))
    console.print(profile(page.losses, console))
    for loss in page.losses:
        if loss.lost:
            console.print(indented(Text(sentence(loss))))
            if loss.reply:
                reply = shorten(loss.reply, MOST_REPLY)
                console.print(indented(Text(f"Written on such a result: “{reply}”")))
    console.print(heading("Replies that their requester cannot use"))
    console.print(
        f"  {page.failures} of {page.judged} judged replies, by the lexical reader "
        "(rules, no model).\n",
        highlight=False,
    )
    for failing in page.failing:
        console.print(indented(failing_reply(failing)))
    console.print(heading("Where to look on"))
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
