"""What counts as a name of something, and what everybody knows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorers.identifiers import identifiers, shape_of


@pytest.mark.parametrize("token", ["PB-20", "W04", "JG7FMM", "SIM-138", "EX-N1", "GS-06.5", "P001"])
def test_codes(token):
    assert shape_of(token) == "code"


@pytest.mark.parametrize("token", ["txn_narrow", "credit_card_98", "f256/hyb/40/ce_s/raw"])
def test_keys(token):
    assert shape_of(token) == "key"


@pytest.mark.parametrize("token", ["TOST", "CACE", "mSPRT", "TC40s"])
def test_abbreviations(token):
    assert shape_of(token) == "abbreviation"


@pytest.mark.parametrize(
    "token",
    ["word", "Word", "42", "2024-05-24", "Q3", "FY28", "HTML5", "GPT-4", "3D", "10K", "24.4K", "F1",
     "AGPL-3.0", "CC0-1.0", "COVID-19", "and/or", "CI/CD"],
)  # fmt: skip
def test_ordinary(token):
    assert shape_of(token) is None


@pytest.mark.parametrize(
    "text", ["see report_v2.pdf", "in src/app/main_view.py", "at /var/W04/x", "mail me@PB-20.org"]
)
def test_file_names_paths_and_addresses_are_no_names(text):
    assert list(identifiers(text)) == []


def test_offsets_and_families():
    text = "Runs NL-121、NL-118 and W04."
    found = list(identifiers(text))
    assert [text[name.start : name.end] for name in found] == ["NL-121", "NL-118", "W04"]
    assert [name.family for name in found] == ["NL-", "NL-", "W"]


@given(st.text(max_size=400))
def test_offsets_hold_for_any_text(text):
    for name in identifiers(text):
        assert text[name.start : name.end] == name.text
