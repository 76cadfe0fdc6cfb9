"""TLS handshakes: how many may be under way, and which gives way to a new one."""

from __future__ import annotations

import asyncio
import errno
import functools
import socket
import ssl
from collections.abc import Callable

# As long as a head may take: see there.
HANDSHAKE_SECONDS = 10.0

_AT_ONCE = 64  # accepted in one turn of the loop
# Where the process has no file left, or the kernel no memory.
_EXHAUSTED = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}
_EXHAUSTED_SECONDS = 1.0


class Handshakes:
    """Accepts connections and hands them over once they speak TLS; stands in for asyncio's server.

    That one shows nobody a connection whose handshake isn't over: those would count in no bound,
    and with ten silent seconds each take all files of the process. Here at most `most` are under
    way, and the oldest goes.
    """

    def __init__(
        self,
        on: socket.socket,
        connection: Callable[[], asyncio.Protocol],
        context: ssl.SSLContext,
        most: int,
    ) -> None:
        self._on = on
        self._connection = connection
        self._context = context
        self._most = max(most, 1)
        self._loop = asyncio.get_running_loop()
        self._again: asyncio.TimerHandle | None = None
        self.under_way: dict[asyncio.Task[None], None] = {}

    def open(self, backlog: int) -> None:
        """Begin to accept."""
        self._on.settimeout(0)
        self._on.listen(backlog)
        self._listen()

    def close(self) -> None:
        """Accept nothing more, and leave what is not over."""
        self._loop.remove_reader(self._on)
        if self._again is not None:
            self._again.cancel()
        for task in self.under_way:
            task.cancel()

    async def wait_closed(self) -> None:
        """Return once no handshake is under way any more."""
        if self.under_way:
            await asyncio.wait(self.under_way)

    def _listen(self) -> None:
        self._again = None
        self._loop.add_reader(self._on, self._accept)

    def _accept(self) -> None:
        for _ in range(_AT_ONCE):
            try:
                accepted, _ = self._on.accept()
            except OSError as error:
                if error.errno in _EXHAUSTED:
                    self._loop.remove_reader(self._on)
                    self._again = self._loop.call_later(_EXHAUSTED_SECONDS, self._listen)
                return  # nobody waits any more, or who did is gone
            if len(self.under_way) >= self._most:
                oldest = next(iter(self.under_way))
                del self.under_way[oldest]
                oldest.cancel()
            task = self._loop.create_task(self._shake(accepted))
            self.under_way[task] = None
            task.add_done_callback(functools.partial(self._over, accepted))

    def _over(self, accepted: socket.socket, task: asyncio.Task[None]) -> None:
        self.under_way.pop(task, None)
        if task.cancelled():  # perhaps before it began
            accepted.close()

    async def _shake(self, accepted: socket.socket) -> None:
        accepted.settimeout(0)
        try:
            await self._loop.connect_accepted_socket(
                self._connection,
                accepted,
                ssl=self._context,
                ssl_handshake_timeout=HANDSHAKE_SECONDS,
            )
        except OSError:  # that TLS failed was counted by its context
            accepted.close()
