"""The observable share as it is printed: before any loss, with what hides the rest."""

import io

import pytest
from agents import SHAPES, Run, Step, counted, turns
from rich.console import Console

from collector.ledger.totals import totals
from collector.view.share import MOST_REASONS, MOST_SHARES, percent_of, shares
from collector.view.turns import show

TEXT = "\n".join(f"row {n}: {n * 7919 % 100_003}" for n in range(200))


def shown(found, width=100):
    console = Console(file=io.StringIO(), width=width)
    console.print(shares(found, width))
    return console.file.getvalue()


def share(agent="desk", dialect="gen_ai", results=4, part=0.25, **reasons):
    hidden = sum(reasons.values())
    return {"agent": agent, "dialect": dialect, "results": results, "observed": 1,
            "lower_bound": 0, "unobservable": hidden, "observable_share": part,
            "unobservable_by_reason": reasons}  # fmt: skip


def test_reasons_are_told_with_what_to_change_in_that_dialect():
    text = shown([share(content_off=3), share(dialect="openinference", content_off=2)])
    flat = " ".join(text.split())
    assert "3 not shown: content_off (gen_ai)" in flat
    assert "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT" in flat
    assert "2 not shown: content_off (openinference)" in flat
    assert "OPENINFERENCE_HIDE_INPUTS" in flat


def test_the_share_stands_before_the_losses():
    write = SHAPES["Flattened"]
    past = [("user", "Hello?"), ("assistant", "Hello.")] * 4
    long = Run([Step("fetch", TEXT, TEXT)], history=past, name="long")
    made = turns(
        write(Run([Step("fetch", TEXT, TEXT[:1500])])).write(),
        counted(write(long).write(), 16, newest=True),
    )
    console = Console(file=io.StringIO(), width=100)
    show(console, made, totals(made))
    text = console.file.getvalue()
    assert text.index("Observable share") < text.index("Loss profile")
    assert "attribute_count_limit (openinference)" in text
    assert "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT" in text
    assert "50 %" in text


@pytest.mark.parametrize("width", [20, 40, 60, 80, 100, 200])
def test_every_width_shows_everything(width):
    text = shown([share("billing-assistant", "openinference", content_off=3)], width)
    assert all(len(line.rstrip()) <= width for line in text.splitlines())
    words = "".join(text.split())
    for word in ("billing-assistant", "openinference", "25%", "content_off"):
        assert word in words, text


@pytest.mark.parametrize(
    ("part", "said"),
    [(None, "–"), (0.0, "0 %"), (1.0, "100 %"), (0.999, "99 %"), (0.001, "1 %"), (0.255, "26 %")],
)
def test_all_and_none_are_never_rounded(part, said):
    assert percent_of(part) == said


def test_many_are_counted_and_not_listed():
    found = [share(f"agent-{n}", f"dialect_{n}", content_off=1) for n in range(MOST_SHARES + 5)]
    text = " ".join(shown(found).split())
    assert "and 5 pairs of agent and dialect more" in text
    assert f"and {MOST_SHARES + 5 - MOST_REASONS} reasons more" in text


def test_telemetry_cannot_draw_on_the_terminal():
    text = shown([share("\x1b[2J[red]x[/red]", "a\x07b", content_off=1)])
    assert not {"\x1b", "\x07"} & set(text)
    assert "[red]x[/red]" in text
