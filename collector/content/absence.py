"""Why a record has no content that can be read: it is off, redacted, or in no known form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from collector.content.capture import redacted
from collector.content.values import looks_cut

# Content is there and says nothing that could be understood: counted, and never a loss.
UNREADABLE = "unreadable_content"
OFF = "content_off"
_EMPTY = (None, "", "{}", "[]", "null")


def why_missing(attributes: Mapping[str, Any], *keys: str) -> str | None:
    """Return the reason to state where none of some attributes could be read.

    None where their end is missing: that is found elsewhere (`Capture.broken`), and has a reason
    of its own.
    """
    there = [
        value for key in keys if (value := attributes.get(key)) is not None and not _is_empty(value)
    ]
    if any(redacted(value) for value in there):
        return "redacted"
    if any(looks_cut(value) for value in there):
        return None
    return UNREADABLE if there else OFF


def _is_empty(value: Any) -> bool:
    return (isinstance(value, str) and value.strip() in _EMPTY) or value in ([], {}, ())
