"""The table of reasons, and the page that is written from it."""

import re
from pathlib import Path

from scorers.delivery.reasons import NAMES, OTHER, REASONS, reason_of

ROOT = Path(__file__).parents[3]


def test_names_are_unique_words_that_the_ledger_keeps():
    assert len(set(NAMES)) == len(REASONS)
    assert all(re.fullmatch(r"[a-z][a-z0-9_]{2,39}", name) for name in NAMES)


def test_every_reason_says_what_it_means_and_what_to_change():
    for reason in REASONS:
        for text in (reason.meaning, reason.known_by, reason.change):
            assert len(text) > 10, reason.name


def test_every_reason_that_the_code_gives_is_in_the_table():
    """Words behind `reason`, `missing` and `cut` in the sources of assembly and of the measure."""
    given = set()
    for folder in ("collector/assembly", "scorers/delivery"):
        for path in (ROOT / folder).glob("*.py"):
            text = path.read_text()
            given |= set(re.findall(r'^(?:PREVIEW|LENGTH|COUNT) = "([a-z_]+)"', text, re.MULTILINE))
            given |= set(
                re.findall(r'(?:delivered_missing|produced_missing)=.{0,40}"([a-z_]+)"', text)
            )
            if path.name in ("capture.py", "masks.py") and "scorers" in str(path):
                given |= set(re.findall(r'"((?:produced|delivered)_[a-z_]+)"', text))
    for path in (ROOT / "collector").rglob("*.py"):
        given |= set(re.findall(r'hidden ?= ?"([a-z_]+)"', path.read_text()))
        given |= set(re.findall(r'hidden="[a-z_]+" if .{1,40} else "([a-z_]+)"', path.read_text()))
    assert {"content_off", "redacted", "uploaded", "processed", "rebuilt"} <= given
    assert {name for name in given if reason_of(name).name == OTHER} == set()


def test_words_behind_a_reason_change_nothing():
    for told, name in (
        ("no_tool_result", "not_recorded"),
        ("turn_too_large", "trace_incomplete"),
        ("closed_at_shutdown", "trace_incomplete"),
        ("redacted", "redacted"),
        (None, OTHER),
        ("", OTHER),
        ("x" * 100, OTHER),
    ):
        assert reason_of(told).name == name
