"""The service's own decisions: a ledger that refuses, and what shutting down leaves behind."""

import asyncio
import dataclasses
import logging
import time
from pathlib import Path

import pytest

from collector import admission, turn_stage
from collector.config import validate
from collector.document import Document
from collector.errors import Permanent, Retryable
from collector.otlp import decode
from collector.service import Service

BODY = Path(__file__).parents[1] / "golden" / "reports" / "01-int64-as-string" / "001-traces.json"


FULL = Retryable("the disk is full")


class Stubborn:
    """A ledger whose disk is full for the first writes."""

    def __init__(self, failures, error=FULL):
        self.failures, self.written = failures, []
        self.error = error

    def write_all(self, entries, marks=(), *, revised=()):
        if self.failures:
            self.failures -= 1
            if isinstance(self.error, Permanent):
                return [self.error for _ in entries]
            raise self.error
        self.written += [entry.turn.turn_id for entry in entries]
        return [True for _ in entries]

    def marks(self, journal):
        return {}

    def forget_marks(self, journal, before):
        pass

    def open(self):
        pass

    def close(self):
        pass

    def prune(self, **_):
        return 0

    def over(self, max_bytes):
        return False

    def trouble(self):
        return None

    def size_bytes(self):
        return 0


def make(tmp_path):
    settings = {
        "receivers": {
            "otlp": {"grpc": {"endpoint": "127.0.0.1:0"}, "http": {"endpoint": "127.0.0.1:0"}}
        },
        "storage": {"directory": str(tmp_path / "data")},
        "turns": {"quiet_period": "1s", "settle": 0},
        "service": {"admin": {"endpoint": "127.0.0.1:0"}},
    }
    return Service(validate(Document("test", settings), {}))


def counted(service):
    text = service.aggregate.render()[0].decode()
    lines = [line for line in text.splitlines() if line.startswith("tellback_replies_observed")]
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines)


async def play(service, ledger, *, enough, batches=1):
    """Run the service, hand it one turn, and stop it when `enough` holds."""
    service.ledger = service.turns._finisher.ledger = ledger
    ready = asyncio.Event()
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(service.run(lambda _: ready.set()))
        await ready.wait()
        batch = decode("traces", "json", BODY.read_bytes())
        for _ in range(batches):
            await service._consume(dataclasses.replace(batch, receiver="otlp_http"))
        async with asyncio.timeout(20):
            while not enough(service):  # noqa: ASYNC110 - nothing tells when it is enough
                await asyncio.sleep(0.01)
        service.stop()
    return running.result()


def test_turns_wait_for_a_ledger_that_refuses(tmp_path, monkeypatch):
    monkeypatch.setattr(turn_stage, "RETRY_EVERY", 0.05)
    service, ledger = make(tmp_path), Stubborn(3)
    told = []

    def enough(service):
        told.append(service._checks()["ledger"])
        return bool(ledger.written)

    asyncio.run(play(service, ledger, enough=enough))
    assert "the disk is full" in told
    assert len(ledger.written) == 1
    assert counted(service) == 1, "a turn that waited is counted once"


def test_a_turn_that_can_never_be_stored_is_counted(tmp_path):
    service, ledger = make(tmp_path), Stubborn(1, Permanent("too large"))
    asyncio.run(play(service, ledger, enough=lambda service: counted(service) == 1))
    assert ledger.written == []
    assert 'ledger_writes_total{outcome="failed"} 1.0' in service.aggregate.render()[0].decode()


def test_what_a_shutdown_could_not_store_is_named_and_stored_by_the_next_start(tmp_path, caplog):
    service, ledger = make(tmp_path), Stubborn(10**6)
    with caplog.at_level(logging.ERROR):
        enough = lambda s: s._checks()["ledger"] is not None  # noqa: E731 - said where it is used
        left = asyncio.run(play(service, ledger, enough=enough))
    assert "1 groups of traces were not stored" in caplog.text
    assert left == 1, "the process ends with a status that says so"
    again, ledger = make(tmp_path), Stubborn(0)
    asyncio.run(play(again, ledger, enough=lambda service: counted(service) == 1, batches=0))
    assert len(ledger.written) == 1
    assert list((tmp_path / "data" / "journal").glob("*.journal")) == []


def test_nothing_is_accepted_before_and_after(tmp_path):
    service = make(tmp_path)
    batch = decode("traces", "json", BODY.read_bytes())
    with pytest.raises(Retryable):
        asyncio.run(service._consume(batch))


def test_senders_wait_while_turns_end_faster_than_they_are_stored(tmp_path):
    service = make(tmp_path)
    (tmp_path / "data").mkdir()
    service.journal.open()
    service._receiving = True
    batch = dataclasses.replace(decode("traces", "json", BODY.read_bytes()), receiver="otlp_http")
    service.turns._behind_since = time.monotonic() - turn_stage.MAX_LAG - 1
    with pytest.raises(Retryable, match="faster than they can be stored") as told:
        asyncio.run(service._consume(batch))
    assert told.value.retry_after > 0
    service.turns._behind_since = None
    asyncio.run(service._consume(batch))
    assert service.turns.open_turns == 1
    service.journal.close()


def test_a_request_of_countless_traces_is_refused_before_it_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(admission, "MOST_TRACES", 3)
    service = make(tmp_path)
    batch = dataclasses.replace(decode("traces", "json", BODY.read_bytes()), receiver="otlp_http")
    first = batch.records[0]
    of_one = [dataclasses.replace(first, span_id=f"{n:016x}") for n in range(9)]
    of_many = [dataclasses.replace(first, trace_id=f"{n:032x}") for n in range(1, 10)]

    async def run():
        async with asyncio.TaskGroup() as tasks:
            ready = asyncio.Event()
            tasks.create_task(service.run(lambda _: ready.set()))
            await ready.wait()
            await service._consume(dataclasses.replace(batch, records=tuple(of_one)))
            size = service.journal.size_bytes()
            with pytest.raises(Permanent, match="at most 3 traces") as refused:
                await service._consume(dataclasses.replace(batch, records=tuple(of_many)))
            assert service.journal.size_bytes() == size
            service.stop()
        return refused.value.reason

    assert asyncio.run(run()) == "too_large"
