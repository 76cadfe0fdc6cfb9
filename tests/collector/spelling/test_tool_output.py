"""A tool's output as frameworks dump their own objects."""

import json

import pytest

from collector.spelling.tool_output import result_in, tool_of


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"id": "c1", "name": "f", "response": {"result": "row 1"}}, ("row 1", "c1")),
        ({"name": "f", "response": {"rows": [1]}}, ('{"rows":[1]}', None)),
        (
            {"blocks": [{"text": "a"}, {"text": "b"}], "tool_name": "f", "raw_input": {},
             "raw_output": 7},
            ("a\nb", None),
        ),
        ({"blocks": [], "tool_name": "f", "raw_input": {}, "raw_output": "row 1"}, ("row 1", None)),
    ],
)  # fmt: skip
def test_frameworks_own(value, expected):
    assert result_in(json.dumps(value)) == expected


@pytest.mark.parametrize(
    "value", ['{"name": "ACME", "response": "paid", "owes": 5}', "row 1", '{"tool_name": "f"}', ""]
)
def test_what_a_tool_says_itself_stays(value):
    assert result_in(value) == (value, None)


def test_agnos_object_is_read_out_of_its_repr():
    told = "status='success' result='{\"a\": \\'1\\'}' error=None images=None files=None"
    assert result_in(told) == ("{\"a\": '1'}", None)
    failed = "status='failure' result=None error='no such customer' images=None"
    assert result_in(failed) == ("no such customer", None)
    for other in ("status='open' owner='Ada'", "status='", "status='open'"):
        assert result_in(other) == (other, None)


def test_a_tool_is_named_by_its_output_where_that_is_llama_indexes():
    output = {"tool_name": "look", "raw_input": {}, "raw_output": "seen", "content": "seen"}
    assert tool_of(json.dumps(json.dumps(output))) == "look"
    for other in (None, "look", '{"tool_name": "look"}', [1]):
        assert tool_of(other) is None
