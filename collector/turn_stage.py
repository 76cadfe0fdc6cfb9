"""The stage between receivers and ledger: it keeps the table of open turns, and closes them.

Three threads share the work, so that neither a large request nor a large turn nor a slow disk
holds up a receiver: the event loop receives; `table` alone touches the open turns; `turns`
assembles, scores and stores, one group at a time.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol, TypeVar

from collector.assembly.closing import Closed, Closing
from collector.entry import Entry
from collector.errors import Permanent, Retryable
from collector.otlp import Batch
from collector.pipeline import Pipeline

logger = logging.getLogger(__name__)
Result = TypeVar("Result")

TICK = 0.25  # seconds between two looks at what may be over
SLICE = 0.2  # seconds of finishing turns before the table hears of them
RETRY_EVERY = 5.0  # seconds until a ledger that refused is tried again
MAX_LAG = 5.0  # seconds that turns may wait to be finished before senders are told to wait
DRAIN_DEADLINE = 20.0  # seconds for closing what is open at the end


class TurnLedger(Protocol):
    """Where finished turns are stored."""

    def write(self, entry: Entry) -> bool:
        """Store one turn; True where it is new. Raises `Retryable` or `Permanent`."""


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

    def __init__(self, pipeline: Pipeline, ledger: TurnLedger, observer: TurnObserver) -> None:
        self._pipeline = pipeline
        self._ledger = ledger
        self._observer = observer
        self._table = ThreadPoolExecutor(1, thread_name_prefix="table")
        self._turns = ThreadPoolExecutor(1, thread_name_prefix="turns")
        self._stopping = asyncio.Event()
        self._behind_since: float | None = None
        self.ledger_refuses: str | None = None

    async def consume(self, batch: Batch) -> None:
        """Take a batch. Returning is the acknowledgement: see docs/adr/0001.

        Raises `Retryable` while too much is open, and while turns end faster than they can be
        stored: what is acknowledged must not pile up behind a slow disk.
        """
        if self.lag_s > MAX_LAG:
            raise Retryable("turns end faster than they can be stored", retry_after=2.0)
        await self._in(self._table, lambda: self._pipeline.consume(batch))

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
            pause = TICK if self.ledger_refuses is None else RETRY_EVERY
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), pause)

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
                "shutdown: %d groups of traces were not stored, among them %s", len(left), traces
            )
            self._observer.dropped("shutdown", sum(len(c.material.parents) for c in left))
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

    def _finish(self, due: Sequence[Closing]) -> _Progress:
        progress = _Progress([])
        until = time.monotonic() + SLICE
        for closing in due:
            closed, entries = self._pipeline.finish(closing)
            for entry in entries:
                progress.refused = self._store(entry)
                if progress.refused is not None:
                    # The group stays open and is tried again; the ledger knows what it has.
                    return progress
            progress.closed.append(closed)
            if time.monotonic() > until:
                break
        return progress

    def _store(self, entry: Entry) -> str | None:
        """Store and count one turn. Returns why the ledger refused it for now."""
        try:
            new = self._ledger.write(entry)
        except Retryable as error:
            self._observer.written("failed")
            if self.ledger_refuses is None:
                logger.error("the ledger refuses turns, they are kept: %s", error)
            return str(error)
        except Permanent as error:
            # Trying again is of no use; the turn is still counted in the metrics.
            self._observer.written("failed")
            logger.error("turn %s can't be stored: %s", entry.turn.turn_id, error)
            new = True
        else:
            self._observer.written("new" if new else "seen")
        if new:
            ended = entry.turn.ended_ns
            delay = (time.time_ns() - ended) / 1e9 if ended else None
            self._observer.turn(entry, close_delay_s=delay)
        return None

    async def _in(self, thread: ThreadPoolExecutor, work: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(thread, work)
