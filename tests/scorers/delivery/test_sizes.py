"""Sizes that telemetry states, beginnings that it records, and masks on one side."""

import pytest

from scorers.delivery.pair import State
from scorers.delivery.result import deliver
from scorers.turn import ToolResult

TEXT = "\n".join(f"2026-11-30 job {n} took {n * 37} ms on host {n % 7}" for n in range(120))


def judged(**known):
    values = {"tool": "bash", "call_id": "c", "calls_after": 1, "dialect": "claude_code"}
    return deliver(ToolResult(**(values | known)))


@pytest.mark.parametrize(
    ("known", "produced", "delivered"),
    [
        # The size stands for a text that is not recorded.
        ({"delivered": TEXT, "produced_size": 91_700}, 91_700, len(TEXT)),
        # Both sizes, and no text (gemini_cli.tool_output_truncated).
        ({"produced_size": 91_700, "delivered_size": 40_261, "delivered_missing": "x"},
         91_700, 40_261),
        # The delivered size alone, beside what was produced.
        ({"produced": TEXT, "delivered_size": 500, "delivered_missing": "input_not_recorded"},
         len(TEXT), 500),
        # A preview of what was produced, and its size.
        ({"produced": TEXT[:2000], "produced_cut": "telemetry_preview", "produced_size": 91_700,
          "delivered": TEXT[:2500]}, 91_700, 2_500),
    ],
)  # fmt: skip
def test_less_delivered_than_was_produced_is_a_floor(known, produced, delivered):
    pair = judged(**known)
    assert pair.state == State.lower_bound
    assert (pair.produced_characters, pair.delivered_characters) == (produced, delivered)
    assert (pair.kept_characters, pair.fields, pair.rows) == (None, None, None)
    assert f"{produced} characters were produced and at most {delivered} delivered" in pair.reason


def test_bytes_are_counted_as_bytes():
    text = "ä" * 400
    pair = judged(delivered=text, produced_size=900, size_unit="bytes")
    assert (pair.state, pair.produced_characters) == (State.lower_bound, None)
    assert "900 bytes were produced and at most 800 delivered" in pair.reason
    pair = judged(produced=text, delivered_size=300, size_unit="bytes", delivered_missing="x")
    assert (pair.state, pair.delivered_characters) == (State.lower_bound, None)


def test_a_delivered_text_of_just_the_produced_size_is_whole():
    pair = judged(delivered=TEXT, produced_size=len(TEXT))
    assert (pair.state, pair.reason) == (State.intact, None)
    assert pair.kept_characters == pair.produced_characters == len(TEXT)


@pytest.mark.parametrize(
    "known",
    [
        {"delivered": TEXT, "produced_size": len(TEXT) - 300},  # wrapped, or something else
        {"delivered": TEXT, "produced_size": len(TEXT) + 200},  # line ends counted otherwise
        {"produced_size": 500, "delivered_size": 500, "delivered_missing": "x"},
        {"delivered": TEXT, "produced_size": 900, "size_unit": "tokens"},
        {"delivered": TEXT, "produced_size": 91_700, "failed": True},
        {"delivered_size": 300, "delivered_missing": "content_off"},
    ],
)
def test_other_sizes_prove_nothing(known):
    pair = judged(**known)
    assert (pair.state, pair.kept_characters) == (State.unobservable, None)


def test_a_text_that_capture_cut_has_no_size():
    pair = judged(delivered=TEXT[:1000], capture_cut="attribute_length_limit", produced_size=5000)
    assert (pair.state, pair.produced_characters) == (State.unobservable, 5000)


def test_recorded_texts_are_compared_whatever_is_stated():
    pair = judged(produced=TEXT, delivered=TEXT, produced_size=91_700, delivered_size=3)
    assert pair.state == State.intact
    pair = judged(produced=TEXT, delivered=TEXT[:1500], produced_size=1500)
    assert (pair.state, pair.kept_characters) == (State.cut, 1500)


@pytest.mark.parametrize(
    "note", ["", "\n...[truncated 4000 chars]...", "\n[output shortened: 4,000 characters omitted]"]
)
def test_less_than_the_recorded_beginning_is_a_floor(note):
    pair = judged(
        produced=TEXT[:3000], produced_cut="attribute_length_limit", delivered=TEXT[:1500] + note
    )
    assert (pair.state, pair.kept_characters) == (State.lower_bound, None)
    assert pair.reason.startswith("attribute_length_limit; ")


@pytest.mark.parametrize(
    "delivered",
    [
        TEXT,
        TEXT[:3000],
        "The jobs took between 0 and 4403 ms.",
        TEXT.replace("2026-11-30 ", "")[:2000],
    ],
)
def test_a_beginning_proves_nothing_else(delivered):
    pair = judged(produced=TEXT[:3000], produced_cut="telemetry_preview", delivered=delivered)
    assert (pair.state, pair.reason) == (State.unobservable, "telemetry_preview")


def test_a_marker_that_states_a_size_is_a_floor_beside_a_beginning():
    marker = "\n...[truncated 4000 chars]..."
    values = {"produced": TEXT[:1500], "produced_cut": "telemetry_preview"}
    pair = judged(delivered=TEXT[:3000] + marker, **values)
    assert (pair.state, pair.marker) == (State.lower_bound, True)
    assert pair.reason == "telemetry_preview; the harness states 4000 chars removed"
    own = judged(delivered=TEXT[:200] + marker + TEXT[:3000],
                 **values | {"produced": TEXT[:200] + marker + TEXT[:1000]})  # fmt: skip
    assert own.state == State.unobservable, "the tool's own words"


def test_codex_states_tokens():
    text = (
        "Original token count: 23473\nOutput:\nWarning: truncated output "
        "(original token count: 23473)\nTotal output lines: 1\n\n" + TEXT[:1500]
    )
    pair = judged(delivered=text)
    assert (pair.state, pair.marker) == (State.lower_bound, True)
    assert "23473 tokens in all" in pair.reason
