"""A hint never hides a match: where a pattern matches, its words stand in the text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorers.reading import amounts, deliveries, places, pointers
from scorers.reading.words import Words, hint

HINTED = [
    pytest.param(pattern, needed, id=f"{module.__name__.rpartition('.')[2]}-{number}")
    for module in (amounts, deliveries, places, pointers)
    for number, (pattern, needed) in enumerate(module.HINTS.items())
]
AROUND = st.sampled_from(["", " ", "\n", "x", "Ж", "漢", "İ", "é"])


@pytest.mark.parametrize(("pattern", "needed"), HINTED)
@settings(max_examples=60, deadline=None, derandomize=True)
@given(data=st.data())
def test_what_a_pattern_matches_passes_its_hint(pattern, needed, data):
    matching = data.draw(st.from_regex(pattern))
    text = data.draw(AROUND) + matching + data.draw(AROUND)
    if pattern.search(text):
        assert Words(text).may_hold(needed)


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("See the Index.", True),
        ("Indexes, indexing", False),
        ("see the ındex", True),  # ignoring case, a dotless i is an i
        ("上面的报告", True),
        ("", False),
    ],
)
def test_words_are_whole_ones_where_a_script_has_words(text, held):
    assert Words(text).may_hold(hint("index 报告")) is held


def test_a_word_of_every_group_is_needed():
    needed = hint("run trial", "shows proves")
    assert Words("The trial shows it").may_hold(needed)
    assert not Words("The trial ends").may_hold(needed)
