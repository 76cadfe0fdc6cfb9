"""Reads turns back, page by page, and the marks of a journal."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any

from sqlalchemy import Connection, Table, select

from collector.ledger.database import Database
from collector.ledger.mark import Mark
from collector.ledger.rows import Row, put_together
from collector.ledger.schema import JOURNAL_MARKS, SCORES, TEXTS, TOOL_RESULTS, TURNS

# A page holds this many turns, or fewer where they are large.
PAGE_TURNS = 200
PAGE_BYTES = 8 * 2**20


def turns(
    database: Database,
    *,
    since_ns: int | None = None,
    limit: int | None = None,
    before: int | None = None,
    newest_first: bool = False,
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each turn's key and record, in the order stored or the other way round.

    No transaction is open while the caller holds a turn: a slow reader neither blocks writers
    nor keeps the write-ahead log from being emptied.
    """
    last = before
    left = limit
    while left is None or left > 0:
        with database.read() as connection:
            keys = _keys(connection, since_ns=since_ns, last=last, newest_first=newest_first)
            page = _page(connection, keys if left is None else keys[:left])
        if not page:
            return
        yield from page
        last = page[-1][0]
        if left is not None:
            left -= len(page)


def marks(connection: Connection, journal: str) -> dict[str, Mark]:
    """Return a journal's marks by trace id."""
    columns = JOURNAL_MARKS.c
    query = select(*(columns[each.name] for each in fields(Mark))).where(columns.journal == journal)
    return {row.trace_id: Mark(*row) for row in connection.execute(query)}


def _keys(
    connection: Connection, *, since_ns: int | None, last: int | None, newest_first: bool
) -> list[int]:
    query = select(TURNS.c.key, TURNS.c.size).limit(PAGE_TURNS)
    query = query.order_by(TURNS.c.key.desc() if newest_first else TURNS.c.key)
    if since_ns is not None:
        query = query.where(TURNS.c.ended_ns >= since_ns)
    if last is not None:
        query = query.where(TURNS.c.key < last if newest_first else TURNS.c.key > last)
    keys: list[int] = []
    size = 0
    for key, bytes_ in connection.execute(query):
        size += bytes_
        if keys and size > PAGE_BYTES:
            break
        keys.append(key)
    return keys


def _page(connection: Connection, keys: Sequence[int]) -> list[tuple[int, dict[str, Any]]]:
    if not keys:
        return []
    found = {
        row["key"]: dict(row)
        for row in connection.execute(select(TURNS).where(TURNS.c.key.in_(keys))).mappings()
    }
    tool_results = _parts(connection, TOOL_RESULTS, keys)
    scores = _parts(connection, SCORES, keys)
    texts = _parts(connection, TEXTS, keys)
    return [
        (key, put_together(found[key], tool_results[key], scores[key], texts[key]))
        for key in keys
        if key in found
    ]


def _parts(connection: Connection, table: Table, keys: Sequence[int]) -> dict[int, list[Row]]:
    parts: dict[int, list[Row]] = defaultdict(list)
    query = select(table).where(table.c.turn_key.in_(keys))
    for row in connection.execute(query.order_by(table.c.turn_key, table.c.position)).mappings():
        parts[row["turn_key"]].append(dict(row))
    return parts
