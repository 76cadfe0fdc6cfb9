"""The snapshot as Prometheus reads it: the text format, or OpenMetrics with exemplars."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from prometheus_client import CollectorRegistry
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.exposition import generate_latest as plain_text
from prometheus_client.metrics_core import Metric
from prometheus_client.openmetrics.exposition import (
    ALLOWUTF8,
    CONTENT_TYPE_LATEST,
)
from prometheus_client.openmetrics.exposition import generate_latest as openmetrics_text
from prometheus_client.samples import Exemplar
from prometheus_client.utils import floatToGoString

from collector.exporters.family import OVERFLOW, Labels, Series, Snapshot
from collector.telemetry import Instrument

OVERFLOW_LABELS = {"otel_metric_overflow": "true"}


class _Families:
    """A snapshot as prometheus_client asks for it."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def collect(self) -> Iterator[Metric]:
        """Yield the metric families; one without series is left out: absent, not 0."""
        for instrument, series in self._snapshot:
            if series:
                yield _metric(instrument, series)


def exposition(snapshot: Snapshot, accept: str = "") -> tuple[bytes, str]:
    """Return a snapshot as text with its content type: OpenMetrics with exemplars where the
    Accept header takes it, else the classic text format."""
    # A registry of its own: what libraries register with the global one is not ours to export.
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Families(snapshot))
    # The names need no escaping, and saying so is several times faster.
    if _wants_openmetrics(accept):
        # prometheus_client leaves this function without types.
        text: bytes = openmetrics_text(registry, escaping=ALLOWUTF8)  # type: ignore[no-untyped-call]
        return text, CONTENT_TYPE_LATEST
    return plain_text(registry, escaping=ALLOWUTF8), CONTENT_TYPE_PLAIN_0_0_4


def _wants_openmetrics(accept: str) -> bool:
    for offered in accept.split(","):
        kind, *parameters = (part.strip().lower() for part in offered.split(";"))
        refused = any(part.replace(" ", "") in ("q=0", "q=0.0") for part in parameters)
        if kind == "application/openmetrics-text" and not refused:
            return True
    return False


def _metric(instrument: Instrument, series: Iterable[tuple[Labels, Series]]) -> Metric:
    metric = Metric(instrument.family, instrument.help, instrument.kind, instrument.unit)
    for values, one in series:
        labels = dict(zip(instrument.labels, values, strict=False))
        if instrument.labels and values == OVERFLOW:
            labels = OVERFLOW_LABELS
        if instrument.kind == "histogram":
            _histogram(metric, instrument, labels, one)
        else:
            metric.add_sample(instrument.name, labels, one.value, exemplar=_exemplar(one, 0))
    return metric


def _histogram(
    metric: Metric, instrument: Instrument, labels: dict[str, str], series: Series
) -> None:
    total = 0
    bounds = (*map(floatToGoString, instrument.buckets), "+Inf")
    for at, (bound, count) in enumerate(zip(bounds, series.buckets, strict=True)):
        total += count
        metric.add_sample(
            f"{instrument.name}_bucket",
            {**labels, "le": bound},
            total,
            exemplar=_exemplar(series, at),
        )
    metric.add_sample(f"{instrument.name}_count", labels, total)
    metric.add_sample(f"{instrument.name}_sum", labels, series.value)


def _exemplar(series: Series, at: int) -> Exemplar | None:
    found = series.exemplars.get(at)
    if found is None:
        return None
    trace, value, seconds = found
    return Exemplar({"trace_id": trace}, value, round(seconds, 3))
