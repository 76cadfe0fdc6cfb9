"""The stage between receivers and ledger: it keeps the table of open turns, and closes them.

Four threads share the work, so that neither a large request nor a large turn nor a slow disk
holds up a receiver: the event loop receives; the journal's makes requests durable; `table` alone
touches the open turns; `turns` assembles, scores and stores, some groups at a time.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol, TypeVar

from collector.assembly.closing import Closed, Closing
from collector.entry import Entry
from collector.errors import Permanent, Retryable
from collector.journal import Journal
from collector.ledger.mark import Mark
from collector.otlp import Batch
from collector.pipeline import Pipeline
from collector.pressure import Pressure, Shares
from collector.recovery import Recovery, marks_of

logger = logging.getLogger(__name__)
Result = TypeVar("Result")

TICK = 0.25  # seconds between two looks at what may be over
SLICE = 0.2  # seconds of finishing turns before the table hears of them
RETRY_EVERY = 5.0  # seconds until a ledger that refused is tried again
MAX_LAG = 5.0  # seconds that turns may wait to be finished before senders are told to wait
DRAIN_DEADLINE = 20.0  # seconds for closing what is open at the end


class TurnLedger(Protocol):
    """Where finished turns are stored."""

    def write_all(
        self, entries: Sequence[Entry], marks: Sequence[Mark] = (), *, revised: Collection[str] = ()
    ) -> list[bool | Permanent]:
        """Store turns and marks, all or none. For each turn: True where it is new, False where
        it was there, an error where it can never be stored. Raises `Retryable`."""

    def marks(self, journal: str) -> dict[str, Mark]:
        """Return what was stored of a journal's traces."""

    def forget_marks(self, journal: str, before_sequence: int) -> int:
        """Delete the marks of traces of which the journal holds nothing any more."""


class TurnObserver(Protocol):
    """Counts what becomes of turns."""

    def turn(self, entry: Entry, *, close_delay_s: float | None = None) -> None:
        """Count one closed turn."""

    def written(self, outcome: str) -> None:
        """Count a write to the ledger: new, seen or failed."""

    def dropped(self, reason: str, count: int) -> None:
        """Count records that were accepted and left out."""


@dataclass(slots=True)
class _Progress:
    """What one slice of finishing did: the groups that are done, and why the ledger refused."""

    closed: list[Closed]
    refused: str | None = None


