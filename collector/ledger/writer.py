"""Writes one turn's rows: all of them or none."""

from __future__ import annotations

from sqlalchemy import Connection, Table, delete, insert, select, update

from collector.ledger.rows import Rows
from collector.ledger.schema import SCORES, TEXTS, TOOL_RESULTS, TURNS


def write(connection: Connection, rows: Rows, *, written_ns: int) -> bool:
    """Insert a turn, or replace it where it changed; True where it is new.

    A replaced turn keeps the time it was first stored: being sent again must not lengthen how
    long it is kept.
    """
    stored = connection.execute(
        select(TURNS.c.key, TURNS.c.revision, TURNS.c.digest).where(
            TURNS.c.turn_id == rows.turn["turn_id"]
        )
    ).first()
    if stored is None:
        result = connection.execute(
            insert(TURNS).values(rows.turn | {"revision": 1, "written_ns": written_ns})
        )
        inserted = result.inserted_primary_key
        if inserted is None:  # pragma: no cover - every dialect we build for returns it
            raise RuntimeError("the database returned no key")
        _insert_parts(connection, inserted[0], rows)
        return True
    if stored.digest == rows.turn["digest"]:
        return False
    connection.execute(
        update(TURNS)
        .where(TURNS.c.key == stored.key)
        .values(rows.turn | {"revision": stored.revision + 1})
    )
    for table in (TOOL_RESULTS, SCORES, TEXTS):
        connection.execute(delete(table).where(table.c.turn_key == stored.key))
    _insert_parts(connection, stored.key, rows)
    return False


def _insert_parts(connection: Connection, key: int, rows: Rows) -> None:
    parts: tuple[tuple[Table, list[dict[str, object]]], ...] = (
        (TOOL_RESULTS, rows.tool_results),
        (SCORES, rows.scores),
        (TEXTS, rows.texts),
    )
    for table, values in parts:
        if values:
            connection.execute(insert(table), [value | {"turn_key": key} for value in values])
