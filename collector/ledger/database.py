"""The ledger's database, opened: connections set up, and its errors as plain sentences."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, inspect, select, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.pool import StaticPool

from collector.errors import ConfigError, Permanent, Retryable
from collector.ledger.files import private_directory, private_file
from collector.ledger.place import Place, Trouble
from collector.ledger.schema import ADDED, JOURNAL_MARKS, METADATA, SCHEMA, VERSION

# Another process (`tellback turns`, a backup) may hold the file for a moment.
BUSY_SECONDS = 10.0
# Pages given back at once (4 KiB each): writers wait no longer than that takes.
VACUUM_PAGES = 4096


class Database:
    """One opened database with the ledger's tables, made if they are not there.

    Raises ConfigError where it can't be opened, is not a ledger, or is one of a newer version.
    """

    def __init__(self, database: str) -> None:
        self._url = _parse(database)
        self.file = _file(self._url)
        self.name = self._url.render_as_string(hide_password=True)
        if self.file is not None:
            private_directory(self.file.parent)
            private_file(self.file)
        self.engine = _engine(self._url)
        try:
            with self.begin() as connection:
                self._prepare(connection)
            self._place = None if self.file is None else Place(self.file)
        except (Permanent, Retryable, OSError) as error:
            self.engine.dispose()
            raise ConfigError(str(error)) from error
        except ConfigError:
            self.engine.dispose()
            raise

    def close(self) -> None:
        """Let go of the database."""
        self.engine.dispose()
        if self._place is not None:
            self._place.close()
            self._place = None

    def trouble(self) -> Trouble | None:
        """Say what became of a SQLite file since it was opened; None where it is in its place."""
        return None if self._place is None else self._place.trouble()

    def abandon(self) -> None:
        """Let go of a file that was removed or replaced, whole: it may have been moved away."""
        place = self._place
        with suppress(Permanent, Retryable):
            self._empty_log()
        self.close()
        if place is not None:
            with suppress(OSError):
                place.clear()

    @property
    def is_sqlite(self) -> bool:
        """Whether the database is a SQLite one, in a file or in memory."""
        return self.engine.dialect.name == "sqlite"

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """Open a transaction that may write: committed at the end, or rolled back whole."""
        # SQLite: taking the write lock first waits for other writers instead of failing.
        with (
            self._plainly(),
            self.engine.connect().execution_options(immediate=True) as connection,
            connection.begin(),
        ):
            yield connection

    @contextmanager
    def within(self, connection: Connection) -> Iterator[None]:
        """Open a part of a transaction that is undone by itself where it fails."""
        with self._plainly(), connection.begin_nested():
            yield

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a transaction that only reads."""
        with self._plainly(), self.engine.connect() as connection:
            yield connection

    def give_back(self) -> None:
        """Give the pages that nothing uses back to the disk, and empty the write-ahead log."""
        if self.file is None:
            return  # in memory; PostgreSQL's autovacuum reuses the space
        with self._plainly(), self.engine.connect() as connection:
            raw = connection.connection.driver_connection
            if raw is None:
                return
            free = sys.maxsize
            # Ends as well where nothing more is given back: a file that was vacuumed elsewhere.
            while 0 < (left := raw.execute("PRAGMA freelist_count").fetchone()[0]) < free:
                free = left
                # `execute` would free a single page: this statement must be stepped to its end.
                raw.executescript(f"PRAGMA incremental_vacuum({VACUUM_PAGES})")
        self._empty_log()

    def _empty_log(self) -> None:
        with self._plainly(), self.engine.connect() as connection:
            raw = connection.connection.driver_connection
            if raw is not None:
                raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    @contextmanager
    def _plainly(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            # The original error names no values; the wrapped one would, and they are content.
            raise _plain_error(self.name, error.orig) from None
        except sqlite3.Error as error:
            raise _plain_error(self.name, error) from None
        except OverflowError:
            raise Permanent("a number too large for the ledger", reason="too_large") from None

    def _prepare(self, connection: Connection) -> None:
        tables = set(inspect(connection).get_table_names())
        if SCHEMA.name not in tables:
            if tables & set(METADATA.tables):
                raise ConfigError(f"{self.name} holds tables of another program; name a new one")
            METADATA.create_all(connection)
            connection.execute(SCHEMA.insert().values(version=VERSION))
            return
        version = connection.execute(select(SCHEMA.c.version)).scalar()
        if isinstance(version, int) and 0 < version < VERSION:
            _upgrade(connection, version)
        elif version != VERSION:
            raise ConfigError(
                f"{self.name} was written by another version of Tellback "
                f"(schema {version}; this one reads {VERSION}); use that version, or name a new one"
            )
        # Came later than the tables before it, and nothing that was written is read otherwise.
        JOURNAL_MARKS.create(connection, checkfirst=True)


def _upgrade(connection: Connection, version: int) -> None:
    """Add the columns that came after a version. What stands in the ledger stays as it is."""
    known = inspect(connection)
    for number in range(version + 1, VERSION + 1):
        for table, name in ADDED.get(number, ()):
            column = METADATA.tables[table].c[name]
            if name not in {one["name"] for one in known.get_columns(table)}:
                kind = column.type.compile(connection.dialect)
                quote = connection.dialect.identifier_preparer.quote
                connection.execute(
                    text(f"ALTER TABLE {quote(table)} ADD COLUMN {quote(name)} {kind}")
                )
    connection.execute(SCHEMA.update().values(version=VERSION))


def _parse(database: str) -> URL:
    try:
        url = make_url(database)
    except ArgumentError:
        # Not shown: it may hold a password.
        raise ConfigError(
            "storage.database is no database URL; expected such as sqlite:///./ledger.db"
        ) from None
    if url.drivername == "postgresql":
        url = url.set(drivername="postgresql+psycopg")
    return url


def _file(url: URL) -> Path | None:
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:"):
        return None
    if str(url.database).startswith("file:"):
        raise ConfigError("storage.database: expected a plain path after sqlite:///, not file:")
    return Path(str(url.database))


def _engine(url: URL) -> Engine:
    options: dict[str, Any] = {"hide_parameters": True}
    if url.get_backend_name() == "sqlite":
        options["connect_args"] = {"timeout": BUSY_SECONDS, "check_same_thread": False}
        if url.database in (None, "", ":memory:"):
            options["poolclass"] = StaticPool
    try:
        engine = create_engine(url, **options)
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError, ValueError) as error:
        raise ConfigError(
            f"no driver for {url.render_as_string(hide_password=True)}: {error}"
        ) from None
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _set_up)
        event.listen(engine, "begin", _begin)
    return engine


