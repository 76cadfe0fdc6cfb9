"""Deletes what is kept no longer, and gives its space back."""

from __future__ import annotations

from contextlib import suppress

from sqlalchemy import Connection, delete, func, select

from collector.ledger.database import Database
from collector.ledger.schema import JOURNAL_MARKS, TEXTS, TURNS

# Turns deleted in one transaction: writers wait no longer than that takes.
BATCH = 500


def prune(
    database: Database, *, now_ns: int, max_age_s: float | None, max_bytes: int | None
) -> int:
    """Delete by age, then by size; return how many turns were deleted."""
    deleted = 0
    if max_age_s is not None:
        # Bounded, for an age of centuries must not overflow the column.
        oldest = max(now_ns - int(min(max_age_s, 1e9) * 1e9), 0)
        deleted = _delete_older(database, oldest)
    if deleted:
        database.give_back()
    if max_bytes is not None:
        deleted += _shrink(database, max_bytes)
    return deleted


def forget_texts(database: Database) -> int:
    """Delete every stored text; return how many there were."""
    with database.begin() as connection:
        deleted = connection.execute(delete(TEXTS)).rowcount
    if deleted:
        database.give_back()
    return deleted


def forget_marks(connection: Connection, journal: str, before_sequence: int) -> int:
    """Delete a journal's marks whose last record lies before this one; return how many."""
    columns = JOURNAL_MARKS.c
    old = (columns.journal == journal) & (columns.last_sequence < before_sequence)
    return connection.execute(delete(JOURNAL_MARKS).where(old)).rowcount


def size_bytes(database: Database) -> int:
    """Return the bytes on disk: files for SQLite, else what the stored turns add up to."""
    size = file_bytes(database)
    if size is not None:
        return size
    with database.read() as connection:
        return int(
            connection.execute(select(func.coalesce(func.sum(TURNS.c.size), 0))).scalar_one()
        )


def file_bytes(database: Database) -> int | None:
    """Return the bytes of a SQLite file and its log, in microseconds; None for other databases."""
    if database.file is None:
        return None
    size = 0
    for file in (database.file, database.file.with_name(database.file.name + "-wal")):
        with suppress(FileNotFoundError):
            size += file.stat().st_size
    return size


def _used_bytes(database: Database) -> int:
    """Return what deleting turns makes less, even where free pages stay in the file."""
    if database.file is None:
        return size_bytes(database)
    with database.read() as connection:
        pages, free, page = (
            int(connection.exec_driver_sql(f"PRAGMA {name}").scalar_one())
            for name in ("page_count", "freelist_count", "page_size")
        )
    return (pages - free) * page


def _delete_older(database: Database, oldest_ns: int) -> int:
    deleted = 0
    while True:
        with database.begin() as connection:
            query = select(TURNS.c.key).where(TURNS.c.written_ns < oldest_ns).limit(BATCH)
            count = _delete(connection, list(connection.execute(query).scalars()))
        deleted += count
        if count < BATCH:
            return deleted


def _shrink(database: Database, max_bytes: int) -> int:
    deleted = 0
    database.give_back()
    while (size := _used_bytes(database)) > max_bytes:
        with database.begin() as connection:
            oldest = select(TURNS.c.key, TURNS.c.size).order_by(TURNS.c.key).limit(BATCH)
            keys: list[int] = []
            excess = size - max_bytes
            for key, bytes_ in connection.execute(oldest):
                if excess <= 0:
                    break
                keys.append(key)
                excess -= bytes_
            count = _delete(connection, keys)
        if not count:
            # Nothing left to delete: an empty database has a size of its own.
            return deleted
        deleted += count
        database.give_back()
    return deleted


def _delete(connection: Connection, keys: list[int]) -> int:
    if keys:
        # Tool results, scores and texts go with their turn.
        connection.execute(delete(TURNS).where(TURNS.c.key.in_(keys)))
    return len(keys)
