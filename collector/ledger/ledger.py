"""The ledger: every turn with its tool results and scores, written once, read as `turns`."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from collector.errors import ConfigError, Permanent, Retryable
from collector.ledger import queries, retention, writer
from collector.ledger.database import Database
from collector.ledger.mark import Mark
from collector.ledger.record import turn_record
from collector.ledger.rows import Rows, take_apart

if TYPE_CHECKING:
    from collector.entry import Entry

logger = logging.getLogger(__name__)
Stored = bool | Permanent
"""What became of one turn that was to be stored: new or not, or why it can't be."""


class Ledger:
    """A database of turns, named by a SQLAlchemy URL.

    Methods block and may be called from any thread. Each raises `errors.Retryable` when the
    database can't be used now (full, busy, read-only) and `errors.Permanent` when trying again
    is of no use; nothing is then half written. `clock` gives Unix nanoseconds.

    A SQLite file that is removed or replaced while open is noticed before anything is written: the
    ledger is opened anew, made where it is not there, and `reopened` counts it.
    """

    def __init__(
        self,
        database: str,
        *,
        keep_text: bool = True,
        clock: Callable[[], int] = time.time_ns,
    ) -> None:
        self._url = database
        self._keep_text = keep_text
        self._clock = clock
        self._database: Database | None = None
        # Why there is none although it was opened.
        self._lost: str | None = None
        self.reopened = 0
        # Bytes after the last pruning, and those of a database without a file by what came since.
        self._least = 0
        self._estimate = 0
        # SQLite lets one write at a time; waiting here is fairer than polling the file.
        self._writing = threading.Lock()

    def open(self) -> None:
        """Open the database, making it and its tables where they are not there.

        Where texts are not to be kept, those stored before are deleted. Raises
        `errors.ConfigError` where it can't be opened or is no ledger of this version.
        """
        if self._database is None:
            self._database = self._connect()

    def close(self) -> None:
        """Let go of the database. Safe before `open` and when called twice."""
        if self._database is not None:
            self._database.close()
            self._database = None
        self._lost = None

    def trouble(self) -> str | None:
        """Say in a sentence why the ledger is not where it was opened; None where it is.

        What can be mended is, by the next write.
        """
        # A write or a pruning under way says for itself how it went.
        if not self._writing.acquire(timeout=0.5):
            return None
        try:
            database = self._database
            if database is None:
                return self._lost
            trouble = database.trouble()
        finally:
            self._writing.release()
        return None if trouble is None else f"the ledger {database.name} was {trouble} while open"

    def write(self, entry: Entry) -> bool:
        """Store one turn, as `write_all` does for its own. True where it is new."""
        (stored,) = self.write_all([entry], revised={entry.turn.turn_id})
        if isinstance(stored, Permanent):
            raise stored
        return stored

    def write_all(
        self,
        entries: Sequence[Entry],
        marks: Sequence[Mark] = (),
        *,
        revised: Collection[str] = (),
    ) -> list[Stored]:
        """Store turns, and marks of the journal with them, in one transaction.

        For each turn, True where it is new. False where it was there already: unchanged, it is
        left alone; changed, it is replaced with its revision counted up, unless it is poorer and
        not among the `revised`, the ids of turns that the caller wrote before and still knows
        all of. `errors.Permanent`, not raised, where it can't be stored: the other turns and the
        marks are all the same.
        """
        turns = [take_apart(turn_record(entry), keep_text=self._keep_text) for entry in entries]

        def write(connection: Connection, turns: Sequence[Rows]) -> list[bool]:
            return writer.write(connection, turns, written_ns=self._clock(), revised=revised)

        try:
            with self._transaction() as connection:
                stored: list[Stored] = [*write(connection, turns)]
                writer.write_marks(connection, marks)
        except Permanent:
            with self._transaction() as connection:
                stored = []
                for rows in turns:  # one of them fails
                    try:
                        with self._opened().within(connection):
                            stored += write(connection, [rows])
                    except Permanent as error:
                        stored.append(error)
                writer.write_marks(connection, marks)
        self._estimate += sum(rows.turn["size"] for rows in turns)
        return stored

    def marks(self, journal: str) -> dict[str, Mark]:
        """Return what was marked of a journal's traces, by trace id."""
        with self._opened().read() as connection:
            return queries.marks(connection, journal)

    def forget_marks(self, journal: str, before_sequence: int) -> int:
        """Delete a journal's marks whose last record lies before this one; return how many."""
        with self._transaction() as connection:
            return retention.forget_marks(connection, journal, before_sequence)

    def turns(
        self, *, since_ns: int | None = None, limit: int | None = None
    ) -> Iterator[dict[str, Any]]:
        """Yield turns in the shape of `turn_record`, in the order they were stored.

        `since_ns`: only those that ended then or later. Reads page by page, so that neither
        memory nor a lock grows with the ledger, and writing goes on meanwhile.
        """
        for _, record in queries.turns(self._opened(), since_ns=since_ns, limit=limit):
            yield record

    def newest(
        self, *, since_ns: int | None = None, before: int | None = None, limit: int
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield turns from the last stored one back, each with its cursor for `before`."""
        return queries.turns(
            self._opened(), since_ns=since_ns, limit=limit, before=before, newest_first=True
        )

    def prune(self, *, now_ns: int, max_age_s: float | None, max_bytes: int | None) -> int:
        """Delete the turns stored longer ago than `max_age_s`, then the oldest ones while the
        database takes more than `max_bytes` on disk. Returns how many turns were deleted.

        The space is given back to the disk (SQLite). None: no such limit.
        """
        with self._writing:
            database = self._in_place()
            deleted = retention.prune(
                database, now_ns=now_ns, max_age_s=max_age_s, max_bytes=max_bytes
            )
            self._least = self._estimate = retention.size_bytes(database)
        return deleted

    def over(self, max_bytes: int) -> bool:
        """Say whether `prune` should delete by size now. Takes microseconds.

        That is so a tenth above `max_bytes`, and a tenth above what the last pruning left: where
        it could not free more, trying again after each turn would help nobody.
        """
        database = self._database
        if database is None:
            return False
        size = retention.file_bytes(database)
        return 10 * (self._estimate if size is None else size) > 11 * max(max_bytes, self._least)

    def size_bytes(self) -> int | None:
        """Return what the ledger takes on disk, its log included; None while it is lost."""
        return None if self._lost is not None else retention.size_bytes(self._opened())

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        with self._writing:
            database = self._in_place()
            try:
                with database.begin() as connection:
                    yield connection
            except Permanent as error:
                if error.reason != "corrupt":
                    raise
                # Not the turn is at fault: it is kept until somebody moved the file away.
                raise Retryable(str(error), reason="corrupt") from error

    def _in_place(self) -> Database:
        """Return the database, opened anew where its file is gone.

        Raises `Retryable` where that can't be done now.
        """
        database = self._database
        if database is not None:
            trouble = database.trouble()
            if trouble is None:
                return database
            if trouble == "overwritten":
                raise Retryable(
                    f"the ledger {database.name} was overwritten while it was open; "
                    "move it away to start a new one",
                    reason="corrupt",
                )
            self._lost = f"the ledger {database.name} was {trouble} while it was open"
            self._database = None
            database.abandon()
        elif self._lost is None:
            return self._opened()
        lost = self._lost
        try:
            database = self._connect()
        except ConfigError as error:
            raise Retryable(f"{lost}, and now {error}", reason="cannot_open") from error
        self._database, self._lost = database, None
        self._least = self._estimate = 0
        self.reopened += 1
        logger.error("%s; from now on turns are stored in what is there in its place", lost)
        return database

    def _connect(self) -> Database:
        database = Database(self._url)
        if not self._keep_text:
            deleted = retention.forget_texts(database)
            if deleted:
                logger.warning("deleted %d stored texts: privacy.keep_text is false", deleted)
        return database

    def _opened(self) -> Database:
        if self._database is None:
            if self._lost is not None:
                raise Retryable(self._lost, reason="cannot_open")
            raise ConfigError("the ledger is not open")
        return self._database
