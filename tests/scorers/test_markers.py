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


# Sizes stand in the texts: removed, total, unit.
BUILT = [
    ("[+150 lines]", (150, None, "lines")),
    ("(150 more)", None),
    ("[150 additional lines]", (150, None, "lines")),
    ("Only 50 of 200 lines displayed.", (None, 200, "lines")),
    ("(50/200 lines)", (None, 200, "lines")),
    ("Results limited to 50 lines.", (None, None, "lines")),
    ("[rest of output not included]", None),
    ("[CUT]", None),
    ("-- More --", None),
    ("Max output size reached.", None),
    ("Continue reading with offset=51.", None),
    ("(150 weitere Zeilen)", (150, None, "lines")),
    ("[quedan 150 líneas]", (150, None, "lines")),
    ("[ещё 150 строк]", (150, None, "lines")),
    ("[还有150行]", (150, None, "lines")),
    ("（仅显示前50行）", (None, None, "lines")),
    ("（以下略）", None),
    ("[150줄 더 있음]", (150, None, "lines")),
    ("[altre 150 righe omesse]", (150, None, "lines")),
    ("[mais 150 linhas]", (150, None, "lines")),
    ("... and 50 more files", (50, None, "files")),
    ("... 140 lines ...", (140, None, "lines")),
    ("[middle of the output left out]", None),
]


@pytest.mark.parametrize(("text", "sizes"), BUILT)
def test_notes_of_unknown_harnesses_are_known_by_their_build(text, sizes):
    (one,) = sightings(f"first line\nsecond line\n{text}")
    assert one.marker.kind == "cut"
    if sizes is not None:
        assert (one.removed, one.total, one.unit) == sizes


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("[compacted]", "evict"),
        ("[superseded]", "evict"),
        ("(tool output from an earlier step was dropped)", "evict"),
        ("[результат удалён]", "evict"),
        ("Full output: /var/agent/out-3.log", "pointer"),
        ("gs://bucket/run/out.log (14 KB)", "pointer"),
        ("Result stored in variable `df_1`.", "pointer"),
        ('{"error":"response_too_large","limit":8000}', "reject"),
        ("Fehler: Ausgabe zu groß (14120 Zeichen)", "reject"),
        ('{"rows":[1,2],"truncated":true}', "row_limit"),
        ('{"rows":[1,2],"_truncated": "4 of 6 rows omitted"}', "row_limit"),
    ],
)
def test_kinds_of_unknown_notes(text, kind):
    assert [one.marker.kind for one in sightings(text)] == [kind]


@pytest.mark.parametrize(
    "text",
    [
        "Most pods started normally, but several evictions were removed from the schedule.",
        "Some probes exceeded their limit, too many failures on node 2.",
        "Nothing unusual was hidden in the log.",
        "Output stored metrics look fine; nothing saved to disk failed.",
        "Process exited with code 0",
        "12 of 30 tests passed",
        "(150 rows)",
        "[12/30] Building main.o",
        "collected 20 items",
        "3 more items in stock",
        "only 3 items in stock",
        "## More",
        '["SIM-117", "L as G, AI in top plan", 8000, 3, "seat/3/10.5/top"],',
        "[1, 2, 3]",
    ],
)
def test_prose_and_data_are_no_notes(text):
    assert not note(text)
    assert sightings(f"a\n{text}\nb") == ()


def test_the_line_before_a_note_stays_with_its_text():
    text = "12:00 pulled image<clipped 300 chars>"
    assert sightings(text) == ()
    assert note("<clipped 300 chars>")
