"""Whether a request is taken now, held for a moment, or sent back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from collector.errors import Permanent, Retryable
from collector.otlp import Batch
from collector.otlp.sender import service_of
from collector.pressure import Pressure, Shares

# Senders give up after 10 s. One that waits costs less than one that sends everything again.
HOLD_SECONDS = 3.0
LOOK_EVERY = 0.02
# Held requests are in memory, so that a crowd is sent back at once.
MOST_HELD = 8
MOST_TRACES = 10_000  # of one request; the SDKs send 512 spans, gateways some thousand


class Admission:
    """Lets requests in as `pressure` says: it is told the bytes that were let in and are not in
    the table of open turns yet. `clock` gives seconds."""

    def __init__(self, pressure: Callable[[int], Pressure], clock: Callable[[], float]) -> None:
        self._pressure = pressure
        self._clock = clock
        self._shares = Shares(clock)
        self._on_their_way = 0
        self._held = 0
        self._stopped = False

    def stop(self) -> None:
        """Hold nobody any longer."""
        self._stopped = True

    @asynccontextmanager
    async def of(self, batch: Batch) -> AsyncIterator[None]:
        """Let a batch in, and book it as on its way until the context ends.

        Raises `Retryable` where there is no room for it within a moment, `Permanent` where it
        brings more traces than are worked off in seconds.
        """
        # A request is let in as a whole: all others would wait minutes for this one's turns.
        if len(batch.records) > MOST_TRACES and _traces(batch) > MOST_TRACES:
            expected = f"expected at most {MOST_TRACES} traces in a request: send smaller batches"
            raise Permanent(expected, reason="too_large")
        service, size = _service(batch), len(batch.body)
        await self._wait(service)
        self._shares.took(service, size)
        self._on_their_way += size
        try:
            yield
        finally:
            self._on_their_way -= size

    def glance(self, body: bytes) -> None:
        """Send a protobuf request back that would be, without decoding it: of a crowd most are.
        Raises `Retryable`."""
        if self._held < MOST_HELD:
            return
        service = service_of(body)
        if service is not None and not self._admits(service):
            raise _refusal()

    def _admits(self, service: str) -> bool:
        return self._shares.admits(service, self._pressure(self._on_their_way))

    async def _wait(self, service: str) -> None:
        until = self._clock() + (HOLD_SECONDS if self._held < MOST_HELD else 0.0)
        self._held += 1
        try:
            while not self._admits(service):
                if self._stopped or self._clock() >= until:
                    raise _refusal()
                await asyncio.sleep(LOOK_EVERY)
        finally:
            self._held -= 1


def _refusal() -> Retryable:
    return Retryable("turns end faster than they can be stored", retry_after=2.0)


def _service(batch: Batch) -> str:
    # Exporters send for one process. A gateway's mixed requests count for whom they begin with.
    return (batch.records[0].resource.text("service.name") if batch.records else None) or ""


def _traces(batch: Batch) -> int:
    return len({record.trace_id for record in batch.records})
