"""Requests that are too much of something before any application is told of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TooMuch:
    """What is wrong with a request, how it is answered, and what it is counted under.

    `again`: the same request may be good later, and its sender is told when to come.
    """

    line: bytes
    message: str
    reason: str = "too_large"
    again: bool = False

    @property
    def answer(self) -> bytes:
        """All that is sent: the connection is closed behind it."""
        wait = b"retry-after: 1\r\n" if self.again else b""
        return b"HTTP/1.1 %s\r\n%sconnection: close\r\ncontent-length: 0\r\n\r\n" % (
            self.line,
            wait,
        )


LONG_TARGET = TooMuch(b"414 URI Too Long", "the request target is too long")
LARGE_HEAD = TooMuch(b"431 Request Header Fields Too Large", "the head is too large")
MANY_IN_A_ROW = TooMuch(
    b"429 Too Many Requests", "too many requests in a row", "pipelined", again=True
)
MANY_CONNECTIONS = TooMuch(
    b"503 Service Unavailable", "too many connections", "too_many_connections", again=True
)
