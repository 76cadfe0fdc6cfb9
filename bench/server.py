"""The processes that are measured: this sidecar, rotel and Phoenix, each on a core of its own.

CPU seconds and memory are those of the whole process tree, read from /proc. The server gets the
first core that this process may use, the load generator keeps the others; with one core, both
share it, which CPU seconds bear and answer times do not.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import closing
from pathlib import Path
from typing import Any, Self

HERE = Path(__file__).parent
CORES = sorted(os.sched_getaffinity(0))
TICK = os.sysconf("SC_CLK_TCK")
PATIENCE = 120.0  # seconds that a server may take to start, or to finish what it was given
PHOENIX = HERE / ".phoenix" / "bin" / "phoenix"


def keep_off_the_servers_core() -> None:
    """Move this process, the load generator, to the other cores."""
    if len(CORES) > 1:
        os.sched_setaffinity(0, CORES[1:])


class Server:
    """A program that receives OTLP. Its files are in a folder that goes with it."""

    name = ""
    port = 0  # OTLP over HTTP
    grpc_port = 0

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="tellback-bench-"))
        self.log = self.folder / "log"
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_exception: object) -> None:
        self.stop()

    def start(self) -> None:
        """Start it and wait until it answers."""
        raise NotImplementedError

    def finished(self) -> int:
        """Return how many traces it has done its whole work for."""
        raise NotImplementedError

    def spawn(self, *command: str, **environment: str) -> None:
        """Start the program on its core."""
        mine = os.sched_getaffinity(0)
        os.sched_setaffinity(0, CORES[:1])  # a child inherits it
        try:
            with self.log.open("wb") as log:
                self._process = subprocess.Popen(
                    command,
                    stdout=log,
                    stderr=log,
                    env=_environment() | environment,
                    cwd=self.folder,
                )
        finally:
            os.sched_setaffinity(0, mine)

    def stop(self) -> None:
        """Kill it and remove its files: nothing of them is needed any more."""
        for pid in reversed(self.tree()):
            os.kill(pid, signal.SIGKILL)
        if self._process is not None:
            self._process.wait()
            self._process = None
        shutil.rmtree(self.folder, ignore_errors=True)

    def wait_until(self, done: Any, what: str, patience: float = PATIENCE) -> None:
        """Wait until `done()`; ends the benchmark with the server's own words otherwise."""
        until = time.monotonic() + patience
        while not done():
            dead = self._process is None or self._process.poll() is not None
            if dead or time.monotonic() > until:
                words = self.log.read_text(errors="replace")[-2_000:]
                sys.exit(f"{self.name}: {what}: not within {patience:.0f} s\n{words}")
            time.sleep(0.05)

    def wait_finished(self, traces: int) -> None:
        """Wait until all its work for so many traces is done."""
        self.wait_until(lambda: self.finished() >= traces, f"finish {traces} traces")

    def listens(self, port: int) -> bool:
        """Say whether something answers on a port."""
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    def tree(self) -> list[int]:
        """Return the ids of the program and everything it started."""
        found = [] if self._process is None else [self._process.pid]
        for pid in found:
            for children in Path(f"/proc/{pid}/task").glob("*/children"):
                found += map(int, children.read_text().split())
        return found

    def cpu_s(self) -> float:
        """Return the CPU seconds it has used, ended children included."""
        ticks = 0
        for pid in self.tree():
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))
        return ticks / TICK

    def rss_mb(self) -> float:
        """Return the memory it holds."""
        return self._status("VmRSS")

    def peak_rss_mb(self) -> float:
        """Return the most memory it ever held, as the kernel saw it."""
        return self._status("VmHWM")

    def _status(self, field: str) -> float:
        status = "".join(Path(f"/proc/{pid}/status").read_text() for pid in self.tree())
        return sum(int(kb) for kb in re.findall(rf"{field}:\s+(\d+) kB", status)) / 1_000


