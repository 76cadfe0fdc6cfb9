"""uvicorn without its own loop and signal handlers: it listens between two calls."""

from __future__ import annotations

import socket
from typing import Any

import uvicorn

from collector.receivers.otlp_http.connection import IDLE_SECONDS, Connection


class Server(uvicorn.Server):
    """uvicorn's server; `startup` and `shutdown` are all of its life."""

    def prepare(self) -> None:
        """Do what uvicorn's own loop does before it starts."""
        self.config.load()
        self.lifespan = self.config.lifespan_class(self.config)


async def listen(on: socket.socket, app: Any) -> Server:
    """Return a server that answers on a listening socket. `app` is an ASGI application."""
    server = Server(
        uvicorn.Config(
            app,
            http=Connection,
            ws="none",
            lifespan="off",
            interface="asgi3",
            proxy_headers=False,
            access_log=False,
            server_header=False,
            date_header=False,
            log_config=None,
            timeout_keep_alive=IDLE_SECONDS,
        )
    )
    server.prepare()
    await server.startup(sockets=[on])
    return server
