"""No input makes the comparison crash or stall."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorers.measures.delivery import State, compare

DEEP = "[" * 10_000 + "]" * 10_000
KEYS = {f"k{n}": n for n in range(20_000)}
BIG = " ".join(f"word{n * 7919 % 1_000_003}" for n in range(200_000))


@pytest.mark.parametrize(
    ("produced", "delivered"),
    [
        ("a" * 1_000_000, "a" * 300_000 + "..." + "a" * 300_000),
        ("a" * 1_000_000, "b" * 1_000_000),
        (DEEP, DEEP[:100]),
        (DEEP, "(" * 10_000),
        ('{"a":' * 990 + "1" + "}" * 990, '{"a": ' * 990 + "1" + "}" * 990),
        ("{" + ",".join(['"a":1'] * 50_000) + "}", '{"a":2}'),
        ("[" + "1" * 100_000 + "]", "[" + "1" * 99_999 + "]"),
        ("[NaN, Infinity, 1e999]", "[NaN]"),
        (json.dumps(KEYS), "\n".join(f"{n} {key}" for key, n in reversed(KEYS.items()))),
        ("<" * 200_000, "<a" * 100_000),
        ("<html><p>" + "<script " * 50_000, "plain words " * 1_000),
        ("text='" * 50_000, "text='" * 50_000 + "x"),
        ("x" * 1_000, "...[truncated 5 chars]..." * 10_000),
        ("&amp;" * 50_000, "&" * 50_000),
        ("\\" * 200_000, "\\" * 100_000),
        ("\n" * 200_000 + "x", "\n" * 100_000 + "y"),
        ("\ud800" * 1_000 + "abc" * 100, "\ud800" * 500),
        (BIG, " ".join(sorted(BIG.split()))),
        (BIG, BIG[: len(BIG) // 2] + "\n[truncated]"),
        (
            json.dumps({"rows": [{"a": 1}], "more": [{"b": 2}]}).replace(
                "2", "[" * 940 + "]" * 940
            ),
            '{"rows": [{"a": 1}]}',
        ),
        (r"{'path': 'C:\d\w'}", r"{'path': 'C:\d"),
    ],
    ids=range(21),
)
def test_nothing_stalls(produced, delivered):
    before = time.process_time()
    pair = compare(produced, delivered)
    # Seconds for a megabyte on a busy machine; quadratic time would be minutes to hours.
    assert time.process_time() - before < 15
    json.dumps(pair.as_pair()).encode()


def test_twenty_megabytes():
    text = BIG * 10
    before = time.process_time()
    assert compare(text, text).state == State.intact
    pair = compare(text, text[: len(text) // 2])
    assert (pair.strategy, pair.kept_characters) == ("prefix_slice", len(text) // 2)
    assert time.process_time() - before < 15


TEXTS = st.text(max_size=120) | st.text('{}[]",:\\n\n tru1.', max_size=120)


@settings(deadline=None)  # a busy machine is no failure
@given(TEXTS, TEXTS)
def test_every_pair_gets_a_verdict_within_bounds(produced, delivered):
    pair = compare(produced, delivered)
    if pair.kept_characters is None:
        assert pair.state == State.unobservable
    else:
        assert 0 <= pair.kept_characters <= len(produced)
    for delivered_count, produced_count in (pair.fields or {}).values():
        assert 0 <= delivered_count <= produced_count
    if pair.rows:
        assert pair.rows[0] <= pair.rows[1]
    assert (pair.strategy is None) == (pair.state in (State.intact, State.unobservable))
    assert pair.silent == (pair.strategy is not None and not pair.marker)


@settings(deadline=None)  # a busy machine is no failure
@given(TEXTS)
def test_every_text_is_intact_as_it_is(text):
    pair = compare(text, text)
    if text.strip():
        assert (pair.state, pair.kept_characters) == (State.intact, len(text))
