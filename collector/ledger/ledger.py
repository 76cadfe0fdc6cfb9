"""The ledger: every turn with its tool results and scores, written once, read as `turns`."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from collector.errors import ConfigError
from collector.ledger import queries, retention, writer
from collector.ledger.database import Database
from collector.ledger.record import turn_record
from collector.ledger.rows import take_apart

if TYPE_CHECKING:
    from collector.entry import Entry

logger = logging.getLogger(__name__)


class Ledger:
    """A database of turns, named by a SQLAlchemy URL.

    Methods block and may be called from any thread. Each raises `errors.Retryable` when the
    database can't be used now (full, busy, read-only) and `errors.Permanent` when trying again
    is of no use; nothing is then half written. `clock` gives Unix nanoseconds.
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
        # SQLite lets one write at a time; waiting here is fairer than polling the file.
        self._writing = threading.Lock()

    def open(self) -> None:
        """Open the database, making it and its tables where they are not there.

        Where texts are not to be kept, those stored before are deleted. Raises
        `errors.ConfigError` where it can't be opened or is no ledger of this version.
        """
        if self._database is not None:
            return
        self._database = Database(self._url)
        if not self._keep_text:
            deleted = retention.forget_texts(self._database)
            if deleted:
                logger.warning("deleted %d stored texts: privacy.keep_text is false", deleted)

    def close(self) -> None:
        """Let go of the database. Safe before `open` and when called twice."""
        if self._database is not None:
            self._database.engine.dispose()
            self._database = None

    def write(self, entry: Entry) -> bool:
        """Store one turn in one transaction. True where it is new.

        False where the turn was there already: unchanged, it is left alone; changed, it is
        replaced with its revision counted up.
        """
        rows = take_apart(turn_record(entry), keep_text=self._keep_text)
        with self._transaction() as connection:
            return writer.write(connection, rows, written_ns=self._clock())

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
            return retention.prune(
                self._opened(), now_ns=now_ns, max_age_s=max_age_s, max_bytes=max_bytes
            )

    def size_bytes(self) -> int:
        """Return what the ledger takes on disk, its write-ahead log included."""
        return retention.size_bytes(self._opened())

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        database = self._opened()
        with self._writing, database.begin() as connection:
            yield connection

    def _opened(self) -> Database:
        if self._database is None:
            raise ConfigError("the ledger is not open")
        return self._database
