"""uvicorn without its own loop and signal handlers: it listens between two calls."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable
from typing import Any

import uvicorn

from collector.connection import IDLE_SECONDS, Connection, Refused
from collector.handshakes import Handshakes

Secured = Callable[[Refused | None], ssl.SSLContext]

# Of all connections, those whose TLS handshake is under way may be this part.
_HANDSHAKES_SHARE = 4


class Server(uvicorn.Server):
    """uvicorn's server; `open` and `shutdown` are all of its life."""

    def open(self, accepting: asyncio.Server | Handshakes) -> None:
        """Do what is left of uvicorn's `startup` where somebody accepts already."""
        self.servers = [accepting]  # type: ignore[list-item]  # it is asked to close, no more
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

    handshakes = 0 if secured is None else max(most // _HANDSHAKES_SHARE, 1)

    def connection() -> asyncio.Protocol:
        return Connection(config, server.server_state, {}, most=most - handshakes, refused=refused)

    if secured is None:
        loop = asyncio.get_running_loop()
        server.open(await loop.create_server(connection, sock=on, backlog=backlog))
    else:
        shaking = Handshakes(on, connection, secured(refused), handshakes)
        shaking.open(backlog)
        server.open(shaking)
    return server
