"""The stage between receivers and ledger: it keeps the table of open turns, and closes them.

Four threads share the work, so that neither a large request nor a large turn nor a slow disk
holds up a receiver: the event loop receives; the journal's makes requests durable; `table` alone
touches the open turns; `turns` assembles, scores and stores, some groups at a time.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from collector.admission import Admission
from collector.assembly.closing import Closed, Closing
from collector.errors import Permanent, Retryable
from collector.finisher import Finisher, TurnLedger, TurnObserver
from collector.journal import Journal
from collector.ledger.mark import Mark
from collector.otlp import Batch
from collector.pipeline import Pipeline
from collector.pressure import Pace, Pressure
from collector.recovery import Recovery

logger = logging.getLogger(__name__)
Result = TypeVar("Result")

TICK = 0.25  # seconds between two looks at what may be over
PRESSED_TICK = 0.05  # the same while much is open
RETRY_EVERY = 5.0  # seconds until a ledger that refused is tried again
HIGH, FULL = 1.1, 1.25  # of what may be open, from which on some requests or all are held up
MAX_LAG = 2.0  # seconds that turns may wait to be finished before senders are held up
DRAIN_DEADLINE = 20.0  # seconds for closing what is open at the end


class TurnStage:
    """Takes batches and gives turns to the ledger and the metrics. Built, it runs nothing."""

    def __init__(
        self, pipeline: Pipeline, journal: Journal, ledger: TurnLedger, observer: TurnObserver
    ) -> None:
        self._pipeline = pipeline
        self._journal = journal
        self._pace = Pace(time.monotonic)
        self._finisher = Finisher(pipeline, journal, ledger, observer, self._pace)
        self._table = ThreadPoolExecutor(1, thread_name_prefix="table")
        self._turns = ThreadPoolExecutor(1, thread_name_prefix="turns")
        self._admission = Admission(self._pressure, time.monotonic)
        self._stopping = asyncio.Event()
        self._behind_since: float | None = None

    async def consume(self, batch: Batch) -> None:
        """Take a batch. Returning is the acknowledgement: see docs/adr/0001.

        Raises `Retryable` while too much is open, while turns end faster than they can be stored,
        and where the journal can't be written; `Permanent` where one request brings more traces
        than are worked off in seconds. Nothing of the batch is kept then.
        """
        async with self._admission.of(batch):
            sequence = await self._journal.append(batch)
            try:
                await self._in(self._table, lambda: self._take(batch, sequence))
            finally:
                self._journal.consumed(sequence)

    def glance(self, body: bytes) -> None:
        """Refuse a protobuf request that `consume` would refuse at once, before it is decoded.
        Raises `Retryable`."""
        self._admission.glance(body)

    def _take(self, batch: Batch, sequence: int) -> None:
        self._pace.took(self._pipeline.consume(batch, sequence))

    async def recover(self) -> int:
        """Take what the journal holds of an earlier process; `run` must be running beside it.

        Returns how many requests there were. Ends early where `stop` is called: what was not read
        stays in the journal.
        """
        oldest = self._journal.oldest
        if oldest is None:
            await self._in(self._turns, lambda: self._finisher.forget_marks(self._journal.next))
            return 0
        marks = await self._marks()
        recovery = Recovery(oldest, marks, self._pipeline.assembler)
        frames = self._journal.replay()

        def step() -> bool:
            frame = next(frames, None)
            if frame is None:
                return False
            batch = recovery.batch(frame)
            if batch is not None:
                self._take(batch, frame.sequence)
            return True

        count = 0
        while not self._stopping.is_set() and await self._in(self._table, step):
            count += 1
            while self._pressure() is not Pressure.none and not self._stopping.is_set():
                await self._pause(TICK)
        await self._in(self._table, frames.close)
        return count

    async def _marks(self) -> dict[str, Mark]:
        """Return what the ledger says of the journal, once it says it."""
        while not self._stopping.is_set():
            try:
                return await self._in(self._turns, self._finisher.marks)
            except (Retryable, Permanent) as error:
                logger.error("the journal waits for the ledger: %s", error)
                self._finisher.refuses = str(error)
                await self._pause(RETRY_EVERY)
        return {}

    def _pressure(self, on_their_way: int = 0) -> Pressure:
        """Say how far behind the process is, with so many bytes of requests taken besides."""
        filled = self._pipeline.filled(on_their_way)
        if self.lag_s > 2 * MAX_LAG or filled > FULL:
            return Pressure.full
        behind = self.lag_s > MAX_LAG or filled > HIGH
        return max(self._pace.pressure, Pressure.high if behind else Pressure.none)

    @property
    def lag_s(self) -> float:
        """Seconds for which turns that are over have been waiting to be finished."""
        since = self._behind_since
        return 0.0 if since is None else time.monotonic() - since

    @property
    def ledger_refuses(self) -> str | None:
        """Why the ledger takes no turns now, None where it does."""
        return self._finisher.refuses

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
                if self._finisher.refuses is not None:
                    break
            await self._again(due)
            await self._retire()
            pause = PRESSED_TICK if self._pipeline.pressed else TICK
            await self._pause(pause if self._finisher.refuses is None else RETRY_EVERY)

    async def _pause(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)

    def stop(self) -> None:
        """Ask `run` to end after the turns it is at."""
        self._stopping.set()
        self._admission.stop()

    async def drain(self) -> int:
        """Close everything that is open, within the deadline. Returns the groups that are left,
        whose traces are named in the log. The threads end with it."""
        left = await self._in(self._table, lambda: self._pipeline.due(final="shutdown"))
        with suppress(TimeoutError):
            async with asyncio.timeout(DRAIN_DEADLINE):
                while left:
                    left = await self._slice(left)
                    if self._finisher.refuses is not None:
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
        closed = await self._in(self._turns, lambda: self._finisher.finish(due))
        await self._in(self._table, lambda: self._book(closed))
        return list(due[len(closed) :])

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
        await self._in(self._turns, lambda: self._finisher.forget(before))

    async def _in(self, thread: ThreadPoolExecutor, work: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(thread, work)
