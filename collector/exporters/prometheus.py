"""The snapshot as Prometheus reads it: the text format, or OpenMetrics with exemplars.

Written line by line from what was counted, as prometheus_client would write it, which takes ten
times as long: a scrape of thousands of series must not keep receivers from running.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.openmetrics.exposition import CONTENT_TYPE_LATEST
from prometheus_client.utils import floatToGoString

from collector.exporters.family import OVERFLOW, Distribution, Exemplar, Labels, Series, Snapshot
from collector.telemetry import Instrument

OVERFLOW_LABELS = {"otel_metric_overflow": "true"}
# The same counts stand in many lines. prometheus_client leaves this function without types.
_number: Callable[[float], str] = lru_cache(4096)(floatToGoString)


class Exposition:
    """Writes snapshots; what stands before a series' value is made once and kept."""

    def __init__(self) -> None:
        self._heads: dict[tuple[str, Labels], tuple[str, ...]] = {}

    def write(self, snapshot: Snapshot, accept: str = "") -> tuple[bytes, str]:
        """Return a snapshot as text with its content type: OpenMetrics with exemplars where the
        Accept header takes it, else the classic text format."""
        openmetrics = _wants_openmetrics(accept)
        parts = [
            # Encoded in parts, so that no single call holds up other threads for long.
            "".join(self._family(instrument, series, openmetrics=openmetrics)).encode()
            for instrument, series in snapshot
            if series
        ]
        if openmetrics:
            return b"".join([*parts, b"# EOF\n"]), CONTENT_TYPE_LATEST
        return b"".join(parts), CONTENT_TYPE_PLAIN_0_0_4

    def _family(
        self, instrument: Instrument, series: Iterable[tuple[Labels, Series]], *, openmetrics: bool
    ) -> Iterator[str]:
        yield _about(instrument, openmetrics=openmetrics)
        for labels, one in series:
            heads = self._heads.get((instrument.name, labels))
            if heads is None:
                heads = self._heads[instrument.name, labels] = _heads(instrument, labels)
            if isinstance(one, Distribution):
                total = 0
                for head, count, exemplar in zip(heads, one.buckets, one.exemplars, strict=False):
                    total += count
                    seen = _exemplar(exemplar) if exemplar and openmetrics else ""
                    yield f"{head} {_number(total)}{seen}\n"
                yield f"{heads[-2]} {_number(total)}\n{heads[-1]} {_number(one.value)}\n"
            else:
                seen = _exemplar(one.exemplar) if one.exemplar and openmetrics else ""
                yield f"{heads[0]} {_number(one.value)}{seen}\n"


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


def _exemplar(exemplar: Exemplar) -> str:
    trace, value, seconds = exemplar
    return f' # {{trace_id="{_escaped(trace)}"}} {_number(value)} {round(seconds, 3)}'


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")
