"""Where the fields and rows of a produced result stand in its text."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, field
from typing import Any

from scorers.payload.json_text import canonical, read_at

Place = tuple[int, int]
# A result with more fields than this is measured by characters and rows only.
MOST_PLACES = 2_000_000
_SPACE = re.compile(r"[ \t\r\n]*")
# A member with a plain key and a plain scalar, up to the comma or brace behind it: most of all
# members, at a fifth of the time.
_MEMBER = re.compile(
    r"""[ \t\r\n]*("([^"\\\x00-\x1f]*)"[ \t\r\n]*:[ \t\r\n]*"""
    r"""(?:"([^"\\\x00-\x1f]*)"|(true|false|null|-?\d{1,300}(?:\.\d{1,300})?)))[ \t\r\n]*(?=[,}])"""
)
_WORDS = {"true": True, "false": False, "null": None}


@dataclass(slots=True)
class Layout:
    """`records`: for every record, its fields by name: from the key's first to behind the value's
    last character. `rows`: the records, the elements of an object's main list, or the non-empty
    lines, each as a range; None where rows have no meaning. `header`: for CSV, the column names.
    `values`: the parsed records, aligned with `records`; empty where there are none.
    """

    records: list[dict[str, Place]] = field(default_factory=list)
    rows: list[Place] | None = None
    header: dict[str, Place] | None = None
    values: list[dict[str, Any]] = field(default_factory=list)
    main: str | None = None

    def names(self) -> list[str]:
        """Return the field names in order of first appearance."""
        seen: dict[str, None] = {}
        for record in self.records:
            seen.update(dict.fromkeys(record))
        return list(seen)


def of_json(text: str, start: int = 0) -> Layout:
    """Lay out a JSON text that is known to parse: an object, or an array of objects."""
    start = _skip(text, start)
    if text.startswith("{", start):
        places, values, _ = _object(text, start)
        layout = Layout([places], None, None, [values])
        layout.main = _main_list(values)
        if layout.main is not None:
            layout.rows = _deep_rows(text, places[layout.main], values[layout.main])
        return layout
    if not text.startswith("[", start):
        return Layout()
    rows, values_of = _array(text, start)
    layout = Layout(rows=rows or None)
    for row, value in zip(rows, values_of, strict=True):
        if isinstance(value, dict):
            places, values, _ = _object(text, row[0])
            layout.records.append(places)
            layout.values.append(values)
    return layout


def of_json_lines(text: str) -> Layout:
    """Lay out a text whose every non-empty line is a JSON value."""
    layout = Layout(rows=[])
    for start, end in lines(text):
        assert layout.rows is not None  # noqa: S101 - set one line above; narrows the type
        layout.rows.append((start, end))
        if text.startswith("{", start):
            places, values, _ = _object(text, start)
            layout.records.append(places)
            layout.values.append(values)
    return layout


def of_csv(text: str, delimiter: str) -> Layout:
    """Lay out a delimited table with a header. Cells are located where no quoted cell spans lines;
    elsewhere only rows are."""
    found = list(lines(text))
    if not found:
        return Layout()
    header = _cells(text, *found[0], delimiter)
    names = [text[a:b].strip().strip('"').lstrip("\ufeff") for a, b in header]
    layout = Layout(rows=found[1:], header=dict(zip(names, header, strict=True)))
    for start, end in found[1:]:
        cells = _cells(text, start, end, delimiter)
        layout.records.append(dict(zip(names, cells, strict=False)))
        layout.values.append(
            {n: _cell_value(text[a:b]) for n, (a, b) in layout.records[-1].items()}
        )
    return layout


def of_lines(text: str) -> Layout:
    """Lay out a text whose rows are its non-empty lines."""
    return Layout(rows=list(lines(text)))


def lines(text: str) -> list[Place]:
    """Return the non-empty lines, without the white space around them."""
    found = []
    for match in re.finditer(r"[^\r\n]+", text):
        line = match[0]
        bare = line.strip()
        if bare:
            start = match.start() + len(line) - len(line.lstrip())
            found.append((start, start + len(bare)))
    return found


def _object(text: str, start: int) -> tuple[dict[str, Place], dict[str, Any], int]:
    """Locate the members of the object at `start`, which parses."""
    places: dict[str, Place] = {}
    values: dict[str, Any] = {}
    at = start + 1
    while True:
        simple = _MEMBER.match(text, at)
        if simple is not None:
            name = simple[2]
            places[name] = simple.span(1)
            values[name] = _scalar(simple)
            at = simple.end() + 1
            if text[at - 1] == ",":
                continue
            return places, values, at
        at = _skip(text, at)
        if at >= len(text) or text[at] == "}":
            return places, values, at + 1
        key = read_at(text, at)
        value = read_at(text, _skip(text, _skip(text, key[1]) + 1)) if key else None
        if key is None or value is None:
            return places, values, at + 1
        name = str(key[0])
        places[name] = (at, value[1])
        values[name] = value[0]
        at = _skip(text, value[1])
        if text.startswith(",", at):
            at += 1


def _scalar(member: re.Match[str]) -> Any:
    """Return the value of a member that the pattern matched."""
    text = member[3]
    if text is not None:
        return text
    word = member[4]
    if word in _WORDS:
        return _WORDS[word]
    return float(word) if "." in word else int(word)


def _array(text: str, start: int) -> tuple[list[Place], list[Any]]:
    """Locate the elements of the array at `start`, which parses."""
    places: list[Place] = []
    values: list[Any] = []
    at = _skip(text, start + 1)
    while at < len(text) and text[at] != "]":
        value = read_at(text, at)
        if value is None:
            break
        places.append((at, value[1]))
        values.append(value[0])
        at = _skip(text, value[1])
        if text.startswith(",", at):
            at = _skip(text, at + 1)
    return places, values


def _main_list(values: dict[str, Any]) -> str | None:
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


def _deep_rows(text: str, place: Place, value: Any) -> list[Place]:
    """Locate the rows of the member at `place`, through nested objects."""
    at = place[0]
    for _ in range(5):
        key = read_at(text, at)
        at = _skip(text, _skip(text, key[1] if key else at) + 1)
        if isinstance(value, list):
            return _array(text, at)[0]
        places, values, _ = _object(text, at)
        name = _main_list(values)
        if name is None:
            return []
        at, value = places[name][0], values[name]
    return []


def _cells(text: str, start: int, end: int, delimiter: str) -> list[Place]:
    """Locate the cells of one line."""
    line = text[start:end]
    if '"' not in line:
        places, at = [], start
        for cell in line.split(delimiter):
            places.append((at, at + len(cell)))
            at += len(cell) + 1
        return places
    places, at, quoted = [], start, False
    for index in range(start, end + 1):
        if index == end or (text[index] == delimiter and not quoted):
            places.append((at, index))
            at = index + 1
        elif text[index] == '"':
            quoted = not quoted
    return places


def _cell_value(text: str) -> str:
    bare = text.strip()
    if len(bare) >= 2 and bare[0] == bare[-1] == '"':
        return bare[1:-1].replace('""', '"')
    return bare


def columns(text: str, delimiter: str) -> list[int]:
    """Return the number of cells of every non-empty row of a delimited text."""
    try:
        return [len(row) for row in csv.reader(io.StringIO(text), delimiter=delimiter) if row]
    except csv.Error:
        return []


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at
