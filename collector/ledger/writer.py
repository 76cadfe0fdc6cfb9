"""Writes turns' rows: all of them or none, with one statement a table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import asdict
from functools import lru_cache
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, Dialect, Table, delete, insert, select, text, update
from sqlalchemy.sql.functions import count

from collector.ledger.mark import Mark
from collector.ledger.rows import Row, Rows
from collector.ledger.schema import SCORES, TEXTS, TOOL_RESULTS, TURNS

PARTS = {TOOL_RESULTS: "tool_results", SCORES: "scores", TEXTS: "texts"}
# Turns looked up by one statement: fewer than a database takes parameters.
MOST_AT_ONCE = 500
# Both SQLite and PostgreSQL know this form.
UPSERT_MARK = text(
    "INSERT INTO journal_marks (journal, trace_id, first_sequence, last_sequence, given) "
    "VALUES (:journal, :trace_id, :first_sequence, :last_sequence, :given) "
    "ON CONFLICT (journal, trace_id) DO UPDATE SET last_sequence = excluded.last_sequence, "
    "given = excluded.given, first_sequence = CASE "
    "WHEN excluded.first_sequence < journal_marks.first_sequence THEN excluded.first_sequence "
    "ELSE journal_marks.first_sequence END"
)


def write(
    connection: Connection,
    turns: Iterable[Rows],
    *,
    written_ns: int,
    revised: Collection[str] = (),
) -> list[bool]:
    """Insert turns, or replace those that changed; for each, True where it is new.

    A replaced turn keeps the time it was first stored: being sent again must not lengthen how
    long it is kept. One that is not among the `revised` replaces no richer one: it may be made of
    what was sent again, after the rest of its telemetry was forgotten.
    """
    new: list[bool] = []
    for group in _groups(turns):
        new += _write(connection, group, written_ns=written_ns, revised=revised)
    return new


def write_marks(connection: Connection, marks: Iterable[Mark]) -> None:
    """Insert marks, or replace those of the same traces."""
    rows = [asdict(mark) for mark in marks]
    if rows:
        connection.execute(UPSERT_MARK, rows)


def _groups(turns: Iterable[Rows]) -> Iterator[dict[str, Rows]]:
    """Yield the turns in order and by id, in groups in which none comes twice."""
    group: dict[str, Rows] = {}
    for rows in turns:
        turn_id = rows.turn["turn_id"]
        if turn_id in group or len(group) == MOST_AT_ONCE:
            yield group
            group = {}
        group[turn_id] = rows
    if group:
        yield group


def _write(
    connection: Connection, turns: dict[str, Rows], *, written_ns: int, revised: Collection[str]
) -> list[bool]:
    columns = TURNS.c
    query = select(columns.turn_id, columns.key, columns.revision, columns.digest)
    found = connection.execute(query.where(columns.turn_id.in_(turns))).all()
    stored = {turn_id for turn_id, *_ in found}
    parts: list[tuple[int, Rows]] = []
    for turn_id, key, revision, digest in found:
        rows = turns[turn_id]
        if digest == rows.turn["digest"]:
            continue
        if turn_id in revised or not _is_poorer(connection, key, rows):
            _replace(connection, key, rows.turn | {"revision": revision + 1})
            parts.append((key, rows))
    added = {turn_id: rows for turn_id, rows in turns.items() if turn_id not in stored}
    if added:
        inserted = {"revision": 1, "written_ns": written_ns}
        _insert(connection, TURNS, [rows.turn | inserted for rows in added.values()])
        keys = select(columns.turn_id, columns.key).where(columns.turn_id.in_(added))
        parts += [(key, added[turn_id]) for turn_id, key in connection.execute(keys)]
    _insert_parts(connection, parts)
    return [turn_id in added for turn_id in turns]


def _is_poorer(connection: Connection, key: int, rows: Rows) -> bool:
    """Say whether a turn knows less of its calls and results than the one that is stored."""
    calls = connection.execute(select(TURNS.c.model_calls).where(TURNS.c.key == key)).scalar_one()
    produced = TOOL_RESULTS.c.produced_characters
    seen = select(count(produced)).where(TOOL_RESULTS.c.turn_key == key)
    results = connection.execute(seen).scalar_one()
    given = sum(row["produced_characters"] is not None for row in rows.tool_results)
    return bool(rows.turn["model_calls"] < calls or given < results)


def _replace(connection: Connection, key: int, turn: Row) -> None:
    connection.execute(update(TURNS).where(TURNS.c.key == key).values(turn))
    for table in PARTS:
        connection.execute(delete(table).where(table.c.turn_key == key))


def _insert_parts(connection: Connection, turns: Sequence[tuple[int, Rows]]) -> None:
    for table, name in PARTS.items():
        values: list[Row] = []
        for key, rows in turns:
            for row in getattr(rows, name):
                row["turn_key"] = key
                values.append(row)
        if values:
            _insert(connection, table, values)


def _insert(connection: Connection, table: Table, values: Sequence[Row]) -> None:
    statement, as_parameters = _statement(table, connection.dialect)
    connection.exec_driver_sql(statement, list(map(as_parameters, values)))


@lru_cache
def _statement(table: Table, dialect: Dialect) -> tuple[str, Callable[[Row], Any]]:
    """The database's own INSERT, and what makes a row the parameters that it takes.

    Given to the driver as it is: SQLAlchemy would look at each value of each row again.
    """
    columns = [column.name for column in table.columns if column.name != "key"]
    compiled = insert(table).compile(dialect=dialect, column_keys=columns)
    # By position (SQLite), or by name (PostgreSQL): more names than needed do no harm there.
    return str(compiled), itemgetter(*compiled.positiontup) if compiled.positiontup else dict
