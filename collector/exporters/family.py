"""One metric's series: counted under bounded label sets, read as one snapshot."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product

from collector.exporters.label import clean
from collector.telemetry import CAPS, MOST_SERIES, Instrument

Labels = tuple[str, ...]
# The label values of the series that takes what doesn't fit: none, and the overflow mark.
OVERFLOW: Labels = ()


@dataclass(slots=True)
class Series:
    """One time series. `exemplar` is the trace id, value and Unix time of the last one counted;
    a histogram has one for each bucket."""

    value: float = 0.0
    buckets: list[int] = field(default_factory=list)
    exemplars: dict[int, tuple[str, float, float]] = field(default_factory=dict)

    def copy(self) -> Series:
        """Return a copy that later counting doesn't change."""
        return Series(self.value, list(self.buckets), dict(self.exemplars))


Snapshot = list[tuple[Instrument, list[tuple[Labels, Series]]]]
"""Every instrument with its series at one moment."""


class Family:
    """The series of one instrument. Not thread-safe by itself: `Aggregate` holds the lock."""

    def __init__(self, instrument: Instrument, limit: int = MOST_SERIES) -> None:
        self.instrument = instrument
        self._limit = min(limit, instrument.limit)
        self._series: dict[Labels, Series] = {}
        # Distinct values of a capped label, under the labels before it.
        self._below: dict[Labels, set[str]] = {}
        if instrument.is_fixed and (instrument.kind == "counter" or instrument.buckets):
            for labels in product(*(instrument.values[name] for name in instrument.labels)):
                self._series[labels] = self._empty()

    def add(
        self,
        labels: Mapping[str, str | None],
        amount: float = 1.0,
        *,
        trace: str | None = None,
        now: float = 0.0,
    ) -> None:
        """Count `amount`, never negative."""
        series = self._at(labels)
        series.value += amount
        if trace is not None and amount:
            series.exemplars[0] = (trace, amount, now)

    def add_unnamed(self, amount: float) -> None:
        """Count what can't be a label under the overflow series, so that sums stay whole."""
        self._overflow().value += amount

    def set(self, labels: Mapping[str, str | None], value: float) -> None:
        """Set a gauge."""
        self._at(labels).value = value

    def observe(
        self,
        labels: Mapping[str, str | None],
        value: float,
        *,
        trace: str | None = None,
        now: float = 0.0,
    ) -> None:
        """Put one value into a histogram."""
        bounds = self.instrument.buckets
        series = self._at(labels)
        bucket = bisect_left(bounds, value)
        series.buckets[bucket] += 1
        series.value += value
        if trace is not None:
            series.exemplars[bucket] = (trace, value, now)

    def clear(self) -> None:
        """Forget all series: a gauge that can't be read is absent."""
        self._series.clear()

    def snapshot(self) -> list[tuple[Labels, Series]]:
        """Return all series as they are now; OVERFLOW stands for the overflow series."""
        return [(labels, series.copy()) for labels, series in self._series.items()]

    def _at(self, labels: Mapping[str, str | None]) -> Series:
        names = self.instrument.labels
        wanted = tuple(clean(labels.get(name)) for name in names)
        series = self._series.get(wanted)
        if series is not None:
            return series
        return self._new(wanted) if self._fits(wanted) else self._overflow()

    def _fits(self, wanted: Labels) -> bool:
        if len(self._series) >= self._limit:
            return False
        capped = [
            (wanted[:at], wanted[at], CAPS[name])
            for at, name in enumerate(self.instrument.labels)
            if name in CAPS
        ]
        for prefix, value, cap in capped:
            known = self._below.get(prefix, set())
            if value not in known and len(known) >= cap:
                return False
        for prefix, value, _ in capped:
            self._below.setdefault(prefix, set()).add(value)
        return True

    def _new(self, wanted: Labels) -> Series:
        filled = self.instrument.filled
        if filled is not None:
            # A rate needs its zero: without failures it is 0, not absent.
            at = self.instrument.labels.index(filled)
            for value in self.instrument.values[filled]:
                self._series.setdefault((*wanted[:at], value, *wanted[at + 1 :]), self._empty())
        return self._series.setdefault(wanted, self._empty())

    def _overflow(self) -> Series:
        # A metric without labels always fits, so the empty label set can't be its own series here.
        return self._series.setdefault(OVERFLOW, self._empty())

    def _empty(self) -> Series:
        bounds = self.instrument.buckets
        return Series(buckets=[0] * (len(bounds) + 1) if bounds else [])
