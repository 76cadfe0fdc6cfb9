"""Where the fields and rows of a produced result stand in its text.

Places are looked up when they are asked for: most comparisons ask for few of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, cast

from scorers.payload.cells import cell_values, cells, columns
from scorers.payload.json_text import read
from scorers.payload.members import Place, deep_rows, elements, main_list, members, skip
from scorers.payload.remains import Remains, remains

__all__ = [
    "Layout",
    "Place",
    "columns",
    "lines",
    "of_csv",
    "of_json",
    "of_json_lines",
    "of_lines",
    "of_records",
]


def _nowhere(_layout: Layout, _index: int) -> dict[str, Place]:
    return {}


def _nothing(_ranges: list[Place]) -> None:
    return None


@dataclass
class Layout:
    """`rows`: the records, the elements of an object's main list, or the non-empty lines, each as
    a range; None where rows have no meaning. `records`: for every record, its fields by name: from
    the key's first to behind the value's last character. `values`: what the records hold; empty
    where there are none. `header`: for CSV, the column names. `main`: the member of a lone object
    that holds its rows. `row_of`: the row that each record is, None where a record is no row. What
    begins with `find` looks up the rest; it is given the layout where it needs it, for a function
    that held it would keep it, and its text, until Python looks for cycles. `width_of` counts the
    cells of a CSV's record; `keys` are the fields of every record where they are known without its
    values.
    """

    header: dict[str, Place] | None = None
    main: str | None = None
    row_of: list[int] | range | None = None
    find_rows: Callable[[Layout], list[Place]] | None = None
    find_values: Callable[[], list[dict[str, Any]]] = list
    find_places: Callable[[Layout, int], dict[str, Place]] = _nowhere
    find_remains: Callable[[list[Place]], Remains | None] = _nothing
    width_of: Callable[[int], int] | None = None
    keys: Sequence[Mapping[str, Any]] | None = None
    total: int | None = None
    _known: dict[int, dict[str, Place]] = field(default_factory=dict)
    _left: tuple[list[Place], Remains | None] | None = None

    @cached_property
    def rows(self) -> list[Place] | None:
        """Return where the rows stand."""
        return None if self.find_rows is None else self.find_rows(self)

    @cached_property
    def values(self) -> list[dict[str, Any]]:
        """Return what the records hold."""
        return self.find_values()

    @cached_property
    def size(self) -> int:
        """Return the number of records."""
        return len(self.row_of) if self.row_of is not None else len(self.values)

    @property
    def records(self) -> list[dict[str, Place]]:
        """Return where the fields of every record stand."""
        return [self.places(index) for index in range(self.size)]

    def places(self, index: int) -> dict[str, Place]:
        """Return where the fields of one record stand."""
        found = self._known.get(index)
        if found is None:
            found = self._known[index] = self.find_places(self, index)
        return found

    def remains(self, ranges: list[Place]) -> Remains | None:
        """Return the records of a JSON array that `ranges` of its text hold, if that can be told
        without locating every one."""
        if self._left is None or self._left[0] != ranges:
            self._left = ranges, self.find_remains(ranges)
        return self._left[1]

    @property
    def row_total(self) -> int | None:
        """Return the number of rows, None where rows have no meaning."""
        if isinstance(self.total, int):
            return self.total
        return None if self.rows is None else len(self.rows)

    def fields(self, index: int) -> Collection[str]:
        """Name the fields of one record, without locating them."""
        if self.header is not None and self.width_of is not None:
            return list(self.header)[: self.width_of(index)]
        return self.values[index] if self.keys is None else self.keys[index]

    @cached_property
    def all_names(self) -> list[str]:
        """Return the field names in order of first appearance."""
        if self.header is not None:
            widest = max(map(self.width_of, range(self.size)), default=0) if self.width_of else 0
            return list(self.header)[:widest]
        return list(dict.fromkeys(chain.from_iterable(self.kinds)))

    @cached_property
    def kinds(self) -> dict[tuple[str, ...], int]:
        """Count the records by the fields they have, in order of first appearance."""
        if not self.size:
            return {}
        if self.keys is not None:
            names = list(map(tuple, self.keys))
            if names.count(names[0]) == len(names):  # as most are: told sooner than counted
                return {names[0]: len(names)}
        if self.header is None:
            return Counter(map(tuple, self.values if self.keys is None else self.keys))
        return Counter(tuple(self.fields(index)) for index in range(self.size))

    def names(self) -> list[str]:
        """Return the field names in order of first appearance."""
        return self.all_names


def of_json(text: str, value: Any) -> Layout:
    """Lay out a JSON text whose value is known: an object, or an array of objects."""
    start = skip(text, 0)
    if isinstance(value, dict):
        main = main_list(value)
        layout = Layout(
            main=main, find_values=lambda: [value], find_places=lambda *_: members(text, start)
        )
        if main is not None:
            layout.find_rows = lambda layout: deep_rows(text, layout.places(0)[main], value[main])
        return layout
    if not isinstance(value, list) or not value:
        return Layout()
    row_of = [row for row, one in enumerate(value) if isinstance(one, dict)]
    return Layout(
        row_of=row_of,
        total=len(value),
        find_rows=lambda _: elements(text, start),
        find_values=lambda: [value[row] for row in row_of],
        find_places=lambda layout, index: members(text, (layout.rows or [])[row_of[index]][0]),
    )


def of_records(text: str, records: Sequence[Mapping[str, Any]]) -> Layout:
    """Lay out a JSON array of objects whose members are known, and their values not yet."""
    return Layout(
        row_of=range(len(records)),
        total=len(records),
        keys=records,
        find_rows=lambda _: elements(text, skip(text, 0)),
        find_values=lambda: cast("list[dict[str, Any]]", read(text)),
        find_places=lambda layout, index: members(text, (layout.rows or [])[index][0]),
        find_remains=lambda ranges: remains(text, len(records), ranges),
    )


def of_json_lines(text: str) -> Layout | None:
    """Lay out a text whose every non-empty line is an object or an array; None for another."""
    rows = lines(text)
    values = []
    row_of = []
    for row, (start, end) in enumerate(rows):
        value = read(text[start:end])
        if not isinstance(value, dict | list):
            return None
        if isinstance(value, dict):
            values.append(value)
            row_of.append(row)
    return Layout(
        row_of=row_of,
        find_rows=lambda _: rows,
        find_values=lambda: values,
        find_places=lambda _, index: members(text, rows[row_of[index]][0]),
    )


def of_csv(text: str, delimiter: str) -> Layout:
    """Lay out a delimited table with a header. Cells are located where no quoted cell spans lines;
    elsewhere only rows are."""
    found = lines(text)
    if not found:
        return Layout()
    header = cells(text, found[0], delimiter)
    names = [text[a:b].strip().strip('"').lstrip("\ufeff") for a, b in header]
    rows = found[1:]

    def values(index: int) -> dict[str, Any]:
        start, end = rows[index]
        return dict(zip(names, cell_values(text[start:end], delimiter), strict=False))

    def width(index: int) -> int:
        start, end = rows[index]
        if text.find('"', start, end) < 0:
            return text.count(delimiter, start, end) + 1
        return len(cells(text, rows[index], delimiter))

    return Layout(
        header=dict(zip(names, header, strict=True)),
        row_of=range(len(rows)),
        find_rows=lambda _: rows,
        find_values=lambda: [values(index) for index in range(len(rows))],
        find_places=lambda _, index: dict(
            zip(names, cells(text, rows[index], delimiter), strict=False)
        ),
        width_of=width,
    )


def of_lines(text: str) -> Layout:
    """Lay out a text whose rows are its non-empty lines."""
    return Layout(find_rows=lambda _: lines(text))


def lines(text: str) -> list[Place]:
    """Return the non-empty lines, without the white space around them."""
    found, at = [], 0
    for line in (text.replace("\r", "\n") if "\r" in text else text).split("\n"):
        bare = line.strip()
        if bare:
            start = at + len(line) - len(line.lstrip())
            found.append((start, start + len(bare)))
        at += len(line) + 1
    return found
