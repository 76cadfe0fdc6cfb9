"""Every metric that this process exports, declared once.

`/metrics`, `docs/metrics.md` and the tests of rules and dashboards all read this table. A metric
that is not here does not exist; one that is here is exported. Names follow the Prometheus
conventions: base units, counters end in `_total`, numerator and denominator are two counters.
"""

from __future__ import annotations

from collections.abc import Mapping

from collector.telemetry.instrument import CAPS, MOST_SERIES, Instrument, Kind
from collector.telemetry.process import DIALECTS, PROCESS, RECEIVERS
from collector.telemetry.turns import STATES, TURN, TURNS

__all__ = [
    "BY_NAME", "CAPS", "DIALECTS", "INSTRUMENTS", "MOST_SERIES", "RECEIVERS", "STATES", "TURN",
    "Instrument", "Kind",
]  # fmt: skip

INSTRUMENTS: tuple[Instrument, ...] = (*PROCESS, *TURNS)
BY_NAME: Mapping[str, Instrument] = {instrument.name: instrument for instrument in INSTRUMENTS}