class Sidecar(Server):
    """Tellback as `tellback run` starts it, with its default settings."""

    name = "tellback"
    admin_port = 0

    def start(self) -> None:
        """Start it on free ports."""
        config = self.folder / "tellback.yaml"
        config.write_text(
            "receivers: {otlp: {grpc: {endpoint: 127.0.0.1:0}, http: {endpoint: 127.0.0.1:0}}}\n"
            f"storage: {{directory: {self.folder}/data}}\n"
            "service: {admin: {endpoint: 127.0.0.1:0}}\n"
        )
        self.spawn(
            *(sys.executable, "-m", "collector", "run", "--config", str(config)),
            PYTHONPATH=str(HERE.parent),
        )
        says = re.compile(r"listening: OTLP/gRPC (\d+), OTLP/HTTP (\d+), metrics and page (\d+)")
        self.wait_until(lambda: says.search(self.log.read_text()), "listen")
        ports = says.search(self.log.read_text())
        self.grpc_port, self.port, self.admin_port = map(int, ports.groups() if ports else ())

    def finished(self) -> int:
        """Return the turns in the ledger: of the agent workloads, a trace is a turn."""
        return int(self.ledger("SELECT count(*) FROM turns")[0][0])

    def ledger(self, query: str) -> list[tuple[Any, ...]]:
        """Ask the ledger, beside the process and not through it."""
        uri = f"file:{self.folder}/data/ledger.db?mode=ro"
        with closing(sqlite3.connect(uri, uri=True)) as database:
            return database.execute(query).fetchall()

    def spans_measured(self) -> int:
        """Return the spans of agent runs that are in the ledger's turns: each turn has its model
        calls, its tool results and its root."""
        calls, turns = self.ledger("SELECT coalesce(sum(model_calls), 0), count(*) FROM turns")[0]
        return int(calls + turns + self.ledger("SELECT count(*) FROM tool_results")[0][0])

    def metric(self, series: str) -> float:
        """Return the value of one series; 0 where it is absent."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.admin_port}/metrics") as answer:
            shown = answer.read().decode()
        return sum(
            float(line.rpartition(" ")[2]) for line in shown.splitlines() if line.startswith(series)
        )


class Rotel(Server):
    """rotel, a native collector, that receives, decodes, batches and drops: it forwards to nobody.

    What it has accepted is all that can be asked of it, so its answers count as its work.
    """

    name = "rotel"

    def start(self) -> None:
        """Start it on free ports."""
        import rotel  # noqa: PLC0415 - the other benchmarks run without it

        agent = Path(rotel.__file__).parent / "rotel-agent"
        self.port, self.grpc_port = _free_port(), _free_port()
        self.spawn(
            *(str(agent), "start", "--exporter", "blackhole"),
            *("--pid-file", str(self.folder / "pid")),
            *("--otlp-http-endpoint", f"127.0.0.1:{self.port}"),
            *("--otlp-grpc-endpoint", f"127.0.0.1:{self.grpc_port}"),
        )
        self.wait_until(lambda: self.listens(self.port), "listen")

    def wait_finished(self, traces: int) -> None:
        """Wait for nothing but the batch it holds for 200 ms."""
        time.sleep(0.5)


class Phoenix(Server):
    """Arize Phoenix on SQLite, with its default settings. bench/phoenix_setup.sh installs it."""

    name = "phoenix"

    def start(self) -> None:
        """Start it on free ports; takes some ten seconds."""
        self.port, self.grpc_port = _free_port(), _free_port()
        self.spawn(
            *(str(PHOENIX), "serve"),
            PHOENIX_WORKING_DIR=str(self.folder),
            PHOENIX_HOST="127.0.0.1",
            PHOENIX_PORT=str(self.port),
            PHOENIX_GRPC_PORT=str(self.grpc_port),
            PHOENIX_TELEMETRY_ENABLED="false",
        )
        self.wait_until(lambda: self.listens(self.port), "listen")

    def finished(self) -> int:
        """Return the traces whose ten spans can all be queried."""
        uri = f"file:{self.folder}/phoenix.db?mode=ro"
        with closing(sqlite3.connect(uri, uri=True)) as database:
            return int(database.execute("SELECT count(*) FROM spans").fetchone()[0]) // 10


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _environment() -> dict[str, str]:
    """Return this process's environment, where Python keeps the byte code it compiled: as an
    installed package does, and compiling takes memory."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
