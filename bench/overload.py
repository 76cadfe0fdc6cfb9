"""What the sidecar does when it is offered ten times what it can do, for a minute.

    python bench/overload.py

One run, in four phases, on agent runs with small results (so that the generator, too, can do ten
times as much), with the sidecar pinned to a core:

1. Sustainable rate: eight connections send as exporters do, and honour Retry-After; the rate is
   that at which turns reach the ledger once it is saturated.
2. Target load, 80 % of it: the lag of the event loop, while /metrics is scraped every second.
3. Overload: 64 connections offer ten times the rate for a minute and honour nothing.
4. Recovery: 80 % of the rate at once. Full speed is back with the last refusal.

Every acknowledged trace must be in the ledger in the end, by its id. "Offered" is what was really
sent: where the generator can't do ten times, the table says so.
"""

from __future__ import annotations

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from body import Bodies
from lag import Probe, percentile
from load import Answer, Answers, HttpSender, send_all, send_paced
from row import Row, Rows, show
from server import Sidecar, keep_off_the_servers_core
from workloads import WORKLOADS

SATURATION_S = (5.0, 15.0)  # from when to when turns are counted
TARGET_LOAD = 0.8
TARGET_S = 15.0
OVERLOAD = 10
OVERLOAD_S = 60.0
FEW, MANY = 8, 128  # connections
RECOVERY_S = 15.0
FULL_SPEED_S = 5.0
SPANS, TRACES = 100, 10  # of a request


class Run:
    """One sidecar, and what it was sent."""

    def __init__(self, sidecar: Sidecar) -> None:
        self._sidecar = sidecar
        self._bodies = Bodies(WORKLOADS["agent, small results"])
        self.answers: list[Answer] = []

    def sustainable(self) -> float:
        """Return the requests a second whose turns reach the ledger under full load."""
        start, end = SATURATION_S
        with ThreadPoolExecutor(1) as pool:
            sending = pool.submit(
                send_all, self._open, self._bodies.take, connections=FEW, seconds=end
            )
            time.sleep(start)
            before, began = self._sidecar.finished(), time.monotonic()
            self.answers += sending.result().every
            rate = (self._sidecar.finished() - before) / TRACES / (time.monotonic() - began)
        self.missing()
        return rate

    def offer(self, per_second: float, seconds: float, connections: int) -> Answers:
        """Offer so many requests a second."""
        found = send_paced(
            self._open,
            self._bodies.take,
            per_second=per_second,
            seconds=seconds,
            connections=connections,
        )
        self.answers += found.every
        return found

    def target_load(self, per_second: float) -> list[float]:
        """Return the lags of the event loop at the target load, with scrapes."""
        probe = Probe(self._sidecar.admin_port, TARGET_S)
        with ThreadPoolExecutor(1) as pool:
            sending = pool.submit(self.offer, per_second * TARGET_LOAD, TARGET_S, FEW)
            while not sending.done():
                self._sidecar.metric("tellback_open_turns")
                time.sleep(1.0)
        return probe.result()

    def overload(self, per_second: float) -> tuple[Answers, list[float], float]:
        """Return the answers under overload, the memory at every second of it, and the requests a
        second whose turns reached the ledger all the same."""
        memory: list[float] = []
        over = threading.Event()

        def watch() -> None:
            while not over.wait(1.0):
                memory.append(self._sidecar.rss_mb())

        with ThreadPoolExecutor(1) as pool:
            watching = pool.submit(watch)
            before, began = self._sidecar.finished(), time.monotonic()
            try:
                answers = self.offer(per_second * OVERLOAD, OVERLOAD_S, MANY)
            finally:
                over.set()
            watching.result()
        done = (self._sidecar.finished() - before) / TRACES / (time.monotonic() - began)
        return answers, memory, done

    def recovery_s(self, per_second: float) -> float:
        """Return the seconds until the target load is accepted as a whole."""
        began = time.monotonic()
        answers = self.offer(per_second * TARGET_LOAD, RECOVERY_S, FEW)
        return max((one.ended - began for one in answers.every if one.status != 200), default=0.0)

    def missing(self) -> int:
        """Wait for the ledger, and return how many acknowledged traces never reached it."""
        acknowledged = {
            trace for one in Answers(self.answers).accepted for trace in one.body.trace_ids()
        }
        until = time.monotonic() + 90
        left = acknowledged
        while left and time.monotonic() < until:
            time.sleep(1.0)
            stored = self._sidecar.ledger("SELECT trace_ids FROM turns")
            left = acknowledged.difference(*(json.loads(ids) for (ids,) in stored))
        return len(left)

    def surplus(self) -> int:
        """Return the turns in the ledger beyond one for each acknowledged trace."""
        return self._sidecar.finished() - Answers(self.answers).traces

    def _open(self) -> HttpSender:
        return HttpSender(self._sidecar.port)


def measure(_rounds: int) -> Rows:
    """Return the rows of one run; it takes two minutes."""
    keep_off_the_servers_core()
    with Sidecar() as sidecar:
        run = Run(sidecar)
        rate = run.sustainable()
        lags = [lag * 1e3 for lag in run.target_load(rate)]
        run.missing()
        answers, memory, done = run.overload(rate)
        recovery = run.recovery_s(rate)
        lost = run.missing()
        surplus = run.surplus()
    times = [one.ended - one.began for one in answers.every]
    offered = len(answers.every) / OVERLOAD_S / rate
    third = len(memory) // 3
    return [
        Row("sustainable spans per s on one core", (rate * SPANS,)),
        Row("event-loop lag at target load, p99", (percentile(lags, 0.99),), 50, unit=" ms"),
        Row("event-loop lag at target load, most", (max(lags),), 50, unit=" ms"),
        Row("overload: offered over sustainable", (offered,), at_least=OVERLOAD * 0.95),
        Row("overload: turns into the ledger over sustainable", (done / rate,)),
        Row("overload: requests accepted", (float(len(answers.accepted)),)),
        Row("overload: requests refused, 429 or 503", (float(len(answers.refused)),)),
        Row("overload: any other answer, or none", (float(answers.wrong),), at_most=0),
        Row("overload: answer time, p50", (percentile(times, 0.5),), unit=" s"),
        Row("overload: answer time, p99", (percentile(times, 0.99),), unit=" s"),
        Row("overload: peak memory", (max(memory),), unit=" MB"),
        Row(
            "overload: memory, last third over middle third",
            (max(memory[-third:]) / max(memory[third:-third]),),
            at_most=1.1,
        ),
        Row("overload: s until full speed again", (recovery,), at_most=FULL_SPEED_S),
        Row("acknowledged turns lost", (float(lost),), at_most=0),
        Row("turns beyond one per acknowledged trace", (float(surplus),), at_most=0),
    ]


if __name__ == "__main__":
    show(measure, __doc__)