def _set_up(connection: sqlite3.Connection, _record: object) -> None:
    # Transactions begin where `_begin` says, not where the driver guesses.
    connection.isolation_level = None
    cursor = connection.cursor()
    # Before the first table: only then can freed pages be given back to the disk.
    cursor.execute("PRAGMA auto_vacuum = INCREMENTAL")
    cursor.execute("PRAGMA journal_mode = WAL")
    # What is stored leaves the journal: a power cut must not take it back.
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    # What is deleted is overwritten: the texts were people's.
    cursor.execute("PRAGMA secure_delete = ON")
    cursor.close()


def _begin(connection: Connection) -> None:
    immediate = connection.get_execution_options().get("immediate")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


def _plain_error(name: str, error: BaseException | None) -> Permanent | Retryable:
    code = str(getattr(error, "sqlite_errorname", "") or type(error).__name__)
    for start, reason, sentence in REASONS:
        if code.startswith(start):
            return Retryable(f"the ledger {name} {sentence}", reason=reason)
    if code.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return Permanent(
            f"the ledger {name} is damaged or is no database; move it away to start a new one",
            reason="corrupt",
        )
    if code in ("SQLITE_TOOBIG", "DataError"):
        return Permanent("a text too large for the ledger", reason="too_large")
    return Retryable(f"the ledger {name} can't be used now ({code})", reason="database")


REASONS = (
    ("SQLITE_FULL", "disk_full", "can't grow: the disk is full"),
    ("SQLITE_READONLY", "read_only", "can't be written: the file or its folder is read-only"),
    ("SQLITE_CANTOPEN", "cannot_open", "can't be opened: no permission, or no such folder"),
    ("SQLITE_BUSY", "busy", "is held by another process"),
    ("SQLITE_LOCKED", "busy", "is held by another process"),
    ("SQLITE_IOERR", "io_error", "can't be read or written: the disk reports an error"),
)
