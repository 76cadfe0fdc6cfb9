"""Wires the stages together and runs them: sinks start first, sources stop first."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from collector.admin import Admin
from collector.config import Config
from collector.errors import Permanent, Retryable
from collector.exporters.aggregate import Aggregate
from collector.in_flight import InFlight
from collector.inspection.looking import Looking
from collector.journal import Journal
from collector.ledger import Ledger
from collector.ledger.files import private_directory
from collector.otlp import Batch
from collector.pipeline import default_pipeline
from collector.receivers.otlp_grpc import OtlpGrpc
from collector.receivers.otlp_http import OtlpHttp
from collector.stage import Stage
from collector.turn_stage import TurnStage
from scorers.judges import JUDGES

logger = logging.getLogger(__name__)

SIZE_EVERY = 1.0  # seconds between two looks at the ledger's size
STOP_DEADLINE = 5.0  # seconds for each stage that serves others to finish what it is at


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
        looking = Looking()
        pipeline = default_pipeline(
            config.turns, clock=time.monotonic, observer=self.aggregate, onlooker=looking
        )
        self.journal = Journal(
            Path(config.storage.directory) / "journal",
            config.journal,
            self.aggregate,
            linger=config.turns.linger,
            # Raw requests stay no longer than they must where texts are not to be kept.
            linger_bytes=None if config.privacy.keep_text else 0,
        )
        self.turns = TurnStage(pipeline, self.journal, self.ledger, self.aggregate)
        self._stop = asyncio.Event()
        self._receiving = False
        self._refusal = "the sidecar is reading its journal"
        self._ledger_trouble: str | None = None
        otlp = config.receivers.otlp
        in_flight = InFlight(otlp.max_in_flight_bytes)
        receiving = (self._consume, self.aggregate, in_flight, self.turns.glance)
        self._grpc = OtlpGrpc(otlp.grpc, *receiving)
        self._http = OtlpHttp(otlp.http, *receiving)
        self._admin = Admin(
            config.service.admin,
            self.aggregate,
            self.ledger,
            checks=self._checks,
            inspect=looking.report,
        )
        self.aggregate.watch("tellback_open_turns", lambda: self.turns.open_turns)
        self.aggregate.watch("tellback_ledger_size_bytes", self.ledger.size_bytes)
        self.aggregate.watch("tellback_journal_size_bytes", self.journal.size_bytes)

    def stop(self) -> None:
        """Ask the running service to drain and end. May be called more than once."""
        self._stop.set()

    async def run(self, started: Callable[[Addresses], None]) -> int:
        """Run until `stop`; calls `started` once everything listens. Returns how many groups of
        traces could not be stored in the end.

        Raises `ConfigError` where a stage can't start; nothing is then left running.
        """
        try:
            return await self._run(started)
        except ExceptionGroup as group:
            if len(group.exceptions) == 1:
                raise group.exceptions[0] from None
            raise

    async def _run(self, started: Callable[[Addresses], None]) -> int:
        async with AsyncExitStack() as sinks:
            # A storage folder of ours is readable by its owner only, also one from before.
            private_directory(Path(self._config.storage.directory))
            self.ledger.open()
            sinks.callback(self.ledger.close)
            self.journal.open()
            sinks.callback(self.journal.close)
            await self._start(sinks, self._admin)
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self.turns.run(), name="close turns")
                looking = tasks.create_task(self._look_after_ledger(), name="ledger")
                try:
                    async with AsyncExitStack() as sources:
                        # They answer from the start: who sends is told to come again.
                        await self._start(sources, self._grpc)
                        listening = tasks.create_task(self._grpc.keep_listening(), name="gRPC")
                        sources.callback(listening.cancel)
                        await self._start(sources, self._http)
                        await self._recover(tasks)
                        self._receiving = not self._stop.is_set()
                        started(Addresses(self._grpc.port, self._http.port, self._admin.port))
                        await self._stop.wait()
                        logger.info("stopping: %d groups of traces are open", self.turns.open_turns)
                        self._receiving = False
                        self._refusal = "the sidecar is shutting down"
                finally:
                    self.turns.stop()
                    looking.cancel()
            left = await self.turns.drain()
            if not left:
                logger.info("stopped: no turn is left open")
            return left

    async def _recover(self, tasks: asyncio.TaskGroup) -> None:
        """Take what an earlier process left in the journal, until `stop` is called."""
        recovering = tasks.create_task(self.turns.recover(), name="read the journal")
        stopping = tasks.create_task(self._stop.wait(), name="stop")
        await asyncio.wait({recovering, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if not recovering.done():
            self.turns.stop()
        count = await recovering
        if count:
            logger.info("requests taken from the journal: %d", count)
            self.aggregate.journaled("replayed", count)

    async def _start(self, stack: AsyncExitStack, stage: Stage) -> None:
        await stage.start()
        stack.push_async_callback(stage.shutdown, STOP_DEADLINE)

    async def _consume(self, batch: Batch) -> None:
        if not self._receiving:
            raise Retryable(self._refusal, reason="not_receiving", retry_after=5.0)
        await self.turns.consume(batch)

    async def _look_after_ledger(self) -> None:
        """See that the ledger is still there; delete by age from time to time, and by size as
        soon as it is a tenth over."""
        largest = self._config.privacy.retention_bytes
        due = 0.0
        while True:
            self._ledger_trouble = await asyncio.to_thread(self.ledger.trouble)
            over = largest is not None and self.ledger.over(largest)
            if over or time.monotonic() >= due:
                due = time.monotonic() + self._config.privacy.prune_every
                await self._prune_once()
            await asyncio.sleep(SIZE_EVERY)

    async def _prune_once(self) -> None:
        privacy = self._config.privacy
        try:
            pruned = await asyncio.to_thread(
                self.ledger.prune,
                now_ns=time.time_ns(),
                max_age_s=privacy.retention,
                max_bytes=privacy.retention_bytes,
            )
            self.aggregate.pruned(pruned)
        except (Permanent, Retryable) as error:
            logger.error("retention could not delete turns: %s", error)

    def _checks(self) -> dict[str, str | None]:
        """Say what works (None) and what does not (why), by name."""
        return {
            "receivers": None if self._receiving else self._refusal,
            "journal": self.journal.trouble,
            "ledger": self.turns.ledger_refuses or self._ledger_trouble,
        }
