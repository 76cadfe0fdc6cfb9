"""Every known marker is found in its example, and unknown ones by what they say."""

import re

import pytest

from scorers.markers import LOSS_STAGES, note, sightings, table, unit

STAGES = ("deliver", "retain", "act", "transfer", "persist", "observe")


@pytest.mark.parametrize("marker", table(), ids=lambda marker: marker.needle)
def test_example_is_found(marker):
    assert marker.needle in marker.example
    assert marker.pattern.search(marker.example)
    found = sightings(marker.example, (marker.stage,))
    assert any(one.marker is marker for one in found)


def test_table_is_well_formed():
    kinds = {"cut", "pointer", "page", "line_clip", "leaf", "row_limit", "reject", "mask", "evict"}
    kinds |= {"summary", "synopsis", "source", "budget", "capture", "redaction"}
    groups = {"removed", "total", "kept", "unit", "path", "from"}
    for marker in table():
        assert marker.kind in kinds
        assert marker.stage in STAGES
        assert set(marker.pattern.groupindex) <= groups


def test_sizes_and_paths_are_read():
    (one,) = sightings("head... [3,633 characters omitted] ...tail")
    assert (one.removed, one.unit) == (3633, "characters")
    (one,) = sightings(
        "The response returned from the tool call was larger (4713 characters) and "
        "is stored in the file which you can use other tools to examine: /tmp/r.txt"
    )
    assert (one.total, one.path) == (4713, "/tmp/r.txt")


def test_markers_of_other_stages_are_left_out():
    assert sightings("Max turns (10) exceeded") == ()
    assert sightings("Max turns (10) exceeded", ("act",))
    assert LOSS_STAGES == ("deliver", "retain")


def test_a_placeholder_counts_only_alone():
    assert sightings("[cleared]")
    assert not sightings("the cache was [cleared] at noon")


def test_the_longer_of_two_markers_in_one_place():
    text = (
        "<<<TRUNCATED>>>\n<system-reminder>The remaining content has been omitted</system-reminder>"
    )
    (one,) = sightings(text)
    assert (one.start, one.end) == (0, len(text))


@pytest.mark.parametrize(
    "text",
    [
        "[... 120 more lines]",
        "(output shortened)",
        "<snip 4000 chars>",
        "Showing 1-20 of 940",
        "[… Ausgabe gekürzt]",
        "（输出过长，已截断）",
        "出力が省略されました",
        "вывод обрезан",
        "[résultat tronqué]",
        "출력이 생략됨",
        "Result stored as artifact art_9",
    ],
)
def test_unknown_notes_in_many_languages(text):
    assert note(text)


@pytest.mark.parametrize(
    "text", ["", "...", "exit code 0", "<output>", "Observation:", "URL: https://x.test"]
)
def test_envelopes_are_no_notes(text):
    assert not note(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2973 characters were elided", "chars"),
        ("12 more lines", "lines"),
        ("[... 1,540 bytes ...]", "bytes"),
        ("248 tokens truncated", "tokens"),
        ("45.2KB left out", "bytes"),
        ("2011 Zeichen ausgelassen", "chars"),
        ("已截断 300 字符", "chars"),
        ("still running", None),
    ],
)
def test_unit_of_a_note(text, expected):
    assert unit(text) == expected


def test_patterns_stay_near_their_needle():
    text = "x" * 100_000 + "...[truncated 5 chars]..." + "y" * 100_000
    (one,) = sightings(text)
    assert one.removed == 5
    assert re.escape(one.marker.needle)
