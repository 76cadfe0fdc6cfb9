"""One run of a library: its agent as a process, the scripted model and the sidecar around it."""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from prometheus_client.parser import text_string_to_metric_families

from live.environments import command_of
from live.model import Model
from live.wire import Sent, turns_of
from sidecar import Sidecar

if TYPE_CHECKING:
    from pathlib import Path

    from live.environments import Library

LONGEST = 240.0  # seconds for an agent's two turns, with all that its library imports
CLOSED_WITHIN = 30.0  # seconds after which every turn must be closed
NOWHERE = "http://127.0.0.1:9"  # the discard port of loopback: nobody listens


class AgentError(Exception):
    """The driver ended with an error; the message has the end of what it said."""


@dataclass(frozen=True)
class Run:
    """What came of a run: turns by age, metrics by name, and what the model was sent."""

    library: Library
    turns: list[dict[str, Any]]
    metrics: dict[str, dict[tuple[tuple[str, str], ...], float]]
    sent: list[Sent]


def run(library: Library, folder: Path) -> Run:
    """Run a library's agent against a running sidecar until its turns are closed."""
    command = command_of(library)
    with Sidecar(folder, quiet="5s") as sidecar, Model(wire=folder / "wire") as model:
        _run_agent(command, _environment(library, sidecar, model, folder), folder)
        sent = turns_of(model.calls)
        _wait_until_closed(sidecar, len(sent))
        turns = sorted(sidecar.turns(), key=lambda turn: turn["started_ns"])
        return Run(library, turns, _metrics(sidecar), sent)


def _environment(library: Library, sidecar: Sidecar, model: Model, folder: Path) -> dict[str, str]:
    port = sidecar.grpc if library.transport == "grpc" else sidecar.http
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "MODEL_URL": model.url,
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}",
        "OTEL_EXPORTER_OTLP_PROTOCOL": library.transport,
        "OTEL_SERVICE_NAME": "billing-assistant",
        "OTEL_METRICS_EXPORTER": "none",
        # No network but loopback: what else a library wants to tell or fetch fails at once.
        **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), NOWHERE),
        **dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost"),
        **library.environment,
    }


def _run_agent(command: list[str], environment: dict[str, str], folder: Path) -> None:
    log = folder / "agent.log"
    with log.open("w") as out:
        try:
            done = subprocess.run(
                command,
                env=environment,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                timeout=LONGEST,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise AgentError(f"not done after {LONGEST:g} s: {_end_of(log)}") from None
    if done.returncode:
        raise AgentError(f"status {done.returncode}: {_end_of(log)}")


def _end_of(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace")[-3000:]


def _wait_until_closed(sidecar: Sidecar, count: int) -> None:
    """Wait for as many turns as the model saw, and for none to be open; what is missing then is
    for the assertions to say."""
    deadline = time.monotonic() + CLOSED_WITHIN
    while time.monotonic() < deadline:
        [is_open] = _metrics(sidecar)["tellback_open_turns"].values()
        if len(sidecar.turns()) >= count and not is_open:
            return
        time.sleep(0.1)


def _metrics(sidecar: Sidecar) -> dict[str, dict[tuple[tuple[str, str], ...], float]]:
    found: dict[str, dict[tuple[tuple[str, str], ...], float]] = {}
    for family in text_string_to_metric_families(sidecar.get("/metrics")):
        for sample in family.samples:
            labels = tuple(sorted(sample.labels.items()))
            found.setdefault(sample.name, {})[labels] = sample.value
    return found
