"""The journal's thread: it writes what waits, syncs once for all of it, and says that it is safe.

While the disk is busy with one group the next one gathers: so under load many requests share a
sync, and a single one waits for no other.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from collector.errors import Retryable
from collector.journal.frame import Frame
from collector.journal.segment import Segment, Written

logger = logging.getLogger(__name__)

# Bytes written before a sync: the first of a long queue should not wait for the last.
GROUP_BYTES = 32 << 20
# A disk that failed is tried again this long after, not by each of a thousand requests a second.
TRY_AGAIN_SECONDS = 1.0


class JournalObserver(Protocol):
    """Counts what the journal does."""

    def journaled(self, outcome: str, count: int) -> None:
        """Count requests: written, failed, replayed, damaged or set_aside."""

    def synced(self) -> None:
        """Count a group of requests that was made durable at once."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A request that waits to be durable, and whom to tell."""

    frame: Frame  # its sequence is given when it is written
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[int]


class Writer:
    """Owns the segment that is open. `next_sequence` is what the next frame gets.

    `closed` is given each file that is full. `pending` are sequences handed out for which nobody
    said yet that the request is in the table of open turns.
    """

    def __init__(
        self,
        folder: Path,
        segment_bytes: int,
        next_sequence: int,
        *,
        closed: Callable[[Written], None],
        clock: Callable[[], float],
        fsync: bool,
        observer: JournalObserver,
    ) -> None:
        self._folder = folder
        self._segment_bytes = segment_bytes
        self._closed = closed
        self._clock = clock
        self._fsync = fsync
        self._observer = observer
        self._queue: queue.SimpleQueue[Waiting | int | None] = queue.SimpleQueue()
        # Of the two below; never held while the disk works, for the event loop asks for them.
        self._lock = threading.Lock()
        self._segment: Segment | None = None
        self._failed_at = 0.0
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
        self.next_sequence = next_sequence
        self.pending: set[int] = set()
        self.trouble: str | None = None

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Write what waits, close the file and end the thread."""
        self._queue.put(None)
        self._thread.join()
        self._close()

    def put(self, waiting: Waiting) -> None:
        """Have a request written. Raises `Retryable` while the disk is known to fail."""
        if self.trouble is not None and self._clock() - self._failed_at < TRY_AGAIN_SECONDS:
            raise _refusal(self.trouble)
        self._queue.put(waiting)

    def consumed(self, sequence: int) -> None:
        """Note that a request is in the table of open turns, which says what it still needs."""
        with self._lock:
            self.pending.discard(sequence)

    def oldest_pending(self) -> int:
        """Return the lowest sequence that is not in the table yet, or the next one."""
        with self._lock:
            return min(self.pending, default=self.next_sequence)

    def size(self) -> int:
        """Return the bytes of the open file."""
        segment = self._segment
        return 0 if segment is None else segment.used

    def first(self) -> int | None:
        """Return the first sequence of the open file, None where there is none."""
        segment = self._segment
        return None if segment is None else segment.first

    def close_before(self, sequence: int) -> None:
        """Have the open file closed where all it holds lies before a sequence, so that it can
        go."""
        segment = self._segment
        if segment is not None and segment.last < sequence:
            self._queue.put(sequence)

    def _run(self) -> None:
        while True:
            group, more = self._gather()
            if group:
                self._commit(group)
            del group  # until the next request comes, these would stay in memory
            if not more:
                return

    def _gather(self) -> tuple[list[Waiting], bool]:
        """Wait for a request; return it with all that came since, and False at the end."""
        group: list[Waiting] = []
        size = 0
        waiting = self._wait()
        while waiting is not None:
            if isinstance(waiting, int):
                self._leave(waiting)
            else:
                group.append(waiting)
                size += len(waiting.frame.body)
            if size > GROUP_BYTES:
                break
            try:
                waiting = self._queue.get_nowait()
            except queue.Empty:
                break
        return group, waiting is not None

    def _wait(self) -> Waiting | int | None:
        while True:
            try:
                return self._queue.get(timeout=TRY_AGAIN_SECONDS if self.trouble else None)
            except queue.Empty:
                self._look_again()

    def _look_again(self) -> None:
        """See whether the disk takes writes again. Perhaps nobody sends any more: a pod that is
        not ready gets no work."""
        try:
            self._sync(self._open(self.next_sequence))
        except OSError:
            self._close()
        else:
            self._well()

    def _well(self) -> None:
        if self.trouble is not None:
            logger.warning("the journal in %s can be written again", self._folder)
        self.trouble = None

    def _commit(self, group: Sequence[Waiting]) -> None:
        try:
            frames = self._write(group)
        except Exception as error:  # noqa: BLE001 - the thread lives on, and who waits is told
            why = error.strerror if isinstance(error, OSError) else type(error).__name__
            self._failed(f"the journal in {self._folder} can't be written: {why}", group)
            outcome: Sequence[int] | Exception = _refusal(self.trouble or "")
            self._observer.journaled("failed", len(group))
        else:
            self._well()
            outcome = [frame.sequence for frame in frames]
            self._observer.journaled("written", len(group))
            self._observer.synced()
        for loop in dict.fromkeys(waiting.loop for waiting in group):
            loop.call_soon_threadsafe(self._tell, group, outcome)

    def _write(self, group: Sequence[Waiting]) -> list[Frame]:
        first = self.next_sequence
        frames = [replace(one.frame, sequence=first + n) for n, one in enumerate(group)]
        segment = self._open(first)
        segment.append(frames)
        self._sync(segment)
        with self._lock:
            self.next_sequence = first + len(frames)
            self.pending.update(frame.sequence for frame in frames)
        return frames

    def _open(self, first: int) -> Segment:
        """Return the open file, or a new one that begins with a sequence. Raises OSError."""
        if self._segment is not None and self._segment.used >= self._segment_bytes:
            self._close()
        if self._segment is None:
            self._folder.mkdir(mode=0o700, exist_ok=True)  # it may have been removed
            self._segment = Segment(self._folder, first, self._segment_bytes)
        return self._segment

    def _sync(self, segment: Segment) -> None:
        if self._fsync:
            segment.sync()

    def _failed(self, why: str, group: Sequence[Waiting]) -> None:
        if self.trouble is None:
            logger.error("%s; requests are refused until it can", why)
        self.trouble = why
        self._failed_at = self._clock()
        # What stands behind the last good frame may have reached the disk: its numbers are used.
        self.next_sequence += len(group)
        self._close()

    def _leave(self, before: int) -> None:
        segment = self._segment
        if segment is not None and segment.last < before:
            self._close()

    def _close(self) -> None:
        segment, self._segment = self._segment, None
        if segment is not None:
            self._closed(segment.close(self._clock()))

    def _tell(self, group: Sequence[Waiting], outcome: Sequence[int] | Exception) -> None:
        for index, waiting in enumerate(group):
            if isinstance(outcome, Exception):
                if not waiting.future.done():
                    waiting.future.set_exception(outcome)
            elif waiting.future.done():  # cancelled: nobody will say that it was consumed
                self.consumed(outcome[index])
            else:
                waiting.future.set_result(outcome[index])


def _refusal(why: str) -> Retryable:
    return Retryable(why, reason="journal", retry_after=5.0)
