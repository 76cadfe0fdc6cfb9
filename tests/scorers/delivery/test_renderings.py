"""Nothing is lost when a result is only written another way, and what is cut shows in any form."""

import json
import unicodedata

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from scorers.measures.delivery import State, compare

VALUE = {
    "trace_id": "trc-9f31c2",
    "ok": True,
    "ratio": 12.0,
    "missing": None,
    "rows": [
        {"pid": 1, "comm": "nginx", "note": "a b"},
        {"pid": 20_000, "comm": "red's", "note": ""},
    ],
    "text": 'line 1\nline 2 "quoted" Ünï 日本 🐟',
}
TEXT = json.dumps(VALUE, ensure_ascii=False)
ROWS = [{"id": n, "name": f"row {n}", "half": n / 2} for n in range(12)]
CSV = "id,name,half\n" + "\n".join(f"{r['id']},{r['name']},{r['half']}" for r in ROWS)
LOG = "\n".join(f"2026-11-30 08:{n:02}:00 INFO job {n} finished in {n * 37} ms" for n in range(50))


def xml(value, tag="root"):
    if isinstance(value, dict):
        return f"<{tag}>" + "".join(xml(one, key) for key, one in value.items()) + f"</{tag}>"
    if isinstance(value, list):
        return "".join(xml(one, tag) for one in value)
    text = "" if value is None else str(value).replace("&", "&amp;").replace('"', "&quot;")
    return f"<{tag}>{text}</{tag}>"


def table(rows):
    names = list(rows[0])
    lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
    return "\n".join(lines + ["| " + " | ".join(str(r[n]) for n in names) + " |" for r in rows])


FORMS = {
    "indent": json.dumps(VALUE, indent=4),
    "compact": json.dumps(VALUE, separators=(",", ":"), ensure_ascii=False),
    "sorted": json.dumps(VALUE, sort_keys=True),
    "twice encoded": json.dumps(json.dumps(VALUE)),
    "four times encoded": json.dumps(json.dumps(json.dumps(TEXT))),
    "python": str(VALUE),
    "yaml": yaml.safe_dump(VALUE, allow_unicode=True),
    "yaml in order": yaml.safe_dump(VALUE, sort_keys=False, allow_unicode=True),
    "xml": xml(VALUE),
    "key=value": "\n".join(f"{key}={value}" for key, value in VALUE.items()),
    "bullets": "\n".join(f"- **{key}**: {value}" for key, value in VALUE.items()),
    "dataclass": "Result(" + ", ".join(f"{key}={value!r}" for key, value in VALUE.items()) + ")",
    "mcp": json.dumps([{"type": "text", "text": TEXT}]),
    "mcp result": json.dumps({"content": [{"type": "text", "text": TEXT}], "isError": False}),
    "vercel": json.dumps({"type": "json", "value": VALUE}),
    "tool message": json.dumps({"role": "tool", "tool_call_id": "c", "content": TEXT}),
    "content object": f"[TextContent(type='text', text={TEXT!r}, annotations=None)]",
    "fence": f"```json\n{TEXT}\n```",
    "tag": f'<tool_result name="x">\n{TEXT}\n</tool_result>',
    "reminder": TEXT + "\n\n<system-reminder>Keep the plan up to date.</system-reminder>",
    "decomposed": unicodedata.normalize("NFD", TEXT),
}


@pytest.mark.parametrize("form", FORMS)
def test_another_form_is_no_loss(form):
    pair = compare(TEXT, FORMS[form])
    assert (pair.state, pair.strategy, pair.broken) == (State.intact, None, False)
    assert pair.kept_characters == len(TEXT)
    assert set(pair.fields.values()) == {(1, 1)}
    assert pair.rows == (2, 2)


@pytest.mark.parametrize("form", ["vercel", "tool message", "mcp", "mcp result", "twice encoded"])
def test_a_wrapper_taken_off_is_no_loss(form):
    assert compare(FORMS[form], TEXT).state == State.intact


@pytest.mark.parametrize(
    "delivered",
    [
        table(ROWS),
        json.dumps(ROWS),
        "\n".join(map(json.dumps, ROWS)),
        CSV.replace(",", "\t"),
        "rows[12]{id,name,half}:\n" + CSV.split("\n", 1)[1].replace("\n", "\n  "),
    ],
    ids=["table", "json", "json lines", "tabs", "toon"],
)
def test_records_as_another_kind_of_table(delivered):
    for produced in (CSV, json.dumps(ROWS), "\n".join(map(json.dumps, ROWS))):
        pair = compare(produced, delivered)
        assert pair.state == State.intact
        assert pair.rows == (12, 12)


@pytest.mark.parametrize(
    "delivered",
    [
        "\r\n".join(LOG.splitlines()),
        "\n".join(f"{n:6}\t{line}" for n, line in enumerate(LOG.splitlines(), 1)),
        "\n".join(f"{n} | {line}" for n, line in enumerate(LOG.splitlines(), 1)),
        "\n".join(f"\x1b[32m{line}\x1b[0m" for line in LOG.splitlines()),
        f"<returncode>0</returncode>\n<output>\n{LOG}</output>",
        json.dumps({"stdout": LOG, "exit_code": 0}),
    ],
)
def test_lines_in_another_dress(delivered):
    assert compare(LOG, delivered).state == State.intact


