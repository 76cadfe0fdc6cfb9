"""`Instrument`: one metric as it is declared, and the bounds of every metric's labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["counter", "gauge", "histogram", "info"]

# What one label may grow to below the labels before it; beyond, the overflow series counts.
CAPS = {
    "agent": 100,
    "agent_version": 20,
    "environment": 10,
    "dialect": 40,
    "tool": 100,
    "field": 20,
    "model": 50,
}
# No label of a metric holds more series than this, whatever its parts are.
MOST_SERIES = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Instrument:
    """One metric. `name` is the whole Prometheus name, `_total` and unit included.

    `values` lists what a label may be where that is fixed. Where all labels are fixed, every
    series exists from the start, with 0; a fixed label in `filled` exists with all its values as
    soon as the other labels are seen. `buckets` are a histogram's upper bounds. `limit` caps the
    number of series; what doesn't fit is counted in one series `otel_metric_overflow="true"`.
    """

    name: str
    kind: Kind
    help: str
    labels: tuple[str, ...] = ()
    unit: str = ""
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    filled: str | None = None
    buckets: tuple[float, ...] = ()
    limit: int = MOST_SERIES

    @property
    def family(self) -> str:
        """The name of the metric family, as OpenMetrics writes it: without the suffix."""
        suffix = {"counter": "_total", "info": "_info"}.get(self.kind, "")
        return self.name.removesuffix(suffix)

    @property
    def is_fixed(self) -> bool:
        """Whether all series are known before anything is counted."""
        return all(label in self.values for label in self.labels)
