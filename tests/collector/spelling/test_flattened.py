"""Lists spread over attributes."""

from hypothesis import given
from hypothesis import strategies as st

from collector.spelling.flattened import entries, has_gap


def test_items_in_order_of_their_numbers():
    attributes = {"p.10.a": 1, "p.9.a": 2, "p.9.b.0.c": 3, "q.0.a": 4, "p.a": 5, "p.3": 6}
    assert entries(attributes, "p") == [(9, {"a": 2, "b.0.c": 3}), (10, {"a": 1})]


def test_what_is_no_index_is_left_out():
    odd = ["-1", "", "x", "1e3", "१", "0x1", "9" * 400, " 1"]
    assert entries({f"p.{digits}.a": 1 for digits in odd}, "p") == []


def test_gap():
    assert not has_gap([])
    assert not has_gap([(0, {}), (1, {})])
    assert has_gap([(1, {})])
    assert has_gap([(0, {}), (99_999_999, {})])


@given(st.sets(st.integers(0, 10**9)))
def test_every_item_comes_out_once_and_sorted(numbers):
    found = entries({f"p.{number}.a": number for number in numbers}, "p")
    assert found == [(number, {"a": number}) for number in sorted(numbers)]
