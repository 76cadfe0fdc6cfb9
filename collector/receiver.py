"""What a receiver is given, and the steps every receiver of requests takes with one."""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import resource
from collections.abc import Awaitable, Callable
from typing import Protocol

from collector.errors import Permanent, where
from collector.in_flight import FIRST_BYTES, InFlight, Reservation
from collector.otlp import Batch, Encoding, Signal, decode, reply
from collector.otlp.inflate import inflate

Consume = Callable[[Batch], Awaitable[None]]
"""Takes a batch; returns when it is safe to acknowledge.

Raises `errors.Retryable` or `errors.Permanent` to have the sender told so.
"""

Glance = Callable[[bytes], None]
"""Given a protobuf body, raises `errors.Retryable` where its request would be refused anyway."""

# 512 spans of 100 KB, the batch that exporters send of model calls with content, take 51 MB.
MAX_REQUEST_BYTES = 64 << 20
# Of all requests together: one of the largest, or some dozens of the usual two megabytes.
MAX_IN_FLIGHT_BYTES = MAX_REQUEST_BYTES

# Exporters of some thousand processes, as long as the other ports get their share of files.
MOST_CONNECTIONS = 4096

UNSUPPORTED_METRICS = (
    "metrics are not received here: send them elsewhere (OTEL_EXPORTER_OTLP_METRICS_ENDPOINT) or"
    " switch them off (OTEL_METRICS_EXPORTER=none)"
)

# Decoding more takes so many milliseconds that other connections notice. Less is decoded where it
# is: handing it to a thread and back costs more than half a megabyte does.
_INLINE_BYTES: dict[Encoding, int] = {"protobuf": 4 << 20, "json": 512 << 10}
# Telemetry inflates to five times its size, rarely more.
_RATIO = 8
# At once: they share one interpreter, and probes and scrapes need threads too.
_THREADS = 2

# Senders give up after 10 s. Whoever needs longer than this is no exporter.
_BODY_SECONDS = 60.0

_log = logging.getLogger(__name__)


def most_connections(share: int) -> int:
    """Return how many connections a server may have that gets this part of the process's files:
    2 for a half, 4 for a quarter."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_CONNECTIONS if files < 0 else min(MOST_CONNECTIONS, files // share)


class ReceiverObserver(Protocol):
    """Counts what receivers take and refuse. `signal` is traces, logs, metrics or unknown."""

    def accepted(self, receiver: str, signal: str, count: int) -> None:
        """Count records handed on and acknowledged."""

    def refused(self, receiver: str, signal: str, reason: str, count: int) -> None:
        """Count refused records; a request counts as 1 where its records are unknown."""


@dataclasses.dataclass(frozen=True, slots=True)
class Body:
    """A request's body as it was sent."""

    data: bytes
    coding: str | None = None


class Intake:
    """Reads requests, hands their records on, and counts what became of them."""

    def __init__(
        self,
        receiver: str,
        consume: Consume,
        observe: ReceiverObserver,
        *,
        in_flight: InFlight | None,
        max_bytes: int,
        first_bytes: int = FIRST_BYTES,
        glance: Glance | None = None,
    ) -> None:
        self._receiver = receiver
        self._consume = consume
        self._observe = observe
        self._in_flight = in_flight or InFlight(MAX_IN_FLIGHT_BYTES)
        self._limit = max_bytes
        self._first = first_bytes
        self._glance = glance
        self._one_by_one = asyncio.Lock()
        self._in_threads = asyncio.Semaphore(_THREADS)

    async def take(
        self,
        signal: Signal,
        encoding: Encoding,
        read: Callable[[Reservation], Awaitable[Body]],
        *,
        peer: str,
        announced: int,
    ) -> Batch:
        """Return the batch that may now be acknowledged.

        `read` is called once there is room for what the request of `peer` announced; it takes
        more where it needs more. Raises
        `Permanent` or `Retryable`, already counted, when the request is refused as a whole;
        whatever else was raised is counted and logged too.
        """
        count = 1
        try:
            async with self._in_flight.reserve(peer, min(announced, self._first)) as held:
                async with held.receiving(_BODY_SECONDS):
                    body = await read(held)
                held.book(len(body.data))
                if self._glance is not None and encoding == "protobuf" and body.coding is None:
                    self._glance(body.data)
                if body.coding is not None:
                    await held.resize(self.room_for(len(body.data), body.coding))
                batch = await self._decode(signal, encoding, body)
                del body
                await held.resize(len(batch.body))
                if batch.records:
                    count = len(batch.records)
                    await self._consume(batch)
        except Exception as error:
            self.refuse(signal, error, count)
            raise
        if batch.records:
            self._observe.accepted(self._receiver, signal, len(batch.records))
        for reason, refused in batch.refused.items():
            self._observe.refused(self._receiver, signal, reason, refused)
        return batch

    def room_for(self, size: int | None, coding: str | None) -> int:
        """Return the bytes that a body will probably take, from its size as sent."""
        size = self._first if size is None else size
        return min(size if coding is None else size * _RATIO, self._limit)

    async def _decode(self, signal: Signal, encoding: Encoding, body: Body) -> Batch:
        def read(limit: int) -> Batch:
            whole = body.data
            if body.coding is not None:
                whole = inflate(whole, body.coding, limit)
            return dataclasses.replace(decode(signal, encoding, whole), receiver=self._receiver)

        inline = min(_INLINE_BYTES[encoding], self._limit)
        if len(body.data) <= inline:
            try:
                async with self._one_by_one:
                    await asyncio.sleep(0)  # one in each turn of the loop, not all that are there
                    return read(inline)
            except Permanent as error:
                if error.reason != "too_large" or inline == self._limit:
                    raise
        async with self._in_threads:
            return await asyncio.to_thread(read, self._limit)

    def refuse(self, signal: str, error: Exception, count: int = 1) -> None:
        """Count a refused request; log an error that nobody foresaw."""
        reason = reply.reason(error)
        self._observe.refused(self._receiver, signal, reason, count)
        if reason == "internal":
            _log.error("%s: %s", self._receiver, where(error))
