"""The bytes of all requests that are being read or handled, over all receivers: bounded, shared."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from collector.errors import Permanent, Retryable

# Where a request doesn't announce its size: what batches of exporters with content rarely exceed.
UNANNOUNCED_BYTES = 4 << 20

# Senders wait 10 s for an answer, so that one after this long still reaches them.
_WAIT_SECONDS = 5.0
# Waiting requests hold what came with their heads, up to a quarter of a megabyte each.
_MOST_WAITING = 128
# While others wait, whoever takes longer than this to send a body is cut off, one a second.
_SLOW_SECONDS = 2.0
_CUT_EVERY = 1.0


class Reservation:
    """The bytes of one request."""

    def __init__(self, in_flight: InFlight, peer: str, size: int) -> None:
        self._in_flight = in_flight
        self.peer = peer
        self.size = size
        self.since = asyncio.get_running_loop().time()
        self.reading: asyncio.Timeout | None = None

    def resize(self, size: int) -> None:
        """Take the real size where another was reserved. Raises `Retryable` when it doesn't fit."""
        self._in_flight.resize(self, size)

    @asynccontextmanager
    async def receiving(self, seconds: float) -> AsyncIterator[asyncio.Timeout]:
        """While a body arrives: bounded, and cut off where it is slow and others wait for it.

        Raises `Retryable` with reason `slow_body`.
        """
        try:
            async with asyncio.timeout(seconds) as self.reading:
                yield self.reading
        except TimeoutError:
            raise Retryable("the body came too slowly", reason="slow_body") from None
        finally:
            self.reading = None


@dataclass(slots=True, eq=False)
class _Waiting:
    size: int
    turn: asyncio.Future[None]


class InFlight:
    """Hands out bytes up to `limit`, in turn to the peers that wait for them.

    Requests wait for their bytes, unread, before any are refused: a sender that is slowed down
    costs nothing, one that is refused sends everything again. Peers (addresses) come one after the
    other, however many requests each has waiting.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._free = limit
        self._held: set[Reservation] = set()
        self._waiting: OrderedDict[str, deque[_Waiting]] = OrderedDict()
        self._cutting: asyncio.TimerHandle | None = None

    @asynccontextmanager
    async def reserve(self, peer: str, size: int) -> AsyncIterator[Reservation]:
        """Hold bytes, after waiting for them where others have them.

        Raises `Permanent` when they never fit, `Retryable` when too many are taken for too long.
        """
        if size > self._limit:
            raise Permanent(f"more than {self._limit} bytes in one request", reason="too_large")
        if self._waiting or size > self._free:
            await self._wait(peer, size)
        else:
            self._free -= size
        held = Reservation(self, peer, size)
        self._held.add(held)
        try:
            yield held
        finally:
            self._held.discard(held)
            self._free += held.size
            self._grant()

    def resize(self, held: Reservation, size: int) -> None:
        """Change what a reservation takes. Raises `Retryable` when so much isn't free."""
        if size - held.size > self._free:
            raise Retryable("too many bytes of requests in flight")
        self._free += held.size - size
        held.size = size
        self._grant()

    async def _wait(self, peer: str, size: int) -> None:
        loop = asyncio.get_running_loop()
        self._make_room(peer)
        waiting = _Waiting(size, loop.create_future())
        self._waiting.setdefault(peer, deque()).append(waiting)
        if self._cutting is None:
            self._cutting = loop.call_later(_CUT_EVERY, self._cut)
        try:
            async with asyncio.timeout(_WAIT_SECONDS):
                await waiting.turn
        except BaseException as error:
            if (
                waiting.turn.done()
                and not waiting.turn.cancelled()
                and not waiting.turn.exception()
            ):
                self._free += size  # it had its turn in the same moment
            else:
                self._forget(peer, waiting)
            self._grant()
            if isinstance(error, TimeoutError):
                raise Retryable("too many bytes of requests in flight") from None
            raise

    def _make_room(self, peer: str) -> None:
        """Refuse the newest request of whoever has most of them waiting, where too many wait."""
        if sum(map(len, self._waiting.values())) < _MOST_WAITING:
            return
        most = max(self._waiting, key=lambda other: len(self._waiting[other]))
        if most == peer or len(self._waiting[most]) == 1:
            raise Retryable("too many requests wait")
        last = self._waiting[most][-1]
        self._forget(most, last)
        last.turn.set_exception(Retryable("too many requests wait"))

    def _forget(self, peer: str, waiting: _Waiting) -> None:
        queue = self._waiting.get(peer)
        if queue is not None and waiting in queue:
            queue.remove(waiting)
            if not queue:
                del self._waiting[peer]

    def _grant(self) -> None:
        while self._waiting:
            peer, queue = next(iter(self._waiting.items()))
            # The first in turn is waited for, or a large request would never find room.
            if queue[0].size > self._free:
                return
            waiting = queue.popleft()
            if queue:
                self._waiting.move_to_end(peer)
            else:
                del self._waiting[peer]
            self._free -= waiting.size
            waiting.turn.set_result(None)

    def _cut(self) -> None:
        """Cut off slow bodies until the next request fits: first of the peer that holds most."""
        self._cutting = None
        if not self._waiting:
            return
        loop = asyncio.get_running_loop()
        self._cutting = loop.call_later(_CUT_EVERY, self._cut)
        of_peer: dict[str, int] = {}
        for held in self._held:
            of_peer[held.peer] = of_peer.get(held.peer, 0) + held.size
        slow = [
            held
            for held in self._held
            if held.reading is not None and loop.time() - held.since > _SLOW_SECONDS
        ]
        slow.sort(key=lambda held: (of_peer[held.peer], held.size), reverse=True)
        wanted = next(iter(self._waiting.values()))[0].size - self._free
        for held in slow:
            if wanted <= 0:
                return
            wanted -= held.size
            if held.reading is not None and not held.reading.expired():
                held.reading.reschedule(loop.time())
