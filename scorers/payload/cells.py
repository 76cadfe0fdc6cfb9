"""The cells of delimited text: where they stand, and what they hold."""

from __future__ import annotations

import csv
import io

Place = tuple[int, int]


def cells(text: str, place: Place, delimiter: str) -> list[Place]:
    """Locate the cells of one line; delimiters between quotes belong to the cell."""
    start, end = place
    places, at, behind, quoted = [], start, start, 0
    for piece in text[start:end].split(delimiter):
        behind += len(piece)
        quoted ^= piece.count('"') & 1
        if not quoted:
            places.append((at, behind))
            at = behind + 1
        behind += 1
    if quoted:
        places.append((at, end))
    return places


def cell_values(line: str, delimiter: str) -> list[str]:
    """Return what the cells of one line hold."""
    if '"' not in line:
        return [cell.strip() for cell in line.split(delimiter)]
    return [_unquoted(line[a:b]) for a, b in cells(line, (0, len(line)), delimiter)]


def _unquoted(text: str) -> str:
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
