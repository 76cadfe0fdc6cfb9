"""CPU of each step of the pipeline, over plain protobuf decoding of the same batches.

    python bench/pipeline.py [--rounds N] [--profile STEP] [WORKLOAD ...]

Floor and pipeline are measured in turn within one process, in seconds of CPU of one thread, so
that neighbours disturb both alike: the ratios are the result, medians over the rounds.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import statistics
import time
from collections.abc import Callable

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from workloads import WORKLOADS

from collector.assembly.settings import TurnsConfig
from collector.otlp import decode
from collector.pipeline import Pipeline, default_pipeline

BATCHES = 6
STEPS = ("decode", "consume", "close", "measure", "judge")


class Unobserved:
    """Takes counts and forgets them."""

    def received(self, receiver: str, signal: str, dialect: str, count: int) -> None:
        """Forget."""

    def dropped(self, reason: str, count: int) -> None:
        """Forget."""


class Stopwatch:
    """CPU seconds of this thread, by step."""

    def __init__(self, profiled: str | None) -> None:
        self.spent = dict.fromkeys(STEPS, 0.0)
        self.profiler = cProfile.Profile()
        self._profiled = profiled

    def time(self, step: str, work: Callable[[], object]) -> object:
        """Do some work and book what it took."""
        began = time.thread_time()
        found = self.profiler.runcall(work) if step == self._profiled else work()
        self.spent[step] += time.thread_time() - began
        return found


def floor(batches: list[bytes]) -> float:
    """Return the seconds that plain decoding takes."""
    began = time.thread_time()
    for batch in batches:
        ExportTraceServiceRequest.FromString(batch)
    return time.thread_time() - began


def pass_through(batches: list[bytes], watch: Stopwatch) -> None:
    """Run batches through the pipeline, a minute apart, so that every turn is over in between."""
    now = [0.0]
    pipeline: Pipeline = default_pipeline(
        TurnsConfig(), clock=lambda: now[0], observer=Unobserved()
    )
    for body in batches:
        batch = watch.time("decode", lambda body=body: decode("traces", "protobuf", body))
        watch.time("consume", lambda batch=batch: pipeline.consume(batch))
        now[0] += 60
        closings = watch.time("close", pipeline.due)
        for closing in closings:
            closed = watch.time("close", lambda closing=closing: pipeline.assemble(closing))
            for turn in closed.turns:
                found = watch.time("measure", lambda turn=turn: pipeline.worker.measure(turn))
                watch.time("judge", lambda f=found, turn=turn: pipeline.worker.judge(turn, f))
            watch.time("close", lambda closed=closed: pipeline.done(closed))


def main() -> None:
    """Print a line for each workload."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--profile", choices=STEPS, help="print where a step's time goes")
    options.add_argument("workloads", nargs="*", default=list(WORKLOADS), metavar="WORKLOAD")
    chosen = options.parse_args()
    print(
        f"{'workload':22}{'KB/span':>8}{'floor us':>9}", *(f"{step:>8}" for step in STEPS), end=""
    )
    print(f"{'no judge':>10}  spread")
    for name in chosen.workloads:
        workload = WORKLOADS[name]
        rounds: dict[str, list[float]] = {step: [] for step in (*STEPS, "no judge", "floor")}
        for number in range(chosen.rounds):
            batches = list(workload.batches(BATCHES, seed=number + 1))
            watch = Stopwatch(chosen.profile)
            floor(batches)
            least = floor(batches)
            pass_through(batches, watch)
            for step in STEPS:
                rounds[step].append(watch.spent[step] / least)
            rounds["no judge"].append(sum(watch.spent.values()) / least - rounds["judge"][-1])
            rounds["floor"].append(least / BATCHES / workload.spans * 1e6)
            if chosen.profile:
                pstats.Stats(watch.profiler).sort_stats("tottime").print_stats(30)
        middle = {step: statistics.median(values) for step, values in rounds.items()}
        size = sum(map(len, batches)) / BATCHES / workload.spans / 1000
        print(f"{name:22}{size:8.1f}{middle['floor']:9.2f}", end=" ")
        print(*(f"{middle[step]:8.2f}" for step in STEPS), f"{middle['no judge']:9.2f}", end="  ")
        print(f"{min(rounds['no judge']):.1f}-{max(rounds['no judge']):.1f}")


if __name__ == "__main__":
    main()
