"""Requests are held for a moment before they are sent back, and a crowd is not held."""

import asyncio

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from collector import admission
from collector.admission import HOLD_SECONDS, MOST_HELD, Admission
from collector.errors import Retryable
from collector.otlp import Batch
from collector.pressure import Pressure
from collector.span import Resource, Span

NOISY = Span(trace_id="1" * 32, span_id="1" * 16, resource=Resource({"service.name": "noisy"}))
BATCH = Batch(
    signal="traces", records=(NOISY,), rejected=0, message="", refused={}, body=b"x" * 1000
)


def request(service):
    made = ExportTraceServiceRequest()
    pair = made.resource_spans.add().resource.attributes.add(key="service.name")
    pair.value.string_value = service
    return made.SerializeToString()


class Process:
    """How far behind it is, and the clock: both as tests say."""

    def __init__(self, monkeypatch):
        self.level = Pressure.none
        self.now = 0.0
        self.on_their_way = []
        self.looks = 0
        self.admission = Admission(self.pressure, lambda: self.now)
        monkeypatch.setattr(admission.asyncio, "sleep", self.sleep)

    def pressure(self, on_their_way):
        self.on_their_way.append(on_their_way)
        return self.level

    async def sleep(self, seconds, _real=asyncio.sleep):
        self.now += seconds / 4  # a few wait at once
        self.looks += 1
        await _real(0)

    async def has_looked(self, times):
        await asyncio.wait_for(self._looked(times), 5)

    async def _looked(self, times, _real=asyncio.sleep):
        while self.looks < times:
            await _real(0)


@pytest.fixture
def process(monkeypatch):
    return Process(monkeypatch)


async def enter(process):
    async with process.admission.of(BATCH):
        pass


def test_what_is_let_in_counts_until_it_is_in_the_table(process):
    async def both():
        async with process.admission.of(BATCH), process.admission.of(BATCH):
            pass
        await enter(process)

    asyncio.run(both())
    assert process.on_their_way == [0, 1000, 0]


def test_a_request_waits_until_there_is_room(process):
    async def play():
        process.level = Pressure.full
        waiting = asyncio.ensure_future(enter(process))
        await process.has_looked(5)
        assert not waiting.done()
        process.level = Pressure.none
        await waiting

    asyncio.run(play())
    assert process.now < HOLD_SECONDS


def test_one_that_waited_long_enough_is_sent_back(process):
    process.level = Pressure.full
    with pytest.raises(Retryable) as told:
        asyncio.run(enter(process))
    assert told.value.retry_after > 0
    assert process.now >= HOLD_SECONDS


def test_a_crowd_is_sent_back_at_once(process):
    async def play():
        process.level = Pressure.full
        held = [asyncio.ensure_future(enter(process)) for _ in range(MOST_HELD)]
        await process.has_looked(MOST_HELD)
        before = process.now
        with pytest.raises(Retryable):
            await enter(process)
        assert process.now == before
        process.level = Pressure.none
        await asyncio.wait(held)
        await enter(process)  # those that were held count no more

    asyncio.run(play())


def test_nobody_is_held_while_it_stops(process):
    async def play():
        process.level = Pressure.full
        waiting = asyncio.ensure_future(enter(process))
        await process.has_looked(1)
        process.admission.stop()
        with pytest.raises(Retryable):
            await waiting

    asyncio.run(play())
    assert process.now < HOLD_SECONDS


def test_of_a_crowd_requests_are_sent_back_undecoded_but_not_of_who_sent_little(process):
    noisy, quiet = request("noisy"), request("quiet")

    async def play():
        async with process.admission.of(BATCH):
            pass
        process.level = Pressure.high
        process.admission.glance(noisy)  # it may be held yet
        held = [asyncio.ensure_future(enter(process)) for _ in range(MOST_HELD)]
        await process.has_looked(MOST_HELD)
        with pytest.raises(Retryable) as told:
            process.admission.glance(noisy)
        process.admission.glance(quiet)
        process.admission.glance(b"who knows")
        process.level = Pressure.none
        await asyncio.wait(held)
        return told.value.retry_after

    assert asyncio.run(play()) > 0
