"""The snapshot as Prometheus reads it: the text format, or OpenMetrics with exemplars.

Written line by line from what was counted, as prometheus_client would write it, which takes ten
times as long: a scrape of thousands of series must not keep receivers from running. Nor is that
library imported here: it brings a web server with it, 2 MB on every pod. The tests hold each line
and each constant against it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import lru_cache

from collector.exporters.family import OVERFLOW, Exemplar, Labels, Reading, Snapshot
from collector.telemetry import Instrument

OVERFLOW_LABELS = {"otel_metric_overflow": "true"}
TEXT = "text/plain; version=0.0.4; charset=utf-8"
OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"


class Exposition:
    """Writes snapshots; what stands before a series' value is made once and kept."""

    def __init__(self) -> None:
        self._heads: dict[str, dict[Labels, tuple[str, ...]]] = {}

    def write(self, snapshot: Snapshot, accept: str = "") -> tuple[bytes, str]:
        """Return a snapshot as text with its content type: OpenMetrics with exemplars where the
        Accept header takes it, else the classic text format."""
        openmetrics = _wants_openmetrics(accept)
        parts = [
            # Encoded in parts, so that no single call holds up other threads for long.
            "".join(self._family(reading, openmetrics=openmetrics)).encode()
            for reading in snapshot
            if reading.labels
        ]
        if openmetrics:
            return b"".join([*parts, b"# EOF\n"]), OPENMETRICS
        return b"".join(parts), TEXT

    def _family(self, reading: Reading, *, openmetrics: bool) -> Iterator[str]:
        instrument = reading.instrument
        yield _about(instrument, openmetrics=openmetrics)
        heads = [self._of(instrument, labels) for labels in reading.labels]
        if instrument.buckets:
            for names, value, held in zip(heads, reading.values, reading.buckets, strict=True):
                total = 0
                for name, count, exemplar in zip(names, *held, strict=False):
                    total += count
                    yield _sample(name, total, exemplar if openmetrics else None)
                yield _sample(names[-2], total) + _sample(names[-1], value)
            return
        for names, value, exemplar in zip(heads, reading.values, reading.exemplars, strict=True):
            yield _sample(names[0], value, exemplar if openmetrics else None)

    def _of(self, instrument: Instrument, labels: Labels) -> tuple[str, ...]:
        known = self._heads.setdefault(instrument.name, {})
        if labels not in known:
            known[labels] = _heads(instrument, labels)
        return known[labels]


def _sample(head: str, value: float, exemplar: Exemplar | None = None) -> str:
    if exemplar is None:
        return f"{head} {_number(value)}\n"
    trace, counted, seconds = exemplar
    return (
        f'{head} {_number(value)} # {{trace_id="{trace}"}} {_number(counted)} {round(seconds, 3)}\n'
    )


def _wants_openmetrics(accept: str) -> bool:
    for offered in accept.split(","):
        kind, *parameters = (part.strip().lower() for part in offered.split(";"))
        refused = any(part.replace(" ", "") in ("q=0", "q=0.0") for part in parameters)
        if kind == "application/openmetrics-text" and not refused:
            return True
    return False


def _about(instrument: Instrument, *, openmetrics: bool) -> str:
    """The lines before a metric's samples."""
    about = _escaped(instrument.help) if openmetrics else instrument.help.replace("\\", r"\\")
    name = instrument.family if openmetrics else instrument.name
    kind = "gauge" if instrument.kind == "info" and not openmetrics else instrument.kind
    unit = f"# UNIT {name} {instrument.unit}\n" if openmetrics and instrument.unit else ""
    return f"# HELP {name} {about}\n# TYPE {name} {kind}\n{unit}"


def _heads(instrument: Instrument, labels: Labels) -> tuple[str, ...]:
    """What stands before the values of one series; of a histogram: buckets, count and sum."""
    named: Mapping[str, str] = dict(zip(instrument.labels, labels, strict=False))
    if instrument.labels and labels == OVERFLOW:
        named = OVERFLOW_LABELS
    name = instrument.name
    if not instrument.buckets:
        return (_head(name, named),)
    bounds = (*map(_number, instrument.buckets), "+Inf")
    return (
        *(_head(f"{name}_bucket", {**named, "le": bound}) for bound in bounds),
        _head(f"{name}_count", named),
        _head(f"{name}_sum", named),
    )


def _head(name: str, labels: Mapping[str, str]) -> str:
    if not labels:
        return name
    pairs = ",".join(f'{key}="{_escaped(value)}"' for key, value in sorted(labels.items()))
    return f"{name}{{{pairs}}}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")


def _number(value: float) -> str:
    """Write a number as Go does, which goes over to exponents sooner than Python."""
    # Both zeros are one key.
    return repr(float(value)) if value == 0 else _written(value)


@lru_cache(4096)  # the same counts stand in many lines
def _written(value: float) -> str:
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    if math.isnan(value):
        return "NaN"
    text = repr(float(value))
    dot = text.find(".")
    if value > 0 and dot > 6:
        mantissa = f"{text[0]}.{text[1:dot]}{text[dot + 1 :]}".rstrip("0.")
        return f"{mantissa}e+{dot - 1:02d}"
    return text
