"""The sidecar as a process: it drains, it starts again without counting twice, it says what is
wrong and ends."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

REPORTS = Path(__file__).parents[1] / "golden" / "reports"
BODY = (REPORTS / "01-int64-as-string" / "001-traces.json").read_bytes()
UNFINISHED = (REPORTS / "64-stream-error-root-and-call-missing" / "001-traces.json").read_bytes()
CONFIG = """\
receivers:
  otlp:
    grpc: {{endpoint: 127.0.0.1:{grpc}}}
    http: {{endpoint: 127.0.0.1:0}}
storage: {{directory: {folder}/data}}
turns: {{quiet_period: {quiet}, settle: 200ms, deadline: 60s}}
privacy: {{retention: 3650d}}
service: {{admin: {{endpoint: 127.0.0.1:0}}}}
"""


class Sidecar:
    """`tellback run` with its log in a file; `ports` once it listens."""

    def __init__(self, folder, *, quiet="1s", grpc=0):
        self.config = folder / "tellback.yaml"
        self.config.write_text(CONFIG.format(folder=folder, quiet=quiet, grpc=grpc))
        self.log = folder / "log"
        command = [sys.executable, "-m", "collector", "run", "--config", str(self.config)]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(command, stderr=log, cwd=folder)

    def __enter__(self):
        until(lambda: "listening:" in self.log.read_text() or self.process.poll() is not None)
        words = self.log.read_text().split("listening: ")[1].replace(",", "").split()
        self.grpc, self.http, self.admin = (int(word) for word in words if word.isdigit())
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(10)

    def post(self, body):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.http}/v1/traces", body, {"content-type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status

    def get(self, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.admin}{path}", timeout=10) as answer:
            return answer.read().decode()

    def turns(self):
        return json.loads(self.get("/api/turns"))["turns"]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)


def until(condition):
    """Ask a process until it has done it; there is nothing that would tell us."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if condition():
            return
        time.sleep(0.05)
    pytest.fail("it did not happen within 30 s")


def observed(sidecar):
    lines = sidecar.get("/metrics").splitlines()
    found = [line for line in lines if line.startswith("tellback_replies_observed_total{")]
    return sum(float(line.split("}")[1].split()[0]) for line in found)


def test_a_turn_is_counted_once_whatever_is_sent_again(tmp_path):
    with Sidecar(tmp_path) as sidecar:
        assert sidecar.post(BODY) == 200
        until(lambda: len(sidecar.turns()) == 1)
        assert observed(sidecar) == 1
        assert sidecar.post(BODY) == 200
        assert sidecar.stop() == 0
    with Sidecar(tmp_path) as sidecar:
        assert len(sidecar.turns()) == 1, "the ledger outlives the process"
        assert sidecar.post(BODY) == 200
        until(lambda: 'outcome="seen"} 1.0' in sidecar.get("/metrics"))
        assert observed(sidecar) == 0
        assert len(sidecar.turns()) == 1
        assert sidecar.stop() == 0


def test_what_is_open_is_stored_at_shutdown(tmp_path):
    with Sidecar(tmp_path, quiet="60s") as sidecar:
        sidecar.post(UNFINISHED)
        assert sidecar.stop() == 0
    with sqlite3.connect(tmp_path / "data" / "ledger.db") as ledger:
        assert ledger.execute("select closed_by from turns").fetchall() == [("shutdown",)]
    ledger.close()
    assert "Traceback" not in sidecar.log.read_text()


def test_ready_and_healthy_while_it_receives(tmp_path):
    with Sidecar(tmp_path) as sidecar:
        assert json.loads(sidecar.get("/readyz"))
        assert sidecar.get("/healthz")


def test_files_are_the_owners_only(tmp_path):
    with Sidecar(tmp_path) as sidecar:
        sidecar.post(BODY)
        until(lambda: len(sidecar.turns()) == 1)
        data = tmp_path / "data"
        assert data.stat().st_mode & 0o777 == 0o700
        for path in data.iterdir():
            assert path.stat().st_mode & 0o777 == 0o600, path.name


def test_no_content_in_the_log(tmp_path):
    with Sidecar(tmp_path) as sidecar:
        sidecar.post(BODY)
        until(lambda: len(sidecar.turns()) == 1)
        sidecar.stop()
    log = sidecar.log.read_text()
    assert "compost" not in log
    assert "12 bags" not in log


def test_a_port_in_use_is_one_plain_sentence(tmp_path):
    with Sidecar(tmp_path) as first:
        other = tmp_path / "other"
        other.mkdir()
        second = Sidecar(other, grpc=first.grpc)
        assert second.process.wait(30) == 2
        log = second.log.read_text()
        assert "receivers.otlp.grpc.endpoint" in log
        assert str(first.grpc) in log
        assert "Traceback" not in log


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cant_be_written_is_one_plain_sentence(tmp_path):
    tmp_path.chmod(0o500)
    sidecar = Sidecar(tmp_path)
    assert sidecar.process.wait(30) == 2
    assert "Traceback" not in sidecar.log.read_text()
