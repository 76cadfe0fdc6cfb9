"""`tellback run` as a process of its own, and what tests ask of it."""

import json
import signal
import subprocess
import sys
import time
import urllib.request

import pytest

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

    def __init__(self, folder, *, quiet="1s", grpc=0, more="", program=("-m", "collector")):
        self.config = folder / "tellback.yaml"
        self.config.write_text(CONFIG.format(folder=folder, quiet=quiet, grpc=grpc) + more)
        self.log = folder / "log"
        self.died_by_itself = True  # until somebody else ended it
        command = [sys.executable, *program, "run", "--config", str(self.config)]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(command, stderr=log, cwd=folder)

    def __enter__(self):
        until(lambda: "listening:" in self.log.read_text() or self.process.poll() is not None)
        words = self.log.read_text().split("listening: ")[1].replace(",", "").split()
        self.grpc, self.http, self.admin = (int(word) for word in words if word.isdigit())
        return self

    def __exit__(self, *_):
        self.died_by_itself = self.process.poll() is not None
        if not self.died_by_itself:
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