class TurnStage:
    """Takes batches and gives turns to the ledger and the metrics. Built, it runs nothing."""

    def __init__(
        self, pipeline: Pipeline, journal: Journal, ledger: TurnLedger, observer: TurnObserver
    ) -> None:
        self._pipeline = pipeline
        self._journal = journal
        self._ledger = ledger
        self._observer = observer
        self._table = ThreadPoolExecutor(1, thread_name_prefix="table")
        self._turns = ThreadPoolExecutor(1, thread_name_prefix="turns")
        self._shares = Shares(time.monotonic)
        self._stopping = asyncio.Event()
        self._behind_since: float | None = None
        self.ledger_refuses: str | None = None

    async def consume(self, batch: Batch) -> None:
        """Take a batch. Returning is the acknowledgement: see docs/adr/0001.

        Raises `Retryable` while too much is open, while turns end faster than they can be stored,
        and where the journal can't be written: nothing of the batch is kept then.
        """
        if not self._shares.admits(batch, self._pressure):
            raise Retryable("turns end faster than they can be stored", retry_after=2.0)
        self._shares.took(batch)
        sequence = await self._journal.append(batch)
        try:
            await self._in(self._table, lambda: self._pipeline.consume(batch, sequence))
        finally:
            self._journal.consumed(sequence)

    async def recover(self) -> int:
        """Take what the journal holds of an earlier process; `run` must be running beside it.

        Returns how many requests there were. Ends early where `stop` is called: what was not read
        stays in the journal.
        """
        if self._journal.oldest is None:
            return 0
        marks = await self._marks()
        recovery = Recovery(self._journal, marks, self._pipeline.assembler)
        frames = self._journal.replay()

        def step() -> bool:
            frame = next(frames, None)
            if frame is None:
                return False
            batch = recovery.batch(frame)
            if batch is not None:
                self._pipeline.consume(batch, frame.sequence)
            return True

        count = 0
        while not self._stopping.is_set() and await self._in(self._table, step):
            count += 1
            while self._pressure is not Pressure.none and not self._stopping.is_set():
                await self._pause(TICK)
        await self._in(self._table, frames.close)
        return count

    async def _marks(self) -> dict[str, Mark]:
        """Return what the ledger says of the journal, once it says it."""
        while not self._stopping.is_set():
            try:
                return await self._in(self._turns, lambda: self._ledger.marks(self._journal.id))
            except (Retryable, Permanent) as error:
                logger.error("the journal waits for the ledger: %s", error)
                self.ledger_refuses = str(error)
                await self._pause(RETRY_EVERY)
        return {}

    @property
    def _pressure(self) -> Pressure:
        filled = self._pipeline.filled
        if self.lag_s > 2 * MAX_LAG or filled > 1.5:
            return Pressure.full
        return Pressure.high if self.lag_s > MAX_LAG or filled > 1.25 else Pressure.none

    @property
    def lag_s(self) -> float:
        """Seconds for which turns that are over have been waiting to be finished."""
        since = self._behind_since
        return 0.0 if since is None else time.monotonic() - since

    @property
    def open_turns(self) -> int:
        """Groups of traces whose turns are not over."""
        return self._pipeline.assembler.open_count

    async def run(self) -> None:
        """Close turns as they end, until `stop`."""
        while not self._stopping.is_set():
            due = await self._in(self._table, self._pipeline.due)
            self._behind_since = time.monotonic() if due else None
            while due and not self._stopping.is_set():
                due = await self._slice(due)
                if self.ledger_refuses is not None:
                    break
            await self._again(due)
            await self._retire()
            pause = TICK if self.ledger_refuses is None else RETRY_EVERY
            await self._pause(pause)

    async def _pause(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)

    def stop(self) -> None:
        """Ask `run` to end after the turns it is at."""
        self._stopping.set()

    async def drain(self) -> int:
        """Close everything that is open, within the deadline. Returns the groups that are left,
        whose traces are named in the log. The threads end with it."""
        left = await self._in(self._table, lambda: self._pipeline.due(final="shutdown"))
        with suppress(TimeoutError):
            async with asyncio.timeout(DRAIN_DEADLINE):
                while left:
                    left = await self._slice(left)
                    if self.ledger_refuses is not None:
                        break
        if left:
            traces = ", ".join(closing.key for closing in left[:5])
            logger.error(
                "shutdown: %d groups of traces were not stored, among them %s; they are in the "
                "journal, and the next start goes on with them",
                len(left),
                traces,
            )
        else:
            await self._in(
                self._turns, lambda: self._journal.retire(self._journal.oldest_pending())
            )
        self._turns.shutdown(wait=False, cancel_futures=True)
        self._table.shutdown(wait=False, cancel_futures=True)
        return len(left)

    async def _slice(self, due: Sequence[Closing]) -> list[Closing]:
        """Finish groups for a moment, book them, and return those that are left."""
        progress = await self._in(self._turns, lambda: self._finish(due))
        self.ledger_refuses = progress.refused
        await self._in(self._table, lambda: self._book(progress.closed))
        return list(due[len(progress.closed) :])

    def _book(self, closed: Sequence[Closed]) -> None:
        for one in closed:
            self._pipeline.done(one)

    async def _again(self, due: Sequence[Closing]) -> None:
        """Leave groups open that could not be finished now."""
        keys = [closing.key for closing in due]
        if keys:
            await self._in(self._table, lambda: self._pipeline.again(keys))

    async def _retire(self) -> None:
        """Let the journal forget what is in the ledger."""
        # Asked first: what is not in the table by now is pending in the journal.
        pending = self._journal.oldest_pending()
        oldest = await self._in(self._table, self._pipeline.assembler.oldest_sequence)
        before = pending if oldest is None else min(oldest, pending)
        await self._in(self._turns, lambda: self._forget(before))

    def _forget(self, before: int) -> None:
        if not self._journal.retire(before):
            return
        oldest = self._journal.oldest
        try:
            self._ledger.forget_marks(self._journal.id, before if oldest is None else oldest)
        except (Permanent, Retryable) as error:
            logger.warning("marks of the journal stay in the ledger for now: %s", error)

    def _finish(self, due: Sequence[Closing]) -> _Progress:
        """Assemble and score groups for a moment, and store what they gave at once."""
        finished: list[Closed] = []
        entries: list[Entry] = []
        marks: list[Mark] = []
        revised: set[str] = set()
        until = time.monotonic() + SLICE
        for closing in due:
            closed, scored = self._pipeline.finish(closing)
            finished.append(closed)
            entries += scored
            marks += marks_of(self._journal.id, closing, closed)
            revised |= closing.given.keys()
            if time.monotonic() > until:
                break
        refused = self._store(entries, marks, revised) if entries or marks else None
        # Where the ledger refused, the groups stay open and are tried again.
        return _Progress([] if refused else finished, refused)

    def _store(
        self, entries: Sequence[Entry], marks: Sequence[Mark], revised: Collection[str]
    ) -> str | None:
        """Store and count turns. Returns why the ledger refused them for now."""
        try:
            stored = self._ledger.write_all(entries, marks, revised=revised)
        except Retryable as error:
            self._observer.written("failed")
            if self.ledger_refuses is None:
                logger.error("the ledger refuses turns, they are kept: %s", error)
            return str(error)
        for entry, new in zip(entries, stored, strict=True):
            if isinstance(new, Permanent):
                # Trying again is of no use; the turn is still counted in the metrics.
                logger.error("turn %s can't be stored: %s", entry.turn.turn_id, new)
                self._observer.written("failed")
            else:
                self._observer.written("new" if new else "seen")
            if new:
                ended = entry.turn.ended_ns
                delay = (time.time_ns() - ended) / 1e9 if ended else None
                self._observer.turn(entry, close_delay_s=delay)
        return None

    async def _in(self, thread: ThreadPoolExecutor, work: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(thread, work)
