"""Records → turns → entries: the whole of Tellback without a server, as `replay` runs it too.

`consume` and `due` belong to one owner (the event loop's thread); `finish` may run in another
thread, one closing at a time.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Protocol

from collector.assembly.assembler import Assembler
from collector.assembly.closing import Closed, Closing, close
from collector.assembly.conversations import Conversations
from collector.assembly.settings import TurnsConfig
from collector.content import UNREADABLE
from collector.dialect import AnyOperation, Dialect, Dialects
from collector.dialects import DIALECTS
from collector.entry import Entry
from collector.errors import where
from collector.otlp import Batch
from collector.scoring.worker import Worker
from collector.span import Record, Span
from collector.stated import Stating
from scorers.judges import JUDGES
from scorers.measures import MEASURES
from scorers.turn import ClosedBy

logger = logging.getLogger(__name__)

UNKNOWN = "unknown"  # the dialect of a record that no dialect claims


class PipelineObserver(Protocol):
    """Counts what the pipeline takes and leaves out."""

    def received(self, receiver: str, signal: str, dialect: str, count: int) -> None:
        """Count records handed to a dialect."""

    def dropped(self, reason: str, count: int) -> None:
        """Count records left out, with the reason."""


class Onlooker(Protocol):
    """Sees what the pipeline sees: an inspection of the telemetry itself."""

    def took(self, batch: Batch, claimed: Sequence[str], left_out: Sequence[str | None]) -> None:
        """Note which dialect claimed each record, and why it was left out if it was."""

    def finished(self, closing: Closing, entries: Sequence[Entry]) -> None:
        """Note what a closing gave."""


class Pipeline:
    """Dialects, assembly and scoring in a row."""

    def __init__(
        self,
        dialects: Sequence[Dialect],
        config: TurnsConfig,
        worker: Worker,
        *,
        clock: Callable[[], float],
        observer: PipelineObserver,
        onlooker: Onlooker | None = None,
    ) -> None:
        self._dialects = Dialects(dialects)
        self.worker = worker
        self._observer = observer
        self._onlooker = onlooker
        self._conversations = Conversations()
        self._limit = config.max_open_bytes
        self._stating = Stating(config)
        self.assembler = Assembler(config, clock)
        self.spans = 0
        self.log_records = 0

    def filled(self, on_their_way: int = 0) -> float:
        """Return how much is open, 1.0 being as much as should be, with so many bytes besides."""
        return (self.assembler.size + on_their_way) / self._limit

    @property
    def pressed(self) -> bool:
        """Whether much is open, so that turns that are over should be closed soon."""
        return self.assembler.agenda.pressed

    def consume(self, batch: Batch, sequence: int = 0) -> int:
        """Take one decoded request; `sequence` is where it stands in the journal. Returns how
        many operations were in it."""
        count = 0
        claimed: list[str] = []
        left_out: list[str | None] = []
        dropped: Counter[str] = Counter()
        for record in batch.records:
            dialect, operations = self._read(record, dropped)
            claimed.append(dialect)
            count += len(operations)
            if any(operation.capture.hidden == UNREADABLE for operation in operations):
                dropped[UNREADABLE] += 1  # of the record only: what else it says counts
            stated = self._stating.of(record)
            if operations:
                operations = self._stating.fill(operations, record, stated)
            reason = self.assembler.add(record, operations, sequence, stated)
            left_out.append(reason)
            if reason is not None:
                dropped[reason] += 1
            elif isinstance(record, Span):
                self.spans += 1
            else:
                self.log_records += 1
        for dialect, number in Counter(claimed).items():
            self._observer.received(batch.receiver, batch.signal, dialect, number)
        for reason, number in dropped.items():
            self._observer.dropped(reason, number)
        if self._onlooker is not None:
            try:
                self._onlooker.took(batch, claimed, left_out)
            except Exception as error:  # noqa: BLE001 - who looks on never stops the work
                logger.error("an onlooker failed: %s", where(error))
        return count

    def due(self, *, final: ClosedBy | None = None) -> list[Closing]:
        """Return the groups whose turns may be over; all that are open when `final` says why."""
        return self.assembler.due(final=final)

    def assemble(self, closing: Closing) -> Closed:
        """Return the turns of one closing."""
        return close(closing, self._conversations)

    def finish(self, closing: Closing) -> tuple[Closed, list[Entry]]:
        """Assemble and score the turns of one closing. Never raises for what they hold."""
        try:
            closed = self.assemble(closing)
            if closed.left_out:
                self._observer.dropped("tool_without_turn", closed.left_out)
            entries = [self.worker.score(turn) for turn in closed.turns]
            if self._onlooker is not None:
                self._onlooker.finished(closing, entries)
        except Exception as error:  # noqa: BLE001 - see below
            # A fault of ours must not stop the others' turns; it is counted and looked into.
            count = len(closing.material.operations)
            logger.error("a group of %d operations failed: %s", count, where(error))
            self._observer.dropped("assembly_failed", len(closing.material.parents))
            return closing.closed(), []
        else:
            return closed, entries

    def again(self, keys: Sequence[str]) -> None:
        """Have groups looked at again: what they gave could not be stored."""
        for key in keys:
            self.assembler.again(key)

    def done(self, closed: Closed) -> None:
        """Book a finished closing."""
        self.assembler.done(closed)

    def _read(self, record: Record, dropped: Counter[str]) -> tuple[str, tuple[AnyOperation, ...]]:
        for dialect in self._dialects.fitting(record):
            try:
                if dialect.claims(record):
                    return dialect.name, tuple(dialect.operations(record))
            except Exception as error:  # noqa: BLE001 - one record never takes others with it
                logger.warning("dialect %s failed: %s", dialect.name, type(error).__name__)
                dropped["dialect_failed"] += 1
                return dialect.name, ()
        return UNKNOWN, ()


def default_pipeline(
    config: TurnsConfig,
    *,
    clock: Callable[[], float],
    observer: PipelineObserver,
    onlooker: Onlooker | None = None,
) -> Pipeline:
    """Return the pipeline with every built-in dialect, measure and judge that needs no model."""
    worker = Worker(MEASURES, JUDGES)
    return Pipeline(DIALECTS, config, worker, clock=clock, observer=observer, onlooker=onlooker)