@pytest.mark.parametrize(
    ("produced", "delivered"),
    [
        ('{"t": "2026-11-30T08:00:00+00:00"}', '{"t": "2026-11-30T08:00:00Z"}'),
        ('{"a": 1.0, "b": 1e3}', '{"a": 1, "b": 1000}'),
        ("null", "None"),
        ("true", "True"),
        ('"abc"', "abc"),
        ("42", "The answer is 42."),
        ("[]", "No results."),
    ],
)
def test_spellings_of_scalars(produced, delivered):
    assert compare(produced, delivered).state == State.intact


@pytest.mark.parametrize(
    ("produced", "delivered"),
    [
        ("1", "12"),
        ("ok", "token"),
        ('{"n": 12345678901234567890}', '{"n": 12345678901234567000}'),
        ('{"a": 1, "b": 2}', '{"a": 1}'),
        ('{"name": "collector", "pid": 4312}', '{"name": "collector", "pid": 431'),
    ],
)
def test_small_losses_are_losses(produced, delivered):
    assert compare(produced, delivered).state == State.cut


def test_a_field_is_delivered_only_with_its_whole_value():
    value = {"id": 7, "log": "x" * 50 + "the error is here" + "y" * 50, "code": 2}
    clipped = {**value, "log": "x" * 50 + "... [truncated]"}
    pair = compare(json.dumps(value), json.dumps(clipped))
    assert dict(pair.fields) == {"id": (1, 1), "log": (0, 1), "code": (1, 1)}
    assert (pair.strategy, pair.broken) == ("string_leaf_clip", False)


def test_rows_left_out_of_reserialised_records():
    pair = compare(json.dumps(ROWS), json.dumps(ROWS[:5], indent=2))
    assert (pair.strategy, pair.rows, pair.broken) == ("row_aware", (5, 12), False)
    assert dict(pair.fields) == {"id": (5, 12), "name": (5, 12), "half": (5, 12)}


def test_columns_without_their_header_are_not_delivered():
    pair = compare(CSV, "[showing last 4 rows]\n" + "\n".join(CSV.splitlines()[-4:]))
    assert pair.rows == (4, 12)
    assert {delivered for delivered, _ in pair.fields.values()} == {0}


@settings(deadline=None)  # a busy machine is no failure
@given(
    st.dictionaries(
        st.text(min_size=1, max_size=8),
        st.none() | st.booleans() | st.integers() | st.text(max_size=30) | st.lists(st.integers()),
        max_size=6,
    ),
    st.sampled_from([None, 2]),
    st.booleans(),
)
def test_reserialising_any_object_loses_nothing(value, indent, ascii_only):
    delivered = json.dumps(value, indent=indent, ensure_ascii=ascii_only, sort_keys=True)
    assert compare(json.dumps(value), delivered).state == State.intact


STDOUT = "line one of the output\nline two of the output"
SHELL = json.dumps({"stdout": STDOUT, "stderr": "", "exit_code": 0})


def test_one_member_of_an_object_delivered_alone():
    pair = compare(SHELL, STDOUT)
    assert (pair.state, pair.strategy, pair.silent) == (State.cut, "channel_drop", True)
    assert dict(pair.fields) == {"stdout": (1, 1), "stderr": (1, 1), "exit_code": (0, 1)}


def test_members_told_in_words_are_no_loss():
    assert compare(SHELL, f"Exit code: 0\nStdout:\n{STDOUT}").state == State.intact


def test_the_structured_content_of_an_mcp_result_that_only_repeats_its_text():
    value = {"imported": 3, "failed": 1}
    blocks = [{"type": "text", "text": json.dumps(value)}]
    produced = json.dumps({"content": blocks, "structuredContent": value})
    assert compare(produced, json.dumps(value)).state == State.intact
    blocks[0]["text"] = "Imported 3 of 4 files. b.csv failed: bad header in column 7."
    produced = json.dumps({"content": blocks, "structuredContent": value})
    pair = compare(produced, json.dumps(value))
    assert (pair.strategy, dict(pair.fields)) == (
        "channel_drop",
        {"content": (0, 1), "structuredContent": (1, 1)},
    )
    pair = compare(produced, blocks[0]["text"])
    assert (pair.strategy, pair.fields["structuredContent"]) == ("channel_drop", (0, 1))


@pytest.mark.parametrize("number", ["{}. ", "[{}] ", "L{}: ", "{}: "])
def test_numbered_lines_are_whole_even_where_a_line_is_blank(number):
    produced = "a first line\n\nsecond line here\nthird line"
    lines = [number.format(at) + line for at, line in enumerate(produced.split("\n"), 1)]
    pair = compare(produced, "\n".join(line.rstrip() for line in lines))
    assert (pair.state, pair.kept_characters) == (State.intact, len(produced))


def test_a_result_that_is_a_numbered_list_is_cut_where_it_ends():
    produced = "\n".join(f"{at}. entry {chr(96 + at) * at}" for at in range(1, 12))
    pair = compare(produced, produced[:80])
    assert (pair.state, pair.strategy, pair.kept_characters) == (State.cut, "prefix_slice", 80)


def test_yaml_with_escapes_of_two_digits():
    value = {"name": "José Peña", "n": 3}
    assert compare(json.dumps(value), yaml.safe_dump(value)).state == State.intact


@pytest.mark.parametrize(("produced", "end"), [("hello world", "hello"), ("1234567890", "12345")])
def test_the_opening_of_a_short_text(produced, end):
    pair = compare(produced, end)
    assert (pair.strategy, pair.kept_characters) == ("prefix_slice", len(end))
