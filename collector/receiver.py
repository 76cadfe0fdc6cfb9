"""What a receiver is given, and the steps every receiver of requests takes with one."""

from __future__ import annotations

import asyncio
import dataclasses
import logging
from collections.abc import Awaitable, Callable
from typing import Protocol

from collector.otlp import Batch, Encoding, Signal, decode, reply

Consume = Callable[[Batch], Awaitable[None]]
"""Takes a batch; returns when it is safe to acknowledge.

Raises `errors.Retryable` or `errors.Permanent` to have the sender told so.
"""

# 512 spans of 100 KB, the batch that exporters send of model calls with content, take 51 MB.
MAX_REQUEST_BYTES = 64 << 20

UNSUPPORTED_METRICS = (
    "metrics are not received here: send them elsewhere (OTEL_EXPORTER_OTLP_METRICS_ENDPOINT) or"
    " switch them off (OTEL_METRICS_EXPORTER=none)"
)

# Decoding this much takes some milliseconds: long enough for other connections to notice.
_IN_THREAD_BYTES = 256 << 10
# At once: they share one interpreter, and probes and scrapes need threads too.
_THREADS = 2

_log = logging.getLogger(__name__)


class ReceiverObserver(Protocol):
    """Counts what receivers take and refuse. `signal` is traces, logs, metrics or unknown."""

    def accepted(self, receiver: str, signal: str, count: int) -> None:
        """Count records handed on and acknowledged."""

    def refused(self, receiver: str, signal: str, reason: str, count: int) -> None:
        """Count refused records; a request counts as 1 where its records are unknown."""


class Intake:
    """Decodes requests, hands their records on, and counts what became of them."""

    def __init__(self, receiver: str, consume: Consume, observe: ReceiverObserver) -> None:
        self._receiver = receiver
        self._consume = consume
        self._observe = observe
        self._decoding = asyncio.Semaphore(_THREADS)

    async def take(self, signal: Signal, encoding: Encoding, body: bytes) -> Batch:
        """Return the batch that may now be acknowledged.

        Raises `Permanent` or `Retryable`, already counted, when the request is refused as a
        whole; whatever else was raised is counted and logged too.
        """
        count = 1
        try:
            if len(body) > _IN_THREAD_BYTES:
                async with self._decoding:
                    decoded = await asyncio.to_thread(decode, signal, encoding, body)
            else:
                decoded = decode(signal, encoding, body)
            batch = dataclasses.replace(decoded, receiver=self._receiver)
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

    def refuse(self, signal: str, error: Exception, count: int = 1) -> None:
        """Count a refused request; log an error that nobody foresaw."""
        reason = reply.reason(error)
        self._observe.refused(self._receiver, signal, reason, count)
        if reason == "internal":
            # Where, not what: the text of an exception may hold content.
            trace = error.__traceback__
            while trace is not None and trace.tb_next is not None:
                trace = trace.tb_next
            where = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else "?"
            _log.error("%s: %s at %s", self._receiver, type(error).__name__, where)
