"""A tool's output as frameworks dump their own objects."""

import json

import pytest

from collector.tool_output import result_in


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
