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

_TOKENS = re.compile(rf"{STRING}|[\[\](){{}}'\"]", re.DOTALL)
# What the end of a text leaves half: an escape, or a name whose value did not come.
_HALF_ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|N[^}]{0,40})?\Z")
_HALF_ITEM = re.compile(r"[,\s]*(?:\w+=|'[^'\n]{0,80}'\s*:)?[^\s,='\"\[({:]*\s*\Z")
_HALF = 200  # characters in which such an end is looked for
_CLOSING = {"[": "]", "(": ")", "{": "}"}

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


def closed(value: str) -> str | None:
    """Return a repr whose end is missing with what closes it, None where nothing is missing."""
    waiting: list[str] = []
    for match in _TOKENS.finditer(value):
        token = match[0]
        if token in _CLOSING:
            waiting.append(_CLOSING[token])
        elif token in ("'", '"'):  # a text without an end
            kept = value[: _whole_escapes(value, match.end())]
            return kept + token + "".join(reversed(waiting))
        elif waiting and token == waiting[-1]:
            waiting.pop()
    if not waiting:
        return None
    half = _HALF_ITEM.search(value, max(len(value) - _HALF, 0))
    return (value[: half.start()] if half else value) + "".join(reversed(waiting))


def _whole_escapes(value: str, start: int) -> int:
    """Return where a text that begins at `start` ends without the half of an escape."""
    half = _HALF_ESCAPE.search(value, max(start, len(value) - 48))
    if not half:
        return len(value)
    before = value[start : half.start()]
    odd = (len(before) - len(before.rstrip("\\"))) % 2
    return len(value) if odd else half.start()


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
