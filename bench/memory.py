"""Memory of the sidecar: idle, and at its peak under load.

    python bench/memory.py [--rounds N]

Each round starts a process of its own. Idle is the resident memory after three quiet seconds.
Peak is the kernel's high-water mark of the same process after four connections have sent batches
of 100 spans of about 20 KB as fast as it takes them: first agent runs, which are over when their
root span arrives, then single model calls, which stay open for the whole quiet period.
"""

from __future__ import annotations

import time

from body import Bodies
from load import HttpSender, send_all
from row import Row, Rows, show
from server import Sidecar, keep_off_the_servers_core
from workloads import WORKLOADS

CONNECTIONS = 4
IDLE_S = 3.0
LOADS = {"agent": 6.0, "chat 20 KB": 12.0}  # seconds


def measure(rounds: int) -> Rows:
    """Return the rows."""
    keep_off_the_servers_core()
    idle: list[float] = []
    peaks: dict[str, list[float]] = {name: [] for name in LOADS}
    bodies = {name: Bodies(WORKLOADS[name]) for name in LOADS}
    for _ in range(rounds):
        with Sidecar() as sidecar:
            time.sleep(IDLE_S)
            idle.append(sidecar.rss_mb())
            for name, seconds in LOADS.items():
                send_all(
                    lambda: HttpSender(sidecar.port),
                    bodies[name].take,
                    connections=CONNECTIONS,
                    seconds=seconds,
                )
                peaks[name].append(sidecar.peak_rss_mb())
    return [
        Row("idle memory", tuple(idle), at_most=80, unit=" MB"),
        *(
            Row(f"peak memory after {name}", tuple(values), at_most=150, unit=" MB")
            for name, values in peaks.items()
        ),
    ]


if __name__ == "__main__":
    show(measure, __doc__)
