"""The comparison's time grows no faster than its texts, and never beyond its budget."""

import json
import random
import time

import pytest

from scorers.delivery import comparison
from scorers.measures.delivery import State, compare
from scorers.payload.shape import shape
from scorers.payload.work import TooLarge, Work

ROWS = json.dumps([{"id": n, "name": f"n{n}"} for n in range(200)])


def deep(inner):
    for _ in range(300):
        inner = {"n": inner, "k": 1}
    return json.dumps(inner)


def letters(alphabet, size, seed):
    return "".join(random.Random(seed).choices(alphabet, k=size))


def rows(size):
    return [{"id": n, "t": f"text {n} " * 5, "v": n * 1.5} for n in range(size // 90)]


SHAPES = {
    "blanks": lambda n: (ROWS, "a" + " " * n + "b"),
    "digits of a note": lambda n: ("word " * n, "word " * 400 + "… truncated " + "1,2.3_4" * n),
    "nesting": lambda n: (deep([1, *range(n // 8)]), deep([2, *range(n // 8)])),
    "two letters": lambda n: (letters("ab", n, 1), letters("ab", 4 * n, 2)),
    "one digit": lambda n: ("1", "1" * n * 8),
    "values and a long text": lambda n: (
        json.dumps([{"v": f"value-{number}"} for number in range(n // 30)]),
        "the summary says nothing " * (n // 10),
    ),
    "half of the rows": lambda n: (json.dumps(rows(n)), json.dumps(rows(n)[::2])),
    "rows clipped": lambda n: (
        json.dumps(rows(n)),
        json.dumps([{**row, "t": row["t"][:9] + "…"} for row in rows(n)]),
    ),
    "rows changed": lambda n: (
        json.dumps([{"a": 1}] * (n // 10)),
        json.dumps([{"a": 2}] * (n // 10)),
    ),
    "scripts": lambda n: ("<html><body>" + "<script>" * (n // 8), "plain text " * 20),
    "comments": lambda n: ("<html><body>" + "<!--" * (n // 4), "plain text " * 20),
    "names": lambda n: (
        json.dumps({f"key{number:06}": number for number in range(n // 30)}),
        "keys: " + "the quick brown fox " * (n // 10),
    ),
    "backslashes": lambda n: (ROWS, "\\" * n),
    "quotes": lambda n: (ROWS, "'" * n),
    "openings": lambda n: (ROWS, "{ \n" * (n // 3)),
    "blocks": lambda n: (ROWS, "text='" * (n // 6)),
    "lines alike": lambda n: (
        "\n".join("x" * 25 + str(number) for number in range(n // 30)),
        "\n".join("x" * 25 + str(-number) for number in range(n // 30)),
    ),
    "markers": lambda n: ("y" * n, "... [truncated 5 chars] chars truncated " * (n // 40)),
}


def seconds(pair, rounds):
    least = float("inf")
    for _ in range(rounds):
        before = time.process_time()
        compare(*pair)
        least = min(least, time.process_time() - before)
    return least


@pytest.mark.parametrize("name", SHAPES)
def test_four_times_the_text_takes_about_four_times_as_long(name):
    small, large = SHAPES[name](40_000), SHAPES[name](160_000)
    long = seconds(large, 1)
    if long < 0.1:
        return
    # Sixteen would be quadratic; the clock ticks in hundredths, the machine is shared.
    assert min(long, seconds(large, 1)) < 9 * max(0.01, seconds(small, 3))


@pytest.mark.parametrize(
    "pair",
    [
        ("1", "1" * 8_000_000),
        (json.dumps([{"a": 1}] * 400_000), json.dumps([{"a": 2}] * 400_000)),
    ],
    ids=["one digit", "rows"],
)
def test_what_the_budget_does_not_reach_is_not_called_cut(pair):
    found = compare(*pair)
    assert found.state == State.unobservable
    assert found.reason.startswith("too_large_to_compare: ")
    assert (found.strategy, found.kept_characters, found.fields) == (None, None, None)


def test_a_proven_cut_stands_without_fields(monkeypatch):
    text = json.dumps(rows(200_000))
    monkeypatch.setattr(comparison, "Work", lambda: Work(100))
    found = compare(text, text[:90_000])
    assert (found.state, found.strategy, found.kept_characters) == ("cut", "prefix_slice", 90_000)
    assert (found.fields, found.rows) == (None, None)
    assert found.reason == "too_large_to_compare: fields"


def test_equal_texts_are_intact_whatever_the_budget(monkeypatch):
    text = json.dumps(rows(200_000))
    monkeypatch.setattr(comparison, "Work", lambda: Work(100))
    assert compare(text, text).state == State.intact
    assert compare(text, f"result: {text}").state == State.intact


def test_reserialised_rows_beyond_the_budget_are_unobservable(monkeypatch):
    records = rows(200_000)
    monkeypatch.setattr(comparison, "Work", lambda: Work(100))
    assert compare(json.dumps(records), repr(records)).state == State.unobservable


@pytest.mark.parametrize(
    ("delivered", "state"),
    [
        (lambda text: text, State.intact),
        (lambda text: text[: len(text) // 2], State.cut),
        (lambda text: text[: len(text) // 2] + "\n[truncated]", State.cut),
        (lambda text: text[-len(text) // 2 :], State.cut),
        (lambda text: text[::-1], State.unobservable),
    ],
    ids=["equal", "prefix", "marker", "suffix", "other"],
)
def test_beyond_the_cap_only_the_ends_count(monkeypatch, delivered, state):
    monkeypatch.setattr(comparison, "LONGEST", 1_000)
    text = " ".join(map(str, range(5_000)))
    assert compare(text, delivered(text)).state == state


def test_a_text_beyond_the_budget_keeps_its_format():
    assert shape(json.dumps(rows(20_000)), Work(1)).bounded
    assert shape(json.dumps(rows(20_000)), Work(1)).format == "json"


def test_work_is_refused_before_it_is_done():
    work = Work(10)
    work.spend(10, "rows")
    with pytest.raises(TooLarge, match="rows"):
        work.spend(1, "rows")
