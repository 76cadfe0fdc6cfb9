"""CPU of each step of the pipeline, over plain protobuf decoding of the same batches.

    python bench/pipeline.py [--rounds N] [--profile STEP] [WORKLOAD ...]

Floor and pipeline are measured in turn within one process, in seconds of CPU of one thread, so
that neighbours disturb both alike: the ratios are the result, medians over the rounds. The targets
are about journal, decode, consume, close and measure together, which the column "no judge" adds.
"""

from __future__ import annotations

import argparse
import cProfile
import itertools
import pstats
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from row import Row, Rows
from workloads import WORKLOADS

from collector.assembly.settings import TurnsConfig
from collector.journal import Frame, JournalConfig
from collector.journal.segment import Segment
from collector.otlp import decode
from collector.pipeline import Pipeline, default_pipeline

BATCHES = 6
STEPS = ("journal", "decode", "consume", "close", "measure", "judge")
HOT = STEPS[:-1]  # what the targets are about
TARGETS = {"agent": 3.5, "agent, large results": 3.5, "chat 20 KB": 0.8, "chat 100 KB": 0.8}


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
        self.profiler = cProfile.Profile(time.thread_time)
        self._profiled = profiled

    def time(self, step: str, work: Callable[[], Any]) -> Any:
        """Do some work and book what it took."""
        began = time.thread_time()
        found = self.profiler.runcall(work) if step == self._profiled else work()
        self.spent[step] += time.thread_time() - began
        return found

    @property
    def hot(self) -> float:
        """Seconds of the steps that the targets are about."""
        return sum(self.spent[step] for step in HOT)


class Disk:
    """Makes requests durable in this thread, as the journal's own does for one that waits alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._size = JournalConfig().segment_bytes
        self._sequences = itertools.count(1)
        self._segment: Segment | None = None

    def append(self, body: bytes) -> None:
        """Write a request and sync; a full file is closed and goes."""
        sequence = next(self._sequences)
        if self._segment is not None and self._segment.used >= self._size:
            self._segment.close(0.0).path.unlink()
            self._segment = None
        if self._segment is None:
            self._segment = Segment(self._folder, sequence, self._size)
        self._segment.append([Frame(sequence, "otlp_http", "traces", "protobuf", body)])
        self._segment.sync()


def floor(batches: list[bytes]) -> float:
    """Return the seconds that plain decoding takes."""
    began = time.thread_time()
    for batch in batches:
        ExportTraceServiceRequest.FromString(batch)
    return time.thread_time() - began


def pass_through(batches: Sequence[bytes], watch: Stopwatch, *, apart: float = 60.0) -> None:
    """Run requests through the pipeline, so many seconds apart, and close all turns in the end."""
    now = [0.0]
    pipeline: Pipeline = default_pipeline(
        TurnsConfig(), clock=lambda: now[0], observer=Unobserved()
    )
    with tempfile.TemporaryDirectory() as folder:
        disk = Disk(Path(folder))
        for body in batches:
            watch.time("journal", lambda body=body: disk.append(body))
            batch = watch.time("decode", lambda body=body: decode("traces", "protobuf", body))
            watch.time("consume", lambda batch=batch: pipeline.consume(batch))
            now[0] += apart
            close(pipeline, watch)
    now[0] += 60
    close(pipeline, watch)


def close(pipeline: Pipeline, watch: Stopwatch) -> None:
    """Do what the service does with turns that are over, but for the ledger."""
    for closing in watch.time("close", pipeline.due):
        closed = watch.time("close", lambda closing=closing: pipeline.assemble(closing))
        for turn in closed.turns:
            found = watch.time("measure", lambda turn=turn: pipeline.worker.measure(turn))
            watch.time("judge", lambda f=found, turn=turn: pipeline.worker.judge(turn, f))
        watch.time("close", lambda closed=closed: pipeline.done(closed))


@lru_cache
def warm_up(name: str) -> None:
    """Have patterns compiled that a workload needs: a process does so once in its life."""
    pass_through(list(WORKLOADS[name].batches(2, seed=0)), Stopwatch(None))


def run(name: str, seed: int, profiled: str | None = None) -> tuple[float, Stopwatch]:
    """Return the floor's seconds and the pipeline's for one workload."""
    warm_up(name)
    batches = list(WORKLOADS[name].batches(BATCHES, seed=seed))
    watch = Stopwatch(profiled)
    floor(batches)
    least = floor(batches)
    pass_through(batches, watch)
    return least, watch


def measure(rounds: int) -> Rows:
    """Return a row for each workload with a target."""
    found: dict[str, list[float]] = {name: [] for name in TARGETS}
    for number in range(rounds):
        for name, ratios in found.items():
            least, watch = run(name, seed=number + 1)
            ratios.append(watch.hot / least)
    return [
        Row(f"pipeline CPU over protobuf decoding, {name}", tuple(ratios), at_most=TARGETS[name])
        for name, ratios in found.items()
    ]


def main() -> None:
    """Print a line for each workload."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--profile", choices=STEPS, help="print where a step's time goes")
    options.add_argument("workloads", nargs="*", default=list(WORKLOADS), metavar="WORKLOAD")
    chosen = options.parse_args()
    print(f"{'workload':22}{'floor us':>9}", *(f"{step:>8}" for step in STEPS), end="")
    print(f"{'no judge':>10}  spread")
    for name in chosen.workloads:
        rounds: dict[str, list[float]] = {step: [] for step in (*STEPS, "no judge", "floor")}
        for number in range(chosen.rounds):
            least, watch = run(name, number + 1, chosen.profile)
            for step in STEPS:
                rounds[step].append(watch.spent[step] / least)
            rounds["no judge"].append(watch.hot / least)
            rounds["floor"].append(least / BATCHES / WORKLOADS[name].spans * 1e6)
            if chosen.profile:
                pstats.Stats(watch.profiler).sort_stats("tottime").print_stats(30)
        middle = {step: statistics.median(values) for step, values in rounds.items()}
        print(f"{name:22}{middle['floor']:9.2f}", end=" ")
        print(*(f"{middle[step]:8.2f}" for step in STEPS), f"{middle['no judge']:9.2f}", end="  ")
        print(f"{min(rounds['no judge']):.1f}-{max(rounds['no judge']):.1f}")


if __name__ == "__main__":
    main()
