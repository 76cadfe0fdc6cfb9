"""Python's repr of messages and dicts, read without running anything.

Some instrumentations write `str(message)` where others write JSON:
`content='…' name='…' tool_call_id='…'` (LangChain's messages), `{'name': 'ACME'}`.
"""

from __future__ import annotations

import ast
import re
from typing import Any

# Possessive quantifiers: one pass, whatever the text holds.
STRING = r"'[^'\\]*+(?:\\.[^'\\]*+)*+'|\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\""
_FIELD = re.compile(rf"\s*(\w++)=({STRING}|[^\s'\"\[{{(]++(?=\s|$))", re.DOTALL)
_OPENING = re.compile(r"\s*(\w++)=(?=[\[{(])")
_BRACKETS = re.compile(rf"{STRING}|[\[\](){{}}]", re.DOTALL)

# Python's own parser takes about 100 bytes per byte of text.
_LARGEST_LITERAL = 2_000_000
# LangChain's messages have about ten.
_MOST_FIELDS = 32


def literal(value: str) -> Any:
    """Return the value of a Python literal (dict, list, text, …). Raises ValueError for others."""
    if len(value) > _LARGEST_LITERAL:
        raise ValueError("the Python literal is too long to be read")
    try:
        return ast.literal_eval(value.strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        raise ValueError("not a Python literal") from None


def fields(value: str, first: str = "content") -> dict[str, Any] | None:
    """Return the fields of `content='…' name='…' …`; None where the text is not of that form.

    `first` is the name of the first field, by which the form is known. Fields after the first that
    can't be read are left out.
    """
    # A repr quotes its text: `content=5 size=10` is somebody else's.
    if not value.startswith((f"{first}='", f'{first}="', f"{first}=[")):
        return None
    found: dict[str, Any] = {}
    at = 0
    while at < len(value) and len(found) < _MOST_FIELDS:
        name, item, at = _field(value, at)
        if name is None or name in found:
            break
        found[name] = item
    return found if first in found else None


def _field(value: str, at: int) -> tuple[str | None, Any, int]:
    match = _FIELD.match(value, at)
    if match:
        return match[1], _scalar(match[2]), match.end()
    opening = _OPENING.match(value, at)
    if not opening:
        return None, None, at
    end = _closing(value, opening.end())
    if end is None:
        return None, None, at
    try:
        return opening[1], literal(value[opening.end() : end]), end
    except ValueError:
        return None, None, at


def _scalar(token: str) -> Any:
    if token[:1] not in ("'", '"'):
        return {"None": None, "True": True, "False": False}.get(token, token)
    if "\\" not in token:
        return token[1:-1]
    try:
        return literal(token)
    except ValueError:
        return token[1:-1]


def _closing(value: str, start: int) -> int | None:
    depth = 0
    for match in _BRACKETS.finditer(value, start, start + _LARGEST_LITERAL):
        if match[0] in "[({":
            depth += 1
        elif match[0] in "])}":
            depth -= 1
            if depth == 0:
                return match.end()
    return None
