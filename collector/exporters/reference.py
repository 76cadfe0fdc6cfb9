"""`docs/metrics.md`, written from the one table: `python -m collector.exporters.reference`."""

from __future__ import annotations

import sys

from collector.telemetry import CAPS, INSTRUMENTS, MOST_SERIES, Instrument

HEAD = """\
# Metrics

<!-- Generated from collector/telemetry by `python -m collector.exporters.reference`. -->

Every metric on `/metrics`. Counters only grow while the process lives: look at `rate()` or
`increase()`. What was never measured has no series; 0 means that it was measured and none was
found. Counters of turns carry the trace id of the last one counted as an exemplar (OpenMetrics).

"""

TAIL = f"""
## Labels

Values are cleaned: characters that break lines become a blank, a value longer than 100 characters
keeps its start and gets a hash, and what is not known is `unknown`. No metric has more than
{MOST_SERIES} label sets, and a label no more values below the labels before it than this:

| label | values |
|---|---|
{"".join(f"| `{label}` | {cap} |{chr(10)}" for label, cap in CAPS.items())}
What doesn't fit is counted in one series `otel_metric_overflow="true"`, so that sums stay whole.
Fields whose names look like data (addresses, numbers, sentences) are counted there too.
"""


def reference() -> str:
    """Return the page as Markdown."""
    rows = "\n".join(_row(instrument) for instrument in INSTRUMENTS)
    return (
        f"{HEAD}| metric | kind | unit | labels | meaning |\n|---|---|---|---|---|\n{rows}\n{TAIL}"
    )


def _row(instrument: Instrument) -> str:
    labels = ", ".join(_label(instrument, name) for name in instrument.labels) or "–"
    meaning = instrument.help
    if instrument.buckets:
        meaning += f" Buckets: {', '.join(f'{bound:g}' for bound in instrument.buckets)}."
    return (
        f"| `{instrument.name}` | {instrument.kind} | {instrument.unit or '–'} "
        f"| {labels} | {meaning} |"
    )


def _label(instrument: Instrument, name: str) -> str:
    values = instrument.values.get(name)
    return f"`{name}` ({', '.join(values)})" if values else f"`{name}`"


if __name__ == "__main__":
    sys.stdout.write(reference())
