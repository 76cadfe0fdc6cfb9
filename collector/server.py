"""uvicorn without its own loop and signal handlers: it listens between two calls."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable
from typing import Any

import uvicorn

from collector.connection import IDLE_SECONDS, Connection, Refused

Secured = Callable[[Refused | None], ssl.SSLContext]

# As long as a head may take: see there.
_HANDSHAKE_SECONDS = 10.0


class Server(uvicorn.Server):
    """uvicorn's server; `open` and `shutdown` are all of its life."""

    async def open(
        self,
        on: socket.socket,
        connection: Callable[[], asyncio.Protocol],
        tls: ssl.SSLContext | None,
    ) -> None:
        """Do what uvicorn's `startup` does, which knows nothing of a handshake's time."""
        listening = await asyncio.get_running_loop().create_server(
            connection,
            sock=on,
            ssl=tls,
            backlog=self.config.backlog,
            ssl_handshake_timeout=None if tls is None else _HANDSHAKE_SECONDS,
        )
        self.servers = [listening]
        self.started = True


async def listen(
    on: socket.socket,
    app: Any,
    *,
    most: int,
    backlog: int = 2048,
    refused: Refused | None = None,
    secured: Secured | None = None,
) -> Server:
    """Return a server that answers on a bound socket, over at most `most` connections at a time.

    `app` is an ASGI application; `refused` is told of requests that never reach it; `secured`
    makes the context of TLS, where it is spoken.
    """
    config = uvicorn.Config(
        app,
        ws="none",
        lifespan="off",
        interface="asgi3",
        proxy_headers=False,
        access_log=False,
        server_header=False,
        date_header=False,
        log_config=None,
        timeout_keep_alive=IDLE_SECONDS,
        backlog=backlog,
    )
    config.load()
    server = Server(config)
    server.lifespan = config.lifespan_class(config)

    def connection() -> asyncio.Protocol:
        return Connection(config, server.server_state, {}, most=most, refused=refused)

    await server.open(on, connection, None if secured is None else secured(refused))
    return server
