"""One metric's series: counted under bounded label sets, read as one snapshot."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from itertools import product

from collector.telemetry import CAPS, MOST_SERIES, Instrument

Labels = tuple[str, ...]
"""Cleaned label values (`label.clean`), in the order of the instrument's labels."""
# The label values of the series that takes what doesn't fit: none, and the overflow mark.
OVERFLOW: Labels = ()

Exemplar = tuple[str, float, float]
"""Trace id, value and Unix time of what was counted last."""


@dataclass(slots=True)
class Series:
    """One time series of a counter or gauge."""

    value: float = 0.0
    exemplar: Exemplar | None = None


@dataclass(slots=True)
class Distribution(Series):
    """One time series of a histogram: `value` is the sum; a bucket has an exemplar of its own."""

    buckets: list[int] = field(default_factory=list)
    exemplars: list[Exemplar | None] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Reading:
    """All series of one instrument at one moment, a list for each thing that they hold.

    So, thousands of series are read without an object for each, which the garbage collector would
    have to look at. `buckets` and their exemplars are a histogram's, else empty.
    """

    instrument: Instrument
    labels: list[Labels]
    values: list[float]
    exemplars: list[Exemplar | None]
    buckets: list[tuple[list[int], list[Exemplar | None]]]


Snapshot = list[Reading]
"""Every instrument at one moment."""


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
        self, labels: Labels, amount: float = 1.0, *, trace: str | None = None, now: float = 0.0
    ) -> None:
        """Count `amount`, never negative."""
        series = self._at(labels)
        series.value += amount
        if trace is not None and amount:
            series.exemplar = (trace, amount, now)

    def add_unnamed(self, amount: float) -> None:
        """Count what can't be a label under the overflow series, so that sums stay whole."""
        self._overflow().value += amount

    def set(self, labels: Labels, value: float) -> None:
        """Set a gauge."""
        self._at(labels).value = value

    def observe(
        self, labels: Labels, value: float, *, trace: str | None = None, now: float = 0.0
    ) -> None:
        """Put one value into a histogram."""
        series = self._at(labels)
        if not isinstance(series, Distribution):
            raise TypeError(f"{self.instrument.name} is no histogram")
        bucket = bisect_left(self.instrument.buckets, value)
        series.buckets[bucket] += 1
        series.value += value
        if trace is not None:
            series.exemplars[bucket] = (trace, value, now)

    def clear(self) -> None:
        """Forget all series: a gauge that can't be read is absent."""
        self._series.clear()

    def read(self) -> Reading:
        """Return all series as they are now; OVERFLOW stands for the overflow series."""
        series = self._series.values()
        return Reading(
            self.instrument,
            list(self._series),
            [one.value for one in series],
            [one.exemplar for one in series],
            [
                (one.buckets.copy(), one.exemplars.copy())
                for one in series
                if isinstance(one, Distribution)
            ]
            if self.instrument.buckets
            else [],
        )

    def _at(self, labels: Labels) -> Series:
        series = self._series.get(labels)
        if series is not None:
            return series
        return self._new(labels) if self._fits(labels) else self._overflow()

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
        if not self.instrument.buckets:
            return Series()
        ends = len(self.instrument.buckets) + 1
        return Distribution(buckets=[0] * ends, exemplars=[None] * ends)
