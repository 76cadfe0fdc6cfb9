"""The bytes of all requests that are being read or handled, over all receivers: bounded, shared."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from collector.errors import Permanent, Retryable

# What a request gets to begin with, at most: batches of exporters with content rarely exceed it.
# Were all given that is announced, a few words about gigabytes would keep everybody else out.
FIRST_BYTES = 4 << 20

# Senders wait 10 s for an answer, so that one after this long still reaches them.
_WAIT_SECONDS = 5.0
# Waiting requests hold what came with their heads, up to a quarter of a megabyte each.
_MOST_WAITING = 128
# While others wait, whoever takes longer than this to send a body may be cut off.
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

    async def resize(self, size: int) -> None:
        """Take more, as `reserve` does, or give some back."""
        await self._in_flight.resize(self, size)

    def book(self, size: int) -> None:
        """Note what is in memory already: to wait for it would help nobody, and who waits next is
        let in the later."""
        self._in_flight.book(self, size)

    @asynccontextmanager
    async def receiving(self, seconds: float) -> AsyncIterator[None]:
        """While a body arrives: bounded, and cut off where it is slow and others wait for it.

        Raises `Retryable` with reason `slow_body`.
        """
        try:
            async with asyncio.timeout(seconds) as self.reading:
                yield
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
    other, however many requests each has waiting; first of all comes who has a part already.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._free = limit
        self._held: set[Reservation] = set()
        self._growing: deque[_Waiting] = deque()
        self._waiting: OrderedDict[str, deque[_Waiting]] = OrderedDict()
        self._cutting: asyncio.TimerHandle | None = None

    @asynccontextmanager
    async def reserve(self, peer: str, size: int) -> AsyncIterator[Reservation]:
        """Hold bytes, after waiting for them where others have them.

        Raises `Permanent` when they never fit, `Retryable` when too many are taken for too long.
        """
        size = min(size, self._limit)
        if self._growing or self._waiting or size > self._free:
            self._make_room(peer)
            await self._wait(self._waiting.setdefault(peer, deque()), size)
        else:
            self._free -= size
        held = Reservation(self, peer, size)
        self._held.add(held)
        try:
            yield held
        finally:
            self._held.discard(held)
            self._give(held.size)

    async def resize(self, held: Reservation, size: int) -> None:
        """Change what a reservation takes. Raises as `reserve` does."""
        if size > self._limit:
            raise Permanent(f"more than {self._limit} bytes in one request", reason="too_large")
        more = size - held.size
        if more > 0 and (self._growing or more > self._free):
            await self._wait(self._growing, more)
        elif more > 0:
            self._free -= more
        else:
            self._give(-more)
        held.size = size

    def book(self, held: Reservation, size: int) -> None:
        """Change what a reservation takes, whether there is room or not."""
        more, held.size = size - held.size, size
        self._give(-more)

    def _give(self, size: int) -> None:
        self._free += size
        self._grant()

    async def _wait(self, queue: deque[_Waiting], size: int) -> None:
        loop = asyncio.get_running_loop()
        waiting = _Waiting(size, loop.create_future())
        queue.append(waiting)
        if self._cutting is None:
            self._cutting = loop.call_later(_CUT_EVERY, self._cut)
        try:
            async with asyncio.timeout(_WAIT_SECONDS):
                await waiting.turn
        except BaseException as error:
            if waiting in queue:
                queue.remove(waiting)
                self._grant()
            elif not waiting.turn.cancelled() and waiting.turn.exception() is None:
                self._give(size)  # it had its turn in the same moment
            if isinstance(error, TimeoutError):
                raise Retryable("too many bytes of requests in flight") from None
            raise

    def _make_room(self, peer: str) -> None:
        """Refuse the newest request of whoever has most of them waiting, where too many wait."""
        if sum(map(len, self._waiting.values())) < _MOST_WAITING:
            return
        most = max(self._waiting, key=lambda other: len(self._waiting[other]))
        refusal = Retryable("too many requests wait")
        if most == peer or len(self._waiting[most]) == 1:
            raise refusal
        last = self._waiting[most].pop()
        if not last.turn.done():  # cancelled; its task has not noticed yet
            last.turn.set_exception(refusal)

    def _grant(self) -> None:
        while True:
            while self._waiting and not next(iter(self._waiting.values())):
                self._waiting.popitem(last=False)  # nobody of this peer waits any more
            queue = self._growing or next(iter(self._waiting.values()), self._growing)
            if queue and queue[0].turn.done():
                queue.popleft()  # cancelled; its task has not noticed yet
                continue
            # The first in turn is waited for, or a large request would never find room.
            if not queue or queue[0].size > self._free:
                return
            waiting = queue.popleft()
            if queue is not self._growing:
                self._waiting.move_to_end(next(iter(self._waiting)))
            self._free -= waiting.size
            waiting.turn.set_result(None)

    def _cut(self) -> None:
        """Cut off slow bodies until all that wait fit: first of the peer that holds most."""
        self._cutting = None
        wanted = sum(one.size for queue in self._waiting.values() for one in queue) - self._free
        if self._growing:
            wanted += self._growing[0].size  # of those that keep each other waiting, one goes on
        elif not any(self._waiting.values()):
            return
        loop = asyncio.get_running_loop()
        self._cutting = loop.call_later(_CUT_EVERY, self._cut)
        of_peer: dict[str, int] = {}
        for held in self._held:
            of_peer[held.peer] = of_peer.get(held.peer, 0) + held.size
        slow = [held for held in self._held if loop.time() - held.since > _SLOW_SECONDS]
        slow.sort(key=lambda held: (of_peer[held.peer], held.size), reverse=True)
        for held in slow:
            if wanted <= 0:
                return
            if held.reading is not None:
                wanted -= held.size
                if not held.reading.expired():
                    held.reading.reschedule(loop.time())
