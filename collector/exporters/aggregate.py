"""What the process counts: every observer reports here, every exporter reads a snapshot."""

from __future__ import annotations

import logging
import platform
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from collector.exporters.family import Family, Snapshot
from collector.exporters.label import clean
from collector.exporters.measured import count_entry
from collector.exporters.prometheus import Exposition
from collector.telemetry import INSTRUMENTS, MOST_SERIES

if TYPE_CHECKING:
    from collector.entry import Entry

logger = logging.getLogger(__name__)

RECEIVED = {"traces": "tellback_spans", "logs": "tellback_log_records"}


class Aggregate:
    """Counts from any thread; a scrape sees one moment of all of it.

    `clock` gives Unix seconds. `scorers` are known from the start, so that their pending replies
    are 0 and not absent before the first reply. `max_series` bounds the label sets of one metric.
    """

    def __init__(
        self,
        *,
        scorers: Iterable[str] = (),
        max_series: int = MOST_SERIES,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._families = {each.name: Family(each, max_series) for each in INSTRUMENTS}
        self._gauges: dict[str, Callable[[], float | None]] = {}
        self._exposition = Exposition()
        self._observed = 0
        self._settled: Counter[str] = Counter(dict.fromkeys(scorers, 0))
        self._families["tellback_build_info"].set((_version(), platform.python_version()), 1)

    def accepted(self, receiver: str, signal: str, count: int) -> None:
        """Note that a receiver took and acknowledged records; `received` counts them."""
        with self._lock:
            self._succeeded("receive")

    def refused(self, receiver: str, signal: str, reason: str, count: int) -> None:
        """Count records a receiver refused; a whole request is 1 where they can't be counted."""
        name = RECEIVED.get(signal, "tellback_requests")
        with self._lock:
            self._count(f"{name}_refused_total", count, receiver=receiver, reason=reason)

    def received(self, receiver: str, signal: str, dialect: str, count: int) -> None:
        """Count accepted records by the dialect that claimed them; `unknown` where none did."""
        with self._lock:
            if signal in RECEIVED:
                name = f"{RECEIVED[signal]}_received_total"
                self._count(name, count, receiver=receiver, dialect=dialect)

    def dropped(self, reason: str, count: int = 1) -> None:
        """Count records that were accepted and then let go without being measured."""
        with self._lock:
            self._count("tellback_spans_dropped_total", count, reason=reason)

    def turn(self, entry: Entry, *, close_delay_s: float | None = None) -> None:
        """Count one closed turn with all that was measured on it.

        To be called once a turn: `Ledger.write` says whether it is new. `close_delay_s` is the
        time from the end of its last operation to its closing.
        """
        with self._lock:
            now = self._clock()
            self._observed += 1
            self._settled.update(entry.states.keys())
            count_entry(self._families, entry, now=now)
            if close_delay_s is not None and close_delay_s >= 0:
                self._families["tellback_turn_close_delay_seconds"].observe((), close_delay_s)
            self._succeeded("turn")

    def written(self, outcome: str) -> None:
        """Count a write to the ledger: new, seen or failed."""
        with self._lock:
            self._count("tellback_ledger_writes_total", 1, outcome=outcome)
            if outcome != "failed":
                self._succeeded("ledger")

    def journaled(self, outcome: str, count: int) -> None:
        """Count requests by what became of them in the journal."""
        with self._lock:
            self._count("tellback_journal_requests_total", count, outcome=outcome)

    def synced(self) -> None:
        """Count a group of requests that the journal made durable."""
        with self._lock:
            self._count("tellback_journal_syncs_total", 1)

    def pruned(self, count: int) -> None:
        """Count turns that retention deleted."""
        with self._lock:
            self._count("tellback_ledger_turns_pruned_total", count)

    def watch(self, name: str, read: Callable[[], float | None]) -> None:
        """Have `read` give the value of an unlabelled gauge at every scrape; None is absent.

        It is called from the scrape's thread and may block shortly.
        """
        instrument = self._families[name].instrument
        if instrument.kind != "gauge" or instrument.labels:
            raise ValueError(f"{name} is not a gauge without labels")
        self._gauges[name] = read

    def snapshot(self) -> Snapshot:
        """Return every instrument with its series at one moment, in the table's order."""
        read = {name: self._read(name) for name in self._gauges}
        with self._lock:
            for name, value in read.items():
                if value is not None:
                    self._families[name].set((), value)
                else:
                    self._families[name].clear()
            for scorer, settled in self._settled.items():
                self._families["tellback_replies_pending"].set(
                    (clean(scorer),), self._observed - settled
                )
            return [family.read() for family in self._families.values()]

    def render(self, accept: str = "") -> tuple[bytes, str]:
        """Return `/metrics` and its content type, as the Accept header wishes.

        Takes time in proportion to the number of series: not for the event loop.
        """
        return self._exposition.write(self.snapshot(), accept)

    def _count(self, name: str, amount: float, **labels: str) -> None:
        if amount > 0:
            family = self._families[name]
            family.add(tuple(clean(labels[each]) for each in family.instrument.labels), amount)

    def _succeeded(self, stage: str) -> None:
        self._families["tellback_last_success_timestamp_seconds"].set((stage,), self._clock())

    def _read(self, name: str) -> float | None:
        try:
            value: Any = self._gauges[name]()
        except Exception:
            # A gauge that can't be read is absent; the scrape goes on.
            logger.exception("reading %s failed", name)
            return None
        return None if value is None else float(value)


def _version() -> str:
    try:
        return version("tellback")
    except PackageNotFoundError:  # run from a checkout that was never installed
        return "0"
