"""The list of turns for a terminal: what is known of each, and the newest where there are many."""

import io

import pytest
from rich.console import Console

from collector.view.turns import MOST_TURNS, show

TOTALS = {"tool_results_by_state": {}, "observable_share": None, "observable_share_by": []}


def turn(*states, request="q"):
    pair = {
        "tool": "t", "strategy": None, "broken": None, "silent": False, "marker": False,
        "produced_characters": None, "delivered_characters": None, "kept_characters": None,
        "fields": None, "rows": None, "format": None, "reason": "no_tool_span",
    }  # fmt: skip
    return {
        "ended_ns": 1, "agent": "a", "request": request, "reply": "r", "scores": [], "states": {},
        "trace_ids": [], "tool_results": [pair | {"state": state} for state in states],
    }  # fmt: skip


def listed(*turns):
    console = Console(file=io.StringIO(), width=120)
    show(console, turns, TOTALS)
    return console.file.getvalue().partition("Observable share")[0]


@pytest.mark.parametrize(
    ("states", "says"),
    [
        (["cut", "intact"], "1/2"),
        (["intact"], "0/1"),
        (["cut", "unobservable", "unread"], "1/1"),
        (["lower_bound"], "1/1"),
        (["unobservable"], "–"),
        ([], "–"),
    ],
)
def test_what_was_lost_is_told_of_results_whose_fate_is_known(states, says):
    # The columns are: day, time, agent, request, reply, lost, verdict.
    assert listed(turn(*states)).splitlines()[2].split()[5] == says


def test_of_many_turns_the_last_are_listed():
    text = listed(*(turn(request=f"number-{n}.") for n in range(MOST_TURNS + 5)))
    assert "number-4." not in text
    assert "number-5." in text
    assert f"number-{MOST_TURNS + 4}." in text
    assert f"{MOST_TURNS}; --output json" in text
