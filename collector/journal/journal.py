"""`Journal`: a folder of segments; requests go in at one end, and files go at the other."""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
import secrets
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from collector.errors import ConfigError, Retryable
from collector.journal.aside import Attempts
from collector.journal.frame import Frame, Gap, frames
from collector.journal.segment import SUFFIX, Written, sync_folder
from collector.journal.settings import JournalConfig
from collector.journal.writer import JournalObserver, Waiting, Writer
from collector.otlp import Batch

logger = logging.getLogger(__name__)

_LOCK = "lock"


class Journal:
    """What was acknowledged and is not in the ledger yet.

    `open` takes the folder for this process alone; `replay` then gives what an earlier one left.
    `append` may be awaited from the event loop; `retire` lets files go. `linger` is how many
    seconds a file may stay after that. `clock` gives seconds that only grow.
    """

    def __init__(
        self,
        folder: Path,
        config: JournalConfig,
        observer: JournalObserver,
        *,
        linger: float = 0.0,
        linger_bytes: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder = folder
        self._config = config
        self._observer = observer
        self._linger = linger
        self._linger_bytes = config.linger_bytes if linger_bytes is None else linger_bytes
        self._clock = clock
        self._lock: int | None = None
        self.id = ""
        self._writer: Writer | None = None
        self._files: list[Written] = []
        self._left: list[Written] = []  # files of an earlier process, until they are replayed
        self._needed_from = 0

    def open(self) -> None:
        """Make or take the folder. Raises `ConfigError` where that can't be done, or where another
        process has it."""
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            self._lock = os.open(self._folder / _LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(self._lock)
                self._lock = None
                raise ConfigError(
                    f"the journal in {self._folder} is used by another process; expected a "
                    "storage.directory of its own for each"
                ) from None
            self.id = _name(self._lock)
            found = [Written.named(path, self._clock()) for path in self._paths()]
        except OSError as error:
            raise ConfigError(
                f"the journal in {self._folder} can't be opened: {error.strerror}"
            ) from error
        self._left = [written for written in found if written is not None]
        # Above whatever an earlier process gave out, also where its files are gone.
        last = max((written.first + written.size for written in self._left), default=0)
        self._writer = Writer(
            self._folder,
            self._config.segment_bytes,
            max(time.time_ns(), last + 1),
            closed=self._files.append,
            clock=self._clock,
            fsync=self._config.fsync,
            observer=self._observer,
        )
        self._writer.start()

    def close(self) -> None:
        """Make durable what waits, and let the folder go. Files that nothing needs are deleted,
        for an orderly end leaves nothing that later spans could be joined with."""
        if self._writer is not None:
            self._writer.stop()
            self._writer = None
            self._delete(written for written in self._files if written.last < self._needed_from)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    @property
    def trouble(self) -> str | None:
        """Why requests can't be accepted now, None where they can."""
        if self.size_bytes() >= self._config.max_bytes:
            return f"the journal in {self._folder} is full ({self._config.max_bytes} bytes)"
        return None if self._writer is None else self._writer.trouble

    def size_bytes(self) -> int:
        """Return what the journal takes on disk, about."""
        files = sum(written.size for written in (*self._files, *self._left))
        return files + (0 if self._writer is None else self._writer.size())

    async def append(self, batch: Batch) -> int:
        """Make a request durable. Returns its sequence, to be given to `consumed` in the end.

        Raises `Retryable` where that can't be done now; the request is then not in the journal.
        """
        writer = self._opened()
        if self.size_bytes() + len(batch.body) > self._config.max_bytes:
            raise Retryable("the journal is full", reason="journal_full", retry_after=5.0)
        loop = asyncio.get_running_loop()
        future: asyncio.Future[int] = loop.create_future()
        frame = Frame(0, batch.receiver, batch.signal, batch.encoding, batch.body)
        writer.put(Waiting(frame, loop, future))
        return await future

    def consumed(self, sequence: int) -> None:
        """Note that a request is in the table of open turns."""
        self._opened().consumed(sequence)

    @property
    def oldest(self) -> int | None:
        """The lowest sequence that may still be found here; None where there is nothing."""
        open_one = None if self._writer is None else self._writer.first()
        firsts = [written.first for written in (*self._left, *self._files)]
        return min(firsts if open_one is None else [*firsts, open_one], default=None)

    def replay(self) -> Generator[Frame]:
        """Yield what an earlier process left, oldest first. Blocks: not for the event loop.

        What is damaged is counted, and what was good around it comes all the same. A request with
        which the process died again and again is set aside.
        """
        attempts = Attempts(self._folder)
        try:
            while self._left:
                written = self._left[0]
                attempts.failed = False
                for frame in self._read(written):
                    if attempts.begin(frame):
                        yield frame
                    else:
                        self._observer.journaled("set_aside", 1)
                written.closed_at = self._clock()
                self._left.pop(0)
                if written.last >= 0 and not attempts.failed:
                    self._files.append(written)
        finally:
            attempts.end()

    def _read(self, written: Written) -> Iterator[Frame]:
        """Yield a file's frames. One that can't be read stays where it is, for the next start."""
        try:
            for found in frames(written.path, written.number):
                if isinstance(found, Gap):
                    self._damaged(written.path, found)
                    continue
                written.last = max(written.last, found.sequence)
                yield found
        except OSError as error:
            logger.error("%s can't be read and is left: %s", written.path, error.strerror)
            self._observer.journaled("damaged", 1)
            written.last = -1

    @property
    def next(self) -> int:
        """The sequence that the next request gets."""
        return self._opened().next_sequence

    def oldest_pending(self) -> int:
        """Return the lowest sequence that is not in the table of open turns yet, or the next one.

        To be asked before the table is: see `retire`.
        """
        return self._opened().oldest_pending()

    def retire(self, before: int) -> int:
        """Let files go that hold nothing from sequence `before` on. Returns how many went.

        Blocks shortly; the files of an earlier process stay until they are replayed.
        """
        self._needed_from = before
        self._opened().close_before(before)
        now = self._clock()
        total = self.size_bytes()
        going = []
        # Where there is no room, nothing lingers: what waits to be written is worth more.
        longest = self._linger if self.trouble is None else 0.0
        for written in self._files:
            stays = now - written.closed_at < longest and total <= self._linger_bytes
            if written.last < before and not (stays and written.size):
                going.append(written)
                total -= written.size
        went = self._delete(going)
        if went:
            # Before the ledger forgets what it knows of them: a power cut must not bring them back.
            with suppress(OSError):
                sync_folder(self._folder)
        return went

    def _delete(self, going: Iterable[Written]) -> int:
        went = 0
        for written in list(going):
            try:
                written.path.unlink(missing_ok=True)
            except OSError as error:
                # Still counted by its size: the disk holds it. It is tried again.
                logger.error("%s can't be deleted: %s", written.path, error.strerror)
                continue
            self._files.remove(written)
            went += 1
        return went

    def _damaged(self, path: Path, gap: Gap) -> None:
        where = f"{path.name} at {gap.at}"
        if gap.torn:
            # Of a request that was being written: its sender was not told that it is safe.
            logger.info("journal: %d bytes of an unfinished write in %s", gap.size, where)
            return
        logger.error("journal: %d bytes are damaged in %s; the rest is read", gap.size, where)
        self._observer.journaled("damaged", 1)

    def _paths(self) -> list[Path]:
        return sorted(path for path in self._folder.iterdir() if path.name.endswith(SUFFIX))

    def _opened(self) -> Writer:
        if self._writer is None:
            raise Retryable("the journal is not open", reason="shutdown", retry_after=5.0)
        return self._writer


def _name(lock: int) -> str:
    """Return the name of a journal among those that share a ledger: what its lock's file holds."""
    name = os.read(lock, 64).decode("ascii", "replace").strip()
    if not name:
        name = secrets.token_hex(8)
        os.pwrite(lock, name.encode(), 0)
        os.fsync(lock)
    return name
