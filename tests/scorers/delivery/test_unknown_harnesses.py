"""Cuts by harnesses that no table knows: told by the shape of what is left."""

import json

import pytest

from scorers.measures.delivery import State, compare

LOG = "\n".join(
    f"2026-11-30 08:{n // 60:02}:{n % 60:02} worker-{n % 7} batch={n * 113} took={n * 29 % 331}ms"
    for n in range(120)
)
ROWS = [{"name": f"checkout-{n:02}", "phase": "Running", "age_s": 86_400 + n} for n in range(30)]
POINTS = json.dumps(ROWS)
CASES = [
    ("[… Ausgabe gekürzt, {removed} Zeichen ausgelassen]", True),
    ("（输出过长，已截断 {removed} 字符）", True),
    ("<clipped {removed} chars>", True),
    ("", False),
]


@pytest.mark.parametrize(("note", "marked"), CASES)
@pytest.mark.parametrize("text", [LOG, POINTS], ids=["log", "json"])
@pytest.mark.parametrize("size", [777, 1501])
def test_prefix(text, note, marked, size):
    delivered = text[:size] + note.format(removed=len(text) - size)
    pair = compare(text, delivered)
    assert (pair.state, pair.strategy) == (State.cut, "prefix_slice")
    assert (pair.marker, pair.silent) == (marked, not marked)
    assert pair.kept_characters == size


@pytest.mark.parametrize("note", ["\n[{n} characters hidden]\n", "<snip {n} chars>", "......"])
@pytest.mark.parametrize("text", [LOG, POINTS], ids=["log", "json"])
def test_head_and_tail(text, note):
    head, tail = 903, 611
    pair = compare(text, text[:head] + note.format(n=len(text) - head - tail) + text[-tail:])
    assert pair.strategy == "head_tail_chars"
    assert pair.marker == ("{n}" in note)
    assert pair.kept_characters == head + tail


def test_units_that_the_note_or_the_text_tells():
    japanese = "調査の結果、貯水池の堆積物は四十センチの深さで性質が変わる。" * 40
    raw = japanese.encode()
    delivered = raw[:700].decode("utf-8", "replace") + raw[-700:].decode("utf-8", "replace")
    assert compare(japanese, delivered).strategy == "head_tail_bytes"
    tokens = compare(LOG, LOG[:903] + "[248 tokens left out here, output too long]" + LOG[-611:])
    assert tokens.strategy == "head_tail_tokens"


def test_lines():
    lines = LOG.splitlines()
    head = compare(LOG, "\n".join(lines[:20]) + "\n... (100 more lines)")
    assert (head.strategy, head.rows) == ("line_prefix", (20, 120))
    tail = compare(LOG, "[showing last 20 lines]\n" + "\n".join(lines[-20:]))
    assert (tail.strategy, tail.rows) == ("line_suffix", (20, 120))
    both = compare(LOG, "\n".join([*lines[:9], "--- 100 lines hidden ---", *lines[-11:]]))
    assert (both.strategy, both.rows) == ("head_tail_lines", (20, 120))
    clipped = compare(LOG, "\n".join(line[:40] + "…" for line in lines))
    assert (clipped.strategy, clipped.rows) == ("long_line_clip", (0, 120))
    page = compare(LOG, "\n".join(lines[40:60]))
    assert (page.strategy, page.rows, page.silent) == ("page", (20, 120), True)


@pytest.mark.parametrize(
    ("delivered", "strategy"),
    [
        ("[tool output pruned to save context]", "evict_placeholder"),
        ("<content removed: stale tool result>", "evict_placeholder"),
        ("Error: output is too large (812345 characters), narrow your query.", "reject_error"),
        ("Full result (45 KB) written to /tmp/results/run_17.json", "spill_pointer"),
        ("The pods are mostly healthy, a few restarted during the night.", "summarise_model"),
    ],
)
def test_nothing_left(delivered, strategy):
    pair = compare(POINTS, delivered)
    assert (pair.strategy, pair.kept_characters, pair.broken) == (strategy, 0, True)
    assert pair.state == (State.spilled if strategy == "spill_pointer" else State.cut)


def test_structures():
    assert compare(POINTS, json.dumps(ROWS[:7])).strategy == "row_aware"
    fewer = [{"name": row["name"]} for row in ROWS]
    assert compare(POINTS, json.dumps(fewer)).strategy == "structure_aware"
    hidden = [{**row, "name": "[REDACTED]"} for row in ROWS]
    assert compare(POINTS, json.dumps(hidden)).strategy == "redact"
    synopsis = "JSON array of objects, keys: name (text), phase (text), age_s (number). " * 2
    assert compare(POINTS, synopsis).strategy == "synopsis"


def test_masked_values_in_prose():
    text = "user ana@example.test called 555-1234 about invoice 991 and paid it in full yesterday"
    masked = text.replace("ana@example.test", "[EMAIL]").replace("555-1234", "[PHONE]")
    assert compare(text, masked).strategy == "redact"


def test_a_cut_inside_an_envelope_and_an_encoding():
    for delivered in (
        json.dumps({"status": "ok", "output": POINTS[:700] + "[output clipped]"}),
        json.dumps([{"type": "text", "text": POINTS[:700] + "[output clipped]"}]),
        json.dumps(POINTS)[:800] + "... [truncated by proxy]",
        json.dumps(ROWS, indent=2)[:900] + "... (output shortened)",
        str(ROWS)[:700] + " [output shortened]",
    ):
        pair = compare(POINTS, delivered)
        assert (pair.strategy, pair.marker, pair.broken) == ("prefix_slice", True, True)
        assert 500 < pair.kept_characters < 800


def test_a_marker_that_the_tool_wrote_itself_does_not_count():
    text = "commit 3f2a\n    keep the ...[truncated 120 chars]... marker stable\n" + LOG
    assert compare(text, text).marker is False
    assert compare(text, text[:900]).silent
