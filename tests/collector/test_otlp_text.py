"""Halves of surrogate pairs, in texts and in JSON within texts."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector.text import from_utf8, valid, without_half_escapes


@pytest.mark.parametrize(
    ("inner", "meant"),
    [
        (r"\ud83e", r"\ufffd"),
        (r"\udd16", r"\ufffd"),
        (r"\ud83e\udd16", r"\ud83e\udd16"),
        (r"\uD83E\uDD16\uD83E", r"\uD83E\uDD16\ufffd"),
        (r"\ud83e\ud83e\udd16", r"\ufffd\ud83e\udd16"),
        (r"\udd16\ud83e", r"\ufffd\ufffd"),
        (r"\\ud83e", r"\\ud83e"),
        (r"\\\ud83e", r"\\\ufffd"),
        (r"\\ud83e\udd16", r"\\ud83e\ufffd"),
        (r"\ud83e\\udd16", r"\ufffd\\udd16"),
        (r"\u00e9\n\"", r"\u00e9\n\""),
        (r"\ud83", r"\ud83"),
    ],
)
def test_halves_in_json_within_a_text(inner, meant):
    assert without_half_escapes(f'["{inner}"]') == f'["{meant}"]'


PIECES = ["\\", "\\\\", "u", "\\ud83e", "\\udd16", "\\u00e9", "x", "ud83e", "\\n", "udd16"]


@given(st.lists(st.sampled_from(PIECES), max_size=12))
def test_whatever_parses_has_no_half_left_and_nothing_else_changed(pieces):
    text = '["' + "".join(pieces) + '"]'
    found = without_half_escapes(text)
    try:
        before = json.loads(text)[0]
    except ValueError:
        return
    after = json.loads(found)[0]
    after.encode()
    whole = before.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert after.replace("\ufffd", "") == whole.replace("\ufffd", "")


def test_a_text_that_is_no_json_is_left_alone():
    assert without_half_escapes(r"the escape \ud83e") == r"the escape \ud83e"


def test_ten_million_backslashes_take_linear_time():
    """pytest's timeout is the assertion: with one step a pair of them this takes for ever."""
    text = '{"\\ud83e' + "\\" * 10_000_000
    assert len(without_half_escapes(text)) == len(text)


def test_raw_halves():
    assert valid("a\ud83eb") == "a\ufffdb"
    assert from_utf8("é".encode()[:1] + b"a") == "\ufffda"
