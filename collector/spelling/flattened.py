"""Lists spread over attributes: `gen_ai.prompt.0.role`, `llm.input_messages.3.message.content`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# No list has more items than this; longer digit strings are no index but somebody's text.
_INDEX_DIGITS = 12

Fields = dict[str, Any]


def entries(attributes: Mapping[str, Any], prefix: str) -> list[tuple[int, Fields]]:
    """Return the items of the list under a prefix as (index, fields), lowest index first.

    Fields are named without prefix and index, in the order in which the attributes have them.
    Numbers are as sent: an SDK that dropped some leaves gaps, which are neither filled nor closed.
    Keys without an index, with a negative or an absurd one, are left out. Takes one pass.
    """
    start = f"{prefix}."
    begin = len(start)
    found: dict[int, Fields] = {}
    for key, value in attributes.items():
        if not key.startswith(start):
            continue
        digits, dot, name = key[begin:].partition(".")
        if dot and name and _is_index(digits):
            found.setdefault(int(digits), {})[name] = value
    return sorted(found.items())


def has_gap(items: list[tuple[int, Fields]]) -> bool:
    """Say whether items are missing before the last one."""
    return bool(items) and items[-1][0] != len(items) - 1


def _is_index(digits: str) -> bool:
    return len(digits) <= _INDEX_DIGITS and digits.isascii() and digits.isdigit()
