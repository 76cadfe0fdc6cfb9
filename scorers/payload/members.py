"""Where the members of JSON objects and the elements of JSON arrays stand in their text."""

from __future__ import annotations

import re
from typing import Any

from scorers.payload.json_text import canonical, read_at

Place = tuple[int, int]
_SPACE = re.compile(r"[ \t\r\n]*+")
# A member with a plain key and a plain scalar, up to the comma or brace behind it: most of all
# members, at a fifth of the time.
_MEMBER = re.compile(
    r"""(?<![ \t\r\n])[ \t\r\n]*+("([^"\\\x00-\x1f]*+)"[ \t\r\n]*+:[ \t\r\n]*+"""
    r"""(?:"[^"\\\x00-\x1f]*+"|true|false|null|-?\d{1,300}(?:\.\d{1,300})?))[ \t\r\n]*+([,}])"""
)


def members(text: str, start: int) -> dict[str, Place]:
    """Locate the members of the object at `start`, which parses: each from its key's first to
    behind its value's last character."""
    places: dict[str, Place] = {}
    at = start + 1
    while True:
        simple = _MEMBER.match(text, at)
        if simple is not None:
            places[simple[2]] = simple.span(1)
            at = simple.end()
            if simple[3] == ",":
                continue
            return places
        at = skip(text, at)
        if at >= len(text) or text[at] == "}":
            return places
        key = read_at(text, at)
        value = read_at(text, skip(text, skip(text, key[1]) + 1)) if key else None
        if key is None or value is None:
            return places
        places[str(key[0])] = (at, value[1])
        at = skip(text, value[1])
        if text.startswith(",", at):
            at += 1


def elements(text: str, start: int) -> list[Place]:
    """Locate the elements of the array at `start`, which parses."""
    places: list[Place] = []
    at = skip(text, start + 1)
    while at < len(text) and text[at] != "]":
        value = read_at(text, at)
        if value is None:
            break
        places.append((at, value[1]))
        at = skip(text, value[1])
        if text.startswith(",", at):
            at = skip(text, at + 1)
    return places


def main_list(values: dict[str, Any]) -> str | None:
    """Name the member that holds the object's rows: the list of objects with the most elements,
    the one with the most text where several have as many; else an object that has such a list."""
    best: tuple[int, int] = (0, 0)
    name = None
    for key, value in values.items():
        if _are_rows(value):
            size = (len(value), len(canonical(value[:50])) if len(value) >= best[0] else 0)
            if size > best:
                best, name = size, key
    if name is not None:
        return name
    for key, value in values.items():
        if isinstance(value, dict) and _main_list_within(value, 3):
            return key
    return None


def _main_list_within(value: dict[str, Any], depth: int) -> bool:
    return any(
        _are_rows(one)
        or (depth > 0 and isinstance(one, dict) and _main_list_within(one, depth - 1))
        for one in value.values()
    )


def _are_rows(value: Any) -> bool:
    """Say whether a value is a list of objects; the content blocks of MCP are a wrapper."""
    if not isinstance(value, list) or not value:
        return False
    if not all(isinstance(one, dict) for one in value):
        return False
    return not all(one.get("type") in ("text", "image", "audio", "resource") for one in value)


def deep_rows(text: str, place: Place, value: Any) -> list[Place]:
    """Locate the rows of the member at `place`, through nested objects."""
    at = place[0]
    for _ in range(5):
        key = read_at(text, at)
        at = skip(text, skip(text, key[1] if key else at) + 1)
        if isinstance(value, list):
            return elements(text, at)
        name = main_list(value)
        if name is None:
            return []
        at, value = members(text, at)[name][0], value[name]
    return []


def skip(text: str, at: int) -> int:
    """Return the offset of the next character that is not white space of JSON."""
    match = _SPACE.match(text, at)
    return match.end() if match else at
