"""A sidecar of the demo's own: a child process on loopback, its files in a temporary folder."""

from __future__ import annotations

import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from collector.errors import UsageError

READY_SECONDS = 60.0  # a cold start on a slow machine
STOP_SECONDS = 20.0
POLL_SECONDS = 0.1
# Turns close soon, for somebody waits in front of the screen. Recordings keep the times at which
# they were made, so nothing may be deleted for its age.
CONFIG = """\
receivers:
  otlp:
    grpc: {{endpoint: 127.0.0.1:{grpc}}}
    http: {{endpoint: 127.0.0.1:{http}}}
storage: {{directory: {directory}}}
turns: {{quiet_period: 2s, settle: 500ms, deadline: 30s}}
privacy: {{keep_text: true, retention: 3650d}}
service:
  admin: {{endpoint: 127.0.0.1:{admin}}}
"""


@dataclass(frozen=True, slots=True)
class Ports:
    """Where the demo's sidecar listens, on loopback."""

    grpc: int
    http: int
    admin: int


def choose_ports(environ: Mapping[str, str]) -> Ports:
    """Take each port from DEMO_GRPC_PORT, DEMO_HTTP_PORT or DEMO_ADMIN_PORT, else the documented
    one where it is free, else any free one.

    Raises `UsageError` where a port that was asked for is no port or is taken.
    """
    taken: set[int] = set()

    def choose(name: str, usual: int) -> int:
        variable = f"DEMO_{name}_PORT"
        asked = environ.get(variable, "")
        if asked:
            if not (asked.isascii() and asked.isdigit() and 0 < int(asked[:6]) < 65536):
                raise UsageError(
                    f"{variable}: expected a port from 1 to 65535, read {asked[:20]!r}"
                )
            if not _free(int(asked)) or int(asked) in taken:
                raise UsageError(f"{variable}: port {asked} is taken")
            port = int(asked)
        else:
            port = usual if usual not in taken and _free(usual) else _any_free(taken)
        taken.add(port)
        return port

    return Ports(choose("GRPC", 4317), choose("HTTP", 4318), choose("ADMIN", 9473))


def _free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def _any_free(taken: set[int]) -> int:
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        if port not in taken:
            return port


class Sidecar:
    """`tellback run` as a child process; a context manager that always stops it."""

    def __init__(self, directory: Path, ports: Ports) -> None:
        self.ports = ports
        self._config = directory / "tellback.yaml"
        self._log = directory / "sidecar.log"
        self._process: subprocess.Popen[bytes] | None = None
        data = json.dumps(str(directory / "data")).replace("$", "$$")  # a JSON text is YAML too
        text = CONFIG.format(grpc=ports.grpc, http=ports.http, admin=ports.admin, directory=data)
        self._config.write_text(text, encoding="utf-8")

    def __enter__(self) -> Self:
        """Start it and return once it is ready. Raises `UsageError` with its last words if not."""
        command = [sys.executable, "-m", "collector", "run", "--config", str(self._config)]
        # Only documented settings count: not the OTEL_* variables of the shell it is tried in.
        environ = {key: value for key, value in os.environ.items() if not key.startswith("OTEL_")}
        with self._log.open("wb") as log:
            # Its own session, so that Ctrl-C reaches only the demo, which then stops it in order.
            self._process = subprocess.Popen(  # noqa: S603 - this very program
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=environ, start_new_session=True,
            )  # fmt: skip
        try:
            self._await_ready(self._process)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Stop it: SIGTERM, and SIGKILL for what does not end in time."""
        process, self._process = self._process, None
        if process is None or process.poll() is not None:
            return
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def wait(self) -> None:
        """Return when the process has ended."""
        if self._process is not None:
            self._process.wait()

    def text(self, path: str) -> str:
        """Return what the admin port answers at `path`. Raises `UsageError` if it does not."""
        try:
            status, body = self._get(path)
        except (OSError, http.client.HTTPException) as error:
            raise UsageError(
                f"the sidecar does not answer {path}: {error}{self._last()}"
            ) from error
        if status != 200:
            raise UsageError(f"the sidecar answered {status} to {path}: {body[:200]}{self._last()}")
        return body

    def turns(self) -> list[dict[str, Any]]:
        """Return the turns in the sidecar's ledger, as `GET /api/turns` shows them."""
        answer = json.loads(self.text("/api/turns"))
        turns: list[dict[str, Any]] = answer["turns"]
        return turns

    def _get(self, path: str) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.ports.admin, timeout=10)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode("utf-8", errors="replace")
        finally:
            connection.close()

    def _await_ready(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while process.poll() is None:
            try:
                if self._get("/readyz")[0] == 200:
                    return
            except (OSError, http.client.HTTPException):
                pass  # not listening yet
            if time.monotonic() > deadline:
                break
            time.sleep(POLL_SECONDS)
        raise UsageError(f"the sidecar did not start{self._last()}")

    def _last(self) -> str:
        lines = self._log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return "\n" + "\n".join(lines[-5:]) if lines else ""
