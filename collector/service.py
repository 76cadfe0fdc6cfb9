"""Wires the stages together and runs them: sinks start first, sources stop first.

The event loop receives, decodes and files; one worker thread assembles, scores and writes, so that
neither a large turn nor a slow disk holds up a receiver.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from collector.admin import Admin
from collector.assembly.assembler import Closed, Closing
from collector.config import Config
from collector.errors import Permanent, Retryable
from collector.exporters.aggregate import Aggregate
from collector.ledger import Ledger
from collector.ledger.files import private_directory
from collector.otlp import Batch
from collector.pipeline import default_pipeline
from collector.receivers.otlp_grpc import OtlpGrpc
from collector.receivers.otlp_http import OtlpHttp
from collector.stage import Stage
from scorers.judges import JUDGES
from scorers.turn import ClosedBy

logger = logging.getLogger(__name__)

TICK = 0.25  # seconds between two looks at what may be over
PRUNE_EVERY = 3600.0
RETRY_EVERY = 5.0  # seconds until a ledger that refused is tried again
DRAIN_DEADLINE = 20.0  # seconds for everything that shutting down may take


@dataclass(frozen=True, slots=True)
class Addresses:
    """The ports that were bound, for people and tests to find."""

    grpc: int
    http: int
    admin: int


class Service:
    """The sidecar. Building it opens nothing; `run` does, until `stop` is called."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self.aggregate = Aggregate(
            scorers=[judge.name for judge in JUDGES],
            max_series=config.exporters.prometheus.max_series,
        )
        self.ledger = Ledger(config.storage.url, keep_text=config.privacy.keep_text)
        self._pipeline = default_pipeline(
            config.turns, clock=time.monotonic, observer=self.aggregate
        )
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="turns")
        self._stop = asyncio.Event()
        self._receiving = False
        self._ledger_refuses: str | None = None
        otlp = config.receivers.otlp
        self._grpc = OtlpGrpc(otlp.grpc, self._consume, self.aggregate)
        self._http = OtlpHttp(otlp.http, self._consume, self.aggregate)
        self._admin = Admin(config.service.admin, self.aggregate, self.ledger, checks=self._checks)
        self.aggregate.watch("tellback_open_turns", lambda: self._pipeline.assembler.open_count)
        self.aggregate.watch("tellback_ledger_size_bytes", self.ledger.size_bytes)

    def stop(self) -> None:
        """Ask the running service to drain and end. May be called more than once."""
        self._stop.set()

    async def run(self, started: Callable[[Addresses], None]) -> None:
        """Run until `stop`; calls `started` once everything listens.

        Raises `ConfigError` where a stage can't start; nothing is then left running.
        """
        try:
            await self._run(started)
        except ExceptionGroup as group:
            if len(group.exceptions) == 1:
                raise group.exceptions[0] from None
            raise

    async def _run(self, started: Callable[[Addresses], None]) -> None:
        async with AsyncExitStack() as sinks:
            sinks.callback(self._worker.shutdown)
            prepare(self._config)
            self.ledger.open()
            sinks.callback(self.ledger.close)
            await self._start(sinks, self._admin)
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._close_turns(), name="close turns")
                pruning = tasks.create_task(self._prune(), name="prune")
                try:
                    async with AsyncExitStack() as sources:
                        await self._start(sources, self._grpc)
                        await self._start(sources, self._http)
                        self._receiving = True
                        started(Addresses(self._grpc.port, self._http.port, self._admin.port))
                        await self._stop.wait()
                        self._receiving = False
                finally:
                    self._stop.set()
                    pruning.cancel()
            await self._drain()

    async def _start(self, stack: AsyncExitStack, stage: Stage) -> None:
        await stage.start()
        stack.push_async_callback(stage.shutdown, DRAIN_DEADLINE / 4)

    async def _consume(self, batch: Batch) -> None:
        """Take a batch. Returning is the acknowledgement: see docs/adr/0001."""
        if not self._receiving:
            raise Retryable("the sidecar is shutting down", reason="shutdown", retry_after=5.0)
        self._pipeline.consume(batch)

    async def _close_turns(self) -> None:
        while not self._stop.is_set():
            for closing in self._pipeline.due():
                if self._stop.is_set():
                    self._pipeline.assembler.again(closing.key)  # left to draining
                else:
                    await self._close(closing)
            pause = TICK if self._ledger_refuses is None else RETRY_EVERY
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), pause)

    async def _close(self, closing: Closing) -> bool:
        loop = asyncio.get_running_loop()
        closed, refused = await loop.run_in_executor(self._worker, self._finish, closing)
        self._ledger_refuses = refused
        if refused is None:
            self._pipeline.done(closed)
        else:
            self._pipeline.assembler.again(closing.key)
        return refused is None

    def _finish(self, closing: Closing) -> tuple[Closed, str | None]:
        """Assemble, score and store one closing (worker thread). Returns why the ledger refused:
        the turns then stay open and are tried again, and nothing was counted twice."""
        closed, entries = self._pipeline.finish(closing)
        for entry in entries:
            try:
                new = self.ledger.write(entry)
            except Retryable as error:
                self.aggregate.written("failed")
                if self._ledger_refuses is None:
                    logger.error("the ledger refuses turns, they are kept: %s", error)
                return closed, str(error)
            except Permanent as error:
                # Trying again is of no use; the turn is still counted in the metrics.
                self.aggregate.written("failed")
                logger.error("turn %s can't be stored: %s", entry.turn.turn_id, error)
                new = True
            else:
                self.aggregate.written("new" if new else "seen")
            if new:
                ended = entry.turn.ended_ns
                delay = (time.time_ns() - ended) / 1e9 if ended else None
                self.aggregate.turn(entry, close_delay_s=delay)
        return closed, None

    async def _prune(self) -> None:
        privacy = self._config.privacy
        loop = asyncio.get_running_loop()
        while True:
            try:
                pruned = await loop.run_in_executor(
                    self._worker,
                    lambda: self.ledger.prune(
                        now_ns=time.time_ns(),
                        max_age_s=privacy.retention,
                        max_bytes=privacy.retention_bytes,
                    ),
                )
                self.aggregate.pruned(pruned)
            except (Permanent, Retryable) as error:
                logger.error("retention could not delete turns: %s", error)
            await asyncio.sleep(PRUNE_EVERY)

    async def _drain(self, final: ClosedBy = "shutdown") -> None:
        """Close what is open, within the deadline, and name what is left."""
        left = self._pipeline.due(final=final)
        with suppress(TimeoutError):
            async with asyncio.timeout(DRAIN_DEADLINE):
                while left and await self._close(left[0]):
                    left.pop(0)
        if left:
            traces = ", ".join(closing.key for closing in left[:5])
            logger.error(
                "shutdown: %d groups of traces were not stored, among them %s", len(left), traces
            )
            self.aggregate.dropped("shutdown", sum(len(c.material.parents) for c in left))

    def _checks(self) -> dict[str, str | None]:
        """Say what works (None) and what does not (why), by name."""
        return {
            "receivers": None if self._receiving else "not receiving yet, or shutting down",
            "ledger": self._ledger_refuses,
        }


def prepare(config: Config) -> None:
    """Create the storage directory, readable by its owner only."""
    private_directory(Path(config.storage.directory))
