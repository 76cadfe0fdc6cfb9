"""Runs of one text in another: exact for plain cuts, each character once, linear in time."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorers.overlap import align, common_prefix, common_suffix, gaps, kept

TEXT = "".join(
    f"{number:05} line of a log, worker {number * 7919 % 613}\n" for number in range(400)
)


@pytest.mark.parametrize("size", [1, 7, 8, 100, 1500, len(TEXT)])
def test_prefix_slice_is_one_run_of_exactly_that_many_characters(size):
    assert align(TEXT, TEXT[:size]) == ((0, 0, size),)


def test_suffix_slice_is_one_run():
    assert align(TEXT, TEXT[-1234:]) == ((len(TEXT) - 1234, 0, 1234),)


def test_head_and_tail_around_a_marker():
    delivered = TEXT[:500] + "<<<cut>>>" + TEXT[-700:]
    assert align(TEXT, delivered) == ((0, 0, 500), (len(TEXT) - 700, 509, 700))


def test_header_and_footer_of_a_harness_are_no_part_of_a_run():
    runs = align(TEXT, f"Exit code 0\nOutput:\n{TEXT[:900]}#\nUse head or tail to see more.")
    assert runs == ((0, 20, 900),)


def test_a_shared_opening_does_not_hide_that_the_start_was_lost():
    # Every line opens alike ("2026-11-30 08:"), so that a suffix seems to begin as the text does.
    log = "".join(f"2026-11-30 08:{n // 60:02}:{n % 60:02} job {n} done\n" for n in range(300))
    start = log.index("2026-11-30 08:03")
    assert align(log, log[start:]) == ((start, 0, len(log) - start),)
    middle = log[start : start + 900]
    assert align(log, middle) == ((start, 0, 900),)


def test_lines_left_out_in_the_middle():
    lines = TEXT.splitlines(keepends=True)
    delivered = "".join(line for number, line in enumerate(lines) if number % 5)
    assert kept(align(TEXT, delivered)) > 0.97 * len(delivered)


def test_repeated_content_is_counted_once():
    assert kept(align("heartbeat ok\n" * 60, "heartbeat ok\n" * 8)) == 8 * 13
    assert kept(align("abcdefghij", "abcdefghij" * 5)) == 10


def test_unrelated_texts_share_nothing():
    assert align("alpha beta gamma delta", "0123456789 0123456789") == ()
    assert align("", "x") == align("x", "") == ()


@settings(deadline=None)  # a busy machine is no failure
@given(st.text(max_size=300), st.text(max_size=300))
def test_runs_are_true_and_disjoint(produced, delivered):
    runs = align(produced, delivered)
    seen_produced, seen_delivered = set(), set()
    for run in runs:
        ours = range(run.produced, run.produced + run.length)
        theirs = range(run.delivered, run.delivered + run.length)
        assert produced[ours.start : ours.stop] == delivered[theirs.start : theirs.stop]
        assert not seen_produced & set(ours)
        assert not seen_delivered & set(theirs)
        seen_produced |= set(ours)
        seen_delivered |= set(theirs)


@settings(deadline=None)  # a busy machine is no failure
@given(st.text(min_size=8, max_size=400), st.data())
def test_head_and_tail_of_any_text_are_found_whole(text, data):
    cut = data.draw(st.integers(0, len(text)))
    assert kept(align(text, text[:cut])) == cut


@settings(deadline=None)  # a busy machine is no failure
@given(st.text(max_size=200), st.text(max_size=50), st.text(max_size=50))
def test_common_ends(shared, ours, theirs):
    size = common_prefix(shared + ours, shared + theirs)
    assert size >= len(shared)
    assert (shared + ours)[:size] == (shared + theirs)[:size]
    size = common_suffix(ours + shared, theirs + shared, len(ours + shared), len(theirs + shared))
    assert size >= len(shared)


def test_gaps():
    assert gaps([(2, 4), (6, 8)], 10) == [(0, 2), (4, 6), (8, 10)]
    assert gaps([], 0) == []


@pytest.mark.parametrize(
    ("produced", "delivered"),
    [
        ("a" * 1_000_000, "a" * 500_000 + "X" + "a" * 400_000),
        ("ab" * 500_000, ("ab" * 20 + "x") * 25_000),
        ("abc " * 250_000 + "q", "xyz " * 250_000),
        ("[" * 1_000_000, "{" * 1_000_000),
    ],
)
def test_no_shape_of_input_stalls(produced, delivered):
    # 4 s for 1 MB on a busy machine; a quadratic alignment would take hours.
    before = time.process_time()
    align(produced, delivered)
    assert time.process_time() - before < 4
