"""Formats, fields and rows of produced texts, and the texts a message may carry."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorers.payload import views
from scorers.payload.json_text import MISSING, canonical, read
from scorers.payload.shape import shape
from scorers.payload.skeleton import skeleton

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=15,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "text"),
        ("  \n ", "text"),
        ('{"a": 1}', "json"),
        ("[]", "json"),
        ('{"a":1}\n{"a":2}', "jsonl"),
        ("id,name\n1,a\n2,b", "csv"),
        ("id\tname\n1\ta", "csv"),
        ("<!doctype html>\n<html><body><p>x</p></body></html>", "html"),
        ("Traceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 'x'", "traceback"),
        (
            "Error: navigation failed, net::ERR_NAME_NOT_RESOLVED at https://example.test/",
            "traceback",
        ),
        ("diff --git a/x b/x\n@@ -1 +1 @@\n-a\n+b", "diff"),
        ("ABQ2ZqTw" * 20, "base64"),
        ("./a/b.py\n./a/c.py\n./d.ts", "listing"),
        ("2026-11-30 08:10:00,000 INFO started\n2026-11-30 08:10:01,000 INFO done", "log"),
        ("def f(x):\n    return x\n", "code"),
        ('{"a": 1, "b": [1, 2', "text"),
        (" id | n\n----+---\n  1 | a\n  2 | b", "table"),
        ("The reservoir was commissioned in 1974. It drew its water from three rivers.", "prose"),
    ],
)
def test_format(text, expected):
    assert shape(text).format == expected


def test_fields_are_located_from_key_to_value():
    text = '{ "a" : [1, 2],\n "b":"x\\"y", "c": null}'
    (record,) = shape(text).layout.records
    assert {name: text[a:b] for name, (a, b) in record.items()} == {
        "a": '"a" : [1, 2]',
        "b": '"b":"x\\"y"',
        "c": '"c": null',
    }


def test_rows_of_an_object_are_its_largest_list_of_objects():
    value = {"few": [{"x": 1}], "rows": [{"id": n} for n in range(3)], "numbers": [1, 2, 3, 4]}
    text = json.dumps(value)
    found = shape(text).layout
    assert found.main == "rows"
    assert [text[a:b] for a, b in found.rows] == ['{"id": 0}', '{"id": 1}', '{"id": 2}']


def test_nested_rows():
    text = json.dumps({"data": {"page": 1, "items": [{"id": 1}, {"id": 2}]}})
    assert len(shape(text).layout.rows) == 2


def test_rows_have_no_meaning_in_prose_and_scalars():
    assert shape('{"a": 1}').layout.rows is None
    assert shape("One sentence. Another sentence follows it here, and ends.").layout.rows is None


def test_csv_fields_and_header():
    text = 'id,"full name"\n1,"Doe, Jane"\n2,Bo'
    found = shape(text).layout
    assert found.names() == ["id", "full name"]
    assert [text[slice(*record["full name"])] for record in found.records] == ['"Doe, Jane"', "Bo"]
    assert len(found.rows) == 2


@settings(deadline=None)  # a busy machine is no failure
@given(VALUES)
def test_every_json_document_is_laid_out_within_its_text(value):
    text = json.dumps({"top": value, "end": 1}, indent=1)
    found = shape(text)
    assert found.format == "json"
    for record in found.layout.records:
        for name, (start, end) in record.items():
            assert json.loads("{" + text[start:end] + "}").keys() == {name}


@pytest.mark.parametrize("text", ["{", "[" * 100_000, '{"a": tru', "nul", "1 2", "\ud800"])
def test_what_is_not_json_is_missing(text):
    assert read(text) is MISSING


def test_numbers_no_machine_can_hold():
    assert read("[" + "9" * 100_000 + "]") is not MISSING
    assert read("[NaN, Infinity]") == read("[ NaN,Infinity ]")
    assert read("12345678901234567890") != read("12345678901234567000")


def test_canonical_ignores_key_order():
    assert canonical({"b": 1, "a": [2]}) == canonical({"a": [2], "b": 1})


@pytest.mark.parametrize(
    "message",
    [
        json.dumps([{"type": "text", "text": "the whole output of the tool, in one block"}]),
        json.dumps(
            {"content": [{"type": "text", "text": "the whole output of the tool, in one block"}]}
        ),
        json.dumps({"stdout": "the whole output of the tool, in one block", "exit_code": 0}),
        json.dumps(json.dumps(json.dumps("the whole output of the tool, in one block"))),
        "[TextContent(type='text', text='the whole output of the tool, in one block', meta=None)]",
        "```text\nthe whole output of the tool, in one block\n```",
        "\x1b[32mthe whole output \x1b[0mof the tool, in one block",
    ],
)
def test_texts_inside_messages(message):
    assert "the whole output of the tool, in one block" in {
        view.text for view in views.texts(message)
    }


def test_line_numbers_are_taken_off_only_where_they_count_up():
    assert views.without_numbers("     1\ta\n     2\tb") == "a\nb"
    assert views.without_numbers("1 | a\n2 | b") == "a\nb"
    assert views.without_numbers("12: noon\n18: evening") is None


def test_skeleton_is_the_same_at_every_level_of_encoding():
    text = '{"k": "Møller & Søn", "t": "a\\nb", "ok": true}'
    for other in (
        json.dumps(text),
        json.dumps(json.dumps(text)),
        json.dumps(json.loads(text), indent=2),
    ):
        assert skeleton(other).text == skeleton(text).text
    assert skeleton(repr(json.loads(text))).text == skeleton(text).text


@settings(deadline=None)  # a busy machine is no failure
@given(st.text(max_size=200))
def test_skeleton_leads_back_to_the_original(text):
    made = skeleton(text)
    for at, char in enumerate(made.text):
        start, end = made.origin(at, at + 1)
        assert 0 <= start < end <= len(text)
        if end - start == 1:
            # Python's True, False and None read like JSON's.
            assert text[start] == char or char in "nultruefals"


def test_visible_text_of_a_page():
    page = "<html><script>if (a<b) {}</script><!-- x --><p>5 &lt; 6</p><b>end"
    assert views.visible(page).split() == ["5", "<", "6", "end"]
    assert views.visible("<" * 100_000) == ""
