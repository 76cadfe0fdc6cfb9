"""Groups whose turns may be over → turns in the ledger and the metrics, many at once."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Sequence
from typing import Protocol

from collector.assembly.closing import Closed, Closing
from collector.entry import Entry
from collector.errors import Permanent, Retryable
from collector.journal import Journal
from collector.ledger.mark import Mark
from collector.pipeline import Pipeline
from collector.pressure import Pace
from collector.recovery import marks_of

logger = logging.getLogger(__name__)

SLICE = 0.05  # seconds of finishing turns before they are stored and the table hears of them


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


class Finisher:
    """Assembles, scores and stores. Blocks: it belongs to one thread.

    `refuses` says why the ledger takes no turns now, None where it does.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        journal: Journal,
        ledger: TurnLedger,
        observer: TurnObserver,
        pace: Pace,
    ) -> None:
        self._pipeline = pipeline
        self._journal = journal
        self._observer = observer
        self._pace = pace
        self.ledger = ledger
        self.refuses: str | None = None

    def marks(self) -> dict[str, Mark]:
        """Return what the ledger says of the journal. Raises as the ledger does."""
        return self.ledger.marks(self._journal.id)

    def forget(self, before: int) -> None:
        """Let the journal go of what lies before a sequence, and the ledger of its marks."""
        if self._journal.retire(before):
            oldest = self._journal.oldest
            self.forget_marks(before if oldest is None else oldest)

    def forget_marks(self, before: int) -> None:
        """Have the ledger forget what it knows of requests that the journal holds no more."""
        try:
            self.ledger.forget_marks(self._journal.id, before)
        except (Permanent, Retryable) as error:
            logger.warning("marks of the journal stay in the ledger for now: %s", error)

    def finish(self, due: Sequence[Closing]) -> list[Closed]:
        """Assemble and score groups for a moment, and store what they gave at once. Returns those
        that are done, the first of `due`: none where the ledger refused."""
        finished: list[Closed] = []
        entries: list[Entry] = []
        marks: list[Mark] = []
        revised: set[str] = set()
        operations = 0
        began = time.monotonic()
        for closing in due:
            operations += len(closing.material.operations)
            closed, scored = self._pipeline.finish(closing)
            finished.append(closed)
            entries += scored
            marks += marks_of(self._journal.id, closing, closed)
            revised |= closing.given.keys()
            if time.monotonic() > began + SLICE:
                break
        self.refuses = self._store(entries, marks, revised) if entries or marks else None
        self._pace.finished(operations, time.monotonic() - began)
        return finished if self.refuses is None else []

    def _store(
        self, entries: Sequence[Entry], marks: Sequence[Mark], revised: Collection[str]
    ) -> str | None:
        """Store and count turns. Returns why the ledger refused them for now."""
        try:
            stored = self.ledger.write_all(entries, marks, revised=revised)
        except Retryable as error:
            self._observer.written("failed")
            if self.refuses is None:
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
