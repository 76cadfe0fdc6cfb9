"""What a receiver is given: who takes its batches, who counts them, and where it listens."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from collector.errors import ConfigError
from collector.otlp import Batch

Consume = Callable[[Batch], Awaitable[None]]
"""Takes a batch; returns when it is safe to acknowledge.

Raises `errors.Retryable` or `errors.Permanent` to have the sender told so.
"""


class ReceiverObserver(Protocol):
    """Counts what receivers take and refuse. `signal` is traces, logs, metrics or unknown."""

    def accepted(self, receiver: str, signal: str, count: int) -> None:
        """Count records handed on and acknowledged."""

    def refused(self, receiver: str, signal: str, reason: str, count: int) -> None:
        """Count refused records; a whole request counts as 1 where its records are unknown."""


def host_and_port(endpoint: str, key: str) -> tuple[str, int]:
    """Split `host:port` (an IPv6 host in brackets); port 0 asks for any free one.

    `key` names the setting in the `ConfigError` raised for anything else.
    """
    host, colon, port = endpoint.rpartition(":")
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    if not colon or not bare or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise ConfigError(f"{key} is {endpoint!r}; expected host:port, such as 127.0.0.1:4318")
    return bare, int(port)
