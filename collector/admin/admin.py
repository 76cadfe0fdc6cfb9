"""The admin server: a stage that serves the admin application."""

from __future__ import annotations

import contextlib
import math
import socket
from typing import TYPE_CHECKING

from collector.admin.application import Application, Checks, Inspect, Metrics
from collector.admin.guard import Guard
from collector.admin.settings import AdminConfig
from collector.admin.turns_page import Turns
from collector.listener import unusable
from collector.receiver import most_connections
from collector.setting import split

if TYPE_CHECKING:
    from collector.server import Server

KEY = "service.admin"
BACKLOG = 128
# Probes, scrapes and a few people. Beyond, the connection that has been idle longest makes room.
MOST_CONNECTIONS = 256


class Admin:
    """Serves `/metrics`, `/healthz`, `/readyz`, `/api/turns`, `/api/inspect` and `/`.

    `metrics` is the aggregate; `turns` the ledger, None where no turns are kept; `checks` says
    what is not ready yet; `inspect` what the telemetry shows. Opens nothing before `start`.
    """

    def __init__(
        self,
        config: AdminConfig,
        metrics: Metrics,
        turns: Turns | None,
        *,
        checks: Checks,
        inspect: Inspect | None = None,
    ) -> None:
        self._config = config
        self._metrics = metrics
        self._checks = checks
        self._inspect = inspect
        self._turns = turns
        self._socket: socket.socket | None = None
        self._server: Server | None = None

    @property
    def port(self) -> int:
        """The port it listens on; 0 before `start`."""
        return 0 if self._socket is None else int(self._socket.getsockname()[1])

    async def start(self) -> None:
        """Listen; raises ConfigError where the address or a file can't be had."""
        # Commands that serve nothing need not wait for it.
        from collector.server import listen  # noqa: PLC0415

        config = self._config
        tls = config.certificates(KEY)
        tokens = config.tokens(KEY)
        application = Application(
            self._metrics,
            self._turns,
            checks=self._checks,
            guard=Guard(config.endpoint, tokens),
            inspect=self._inspect,
        )
        self._socket = _bound(config.endpoint)
        self._server = await listen(
            self._socket,
            application,
            most=min(MOST_CONNECTIONS, most_connections(8)),
            backlog=BACKLOG,
            secured=None if tls is None else tls.context,
        )

    async def shutdown(self, deadline: float) -> None:
        """Stop listening, let requests under way finish, cut them off after `deadline` seconds."""
        server, self._server = self._server, None
        listening, self._socket = self._socket, None
        if server is not None and listening is not None:
            server.config.timeout_graceful_shutdown = max(1, math.ceil(deadline))
            await server.shutdown(sockets=[listening])
            for connection in list(server.server_state.connections):
                with contextlib.suppress(AttributeError):
                    connection.transport.abort()


def _bound(endpoint: str) -> socket.socket:
    host, port = split(endpoint)
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
    except OSError as error:
        raise unusable(KEY, endpoint, error) from error
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.settimeout(0)
    except OSError as error:
        listening.close()
        raise unusable(KEY, endpoint, error) from error
    return listening
