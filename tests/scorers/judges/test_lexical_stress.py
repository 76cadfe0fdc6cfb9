"""The lexical reader on synthetic replies of many fields, and on hostile ones.

`tests/golden/judges/stress.jsonl` holds reply points that were written for this test and labelled
by the annotator protocol before the reader saw them: business records, domain codes and answers
that are identifiers (usable), and pointers to the agent's own material (failed). `round` tells
which were written when: rules were made after each round was read, so the figures are not those
of replies never seen.
"""

import json
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from scorers.judges.lexical_reader import LexicalReader
from scorers.point import turn_from_point
from scorers.reading import known
from scorers.turn import PrivateItem, RequesterContext, Said, Turn

STRESS = Path(__file__).parents[2] / "golden" / "judges" / "stress.jsonl"
# Enough that terms which the private context does not hold are looked at as well.
WORK = " ".join(f"event {number} was read and nothing unusual was seen;" for number in range(150))


@pytest.fixture(scope="module")
def points():
    return [json.loads(line) for line in STRESS.read_text(encoding="utf-8").splitlines()]


def verdicts(points, private=()):
    """(failed by label, verdict) of every point; an unscored reply is not a flagged one."""
    reader = LexicalReader()
    for point in points:
        one = turn_from_point(point)
        score = reader.score(replace(one, private=(*one.private, *private)))
        yield point, point["expected"]["failed"], score.value == 1.0


def turn(reply, request="Which order is late, and what should we do?", private="W1 W2 W3 A1 A2"):
    return Turn(
        turn_id="t",
        trace_ids=(),
        requester=RequesterContext(dialog=(Said("user", request),)),
        private=(PrivateItem("tool_result", private, "work"),),
        reply=reply,
    )


def test_the_set_is_what_it_says(points):
    labels = [point["expected"]["failed"] for point in points]
    assert len(points) >= 150
    assert len({point["domain"] for point in points}) >= 12
    assert 0.3 <= sum(labels) / len(labels) <= 0.4
    assert len({point["id"] for point in points}) == len(points)
    for point in points:
        assert point["expected"].get("span", "") in point["reply"]


@pytest.mark.parametrize("private", [(), (PrivateItem("tool_result", WORK, "log"),)])
def test_precision_comes_first(points, private):
    pairs = [(failed, flagged) for _, failed, flagged in verdicts(points, private)]
    count = Counter(pairs)
    hit, false, miss = count[True, True], count[False, True], count[True, False]
    assert hit / (hit + false) >= 0.85
    assert false / (false + count[False, False]) <= 0.05
    assert hit / (hit + miss) >= 0.75


@pytest.mark.parametrize("kind", ["tool_result", "memory"])
def test_precision_does_not_hang_on_where_a_name_comes_from(points, kind):
    """Were all private context tool results, or all memory, few false alarms would be raised."""
    moved = [
        point | {"private_context": [item | {"kind": kind} for item in point["private_context"]]}
        for point in points
    ]
    count = Counter((failed, flagged) for _, failed, flagged in verdicts(moved))
    assert count[True, True] / (count[True, True] + count[False, True]) >= 0.85
    assert count[False, True] / (count[False, True] + count[False, False]) <= 0.05


def test_no_kind_of_usable_reply_is_flagged_often(points):
    kinds = {}
    for point, failed, flagged in verdicts(points):
        if not failed:
            kinds.setdefault(point["kind"], []).append(flagged)
    often = {kind: sum(flags) for kind, flags in kinds.items() if sum(flags) > len(flags) / 5}
    assert not often


def test_the_answer_may_be_an_identifier():
    request = (
        "What does ACME Corp owe us right now, and which open invoice is the oldest? "
        "Please use the tools."
    )
    reply = (
        "ACME Corp (customer C-1042) currently owes 18,400.00 EUR. The oldest open invoice I can "
        "see is INV-2003 dated 2024-03-09, so please chase that one first."
    )
    private = '{"id": "C-1042", "invoices": ["INV-2003", "INV-2004", "INV-2005"]}'
    assert LexicalReader().score(turn(reply, request, private)).label == "usable"


def test_what_could_not_be_searched_is_no_verdict(monkeypatch):
    """A private context that is longer than the search goes may hold the name after all."""
    reply = "Wait. The date rests on W3, which leaves no room."
    assert LexicalReader().score(turn(reply)).label == "failed"
    monkeypatch.setattr(known, "PRIVATE_LIMIT", 1_000)
    score = LexicalReader().score(turn(reply, private="x " * 1_000 + "W1 W2 W3"))
    assert score.outcome == "unscored"
    assert "W3" in score.reason
    assert "2008 characters" in score.reason


@pytest.mark.parametrize(
    "reply",
    [
        "the order " * 20_000,
        "A1, A2 and " * 18_000,
        "(A1 " * 40_000,
        "| A1 | W2 |\n" * 16_000,
        "- A1: the\n" * 19_000,
        "one two three four five, " * 7_000,
        "the second second second " * 7_000,
        "".join(f"W{number} shows K-{number}. " for number in range(9_000)),
        "我们的工单 A1，" * 20_000,
        "x" * 199_000,
        "see run see run A1 " * 10_000,
    ],
    ids=lambda reply: reply[:12],
)
def test_a_hostile_reply_is_read_in_time(reply):
    """A fifth of a megabyte in any shape takes seconds at the worst, on a busy machine."""
    started = time.process_time()
    assert LexicalReader().score(turn(reply[:200_000])).outcome in {"scored", "unscored"}
    assert time.process_time() - started < 5
