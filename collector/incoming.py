"""The body of one HTTP request as it arrives: its pieces are copied once, and wake nobody early."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from uvicorn.protocols.http.flow_control import FlowControl
    from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

EXTENSION = "tellback.incoming"
"""Where an ASGI application finds it in `scope["extensions"]`."""

# Behind this much that nobody asked for yet, the sender has to wait.
_UNASKED_BYTES = 64 << 10


class Incoming:
    """Stands in for ASGI's `receive`, which copies every piece twice and wakes its reader for it.

    A batch of 2 MB comes in dozens of pieces.
    """

    def __init__(self, cycle: RequestResponseCycle, flow: FlowControl) -> None:
        self._cycle = cycle
        self._flow = flow
        self._pieces: list[bytes] = []
        self._wanted = 0
        self.size = 0

    @property
    def is_whole(self) -> bool:
        """Whether nothing more will come."""
        return not self._cycle.more_body

    def add(self, piece: bytes) -> None:
        """Take what came."""
        self._pieces.append(piece)
        self.size += len(piece)
        if self.size > self._wanted:
            self._cycle.message_event.set()
            if self.size > self._wanted + _UNASKED_BYTES:
                self._flow.pause_reading()

    async def beyond(self, size: int) -> bool:
        """Return once more than `size` bytes came, or all; False where the sender went away."""
        cycle = self._cycle
        self._wanted = size
        if cycle.waiting_for_100_continue and not cycle.transport.is_closing():
            cycle.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            cycle.waiting_for_100_continue = False
        while cycle.more_body and self.size <= size and not cycle.disconnected:
            self._flow.resume_reading()
            cycle.message_event.clear()
            await cycle.message_event.wait()
        return not cycle.disconnected

    def whole(self) -> bytes:
        """Return the body and forget it."""
        pieces = self._pieces
        self.drop()
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def drop(self) -> None:
        """Forget what came: the connection holds on to this until its next request."""
        self._pieces = []
