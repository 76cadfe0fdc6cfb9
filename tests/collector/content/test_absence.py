"""Why there is no content that can be read."""

import pytest

from collector.content import why_missing


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "content_off"),
        ("", "content_off"),
        ("{}", "content_off"),
        ("[]", "content_off"),
        ([], "content_off"),
        ("[REDACTED]", "redacted"),
        ("__REDACTED__", "redacted"),
        (42, "unreadable_content"),
        ("{1}", "unreadable_content"),
        ({"a": 1}, "unreadable_content"),
        ('[{"role": "us', None),  # cut by a limit
    ],
)
def test_the_reason_names_what_is_there(value, reason):
    assert why_missing({"given": value, "other": "x"}, "given", "absent") == reason
