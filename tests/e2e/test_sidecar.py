"""The sidecar as a process: it drains, it starts again without counting twice, it says what is
wrong and ends."""

import json
import os
import sqlite3
from pathlib import Path

import grpc
import pytest

from sidecar import Sidecar, until

EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
REPORTS = Path(__file__).parents[1] / "golden" / "reports"
BODY = (REPORTS / "01-int64-as-string" / "001-traces.json").read_bytes()
UNFINISHED = (REPORTS / "64-stream-error-root-and-call-missing" / "001-traces.json").read_bytes()


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
        for path in data.rglob("*"):
            mode = 0o700 if path.is_dir() else 0o600
            assert path.stat().st_mode & 0o777 == mode, path.name


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
        assert "another sidecar or a Collector may listen there" in log
        assert "Traceback" not in log


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cant_be_written_is_one_plain_sentence(tmp_path):
    tmp_path.chmod(0o500)
    sidecar = Sidecar(tmp_path)
    assert sidecar.process.wait(30) == 2
    assert "Traceback" not in sidecar.log.read_text()


def answered(channel):
    try:
        return channel.unary_unary(EXPORT)(b"", timeout=30, wait_for_ready=True) == b""
    except grpc.RpcError as error:
        if error.code() not in (grpc.StatusCode.CANCELLED, grpc.StatusCode.UNAVAILABLE):
            raise
        return False


def test_a_call_that_ends_grpcs_server_ends_nothing_else(tmp_path):
    """A method that is no UTF-8 stops grpc.aio (1.85) for good; it is started again."""
    with (
        Sidecar(tmp_path) as sidecar,
        grpc.insecure_channel(f"127.0.0.1:{sidecar.grpc}") as channel,
    ):
        with pytest.raises(grpc.RpcError):
            channel.unary_unary(b"/opentelemetry.\xff/Export")(b"", timeout=30)
        # What comes just then is cancelled, and sent again as exporters do.
        until(lambda: answered(channel))
        assert "listening again" in sidecar.log.read_text()
