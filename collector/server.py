"""uvicorn without its own loop and signal handlers: it listens between two calls."""

from __future__ import annotations

import functools
import socket
from typing import Any

import uvicorn

from collector.connection import IDLE_SECONDS, Connection, Refused


class Server(uvicorn.Server):
    """uvicorn's server; `startup` and `shutdown` are all of its life."""

    def prepare(self) -> None:
        """Do what uvicorn's own loop does before it starts."""
        self.config.load()
        self.lifespan = self.config.lifespan_class(self.config)


async def listen(
    on: socket.socket, app: Any, *, most: int, backlog: int = 2048, refused: Refused | None = None
) -> Server:
    """Return a server that answers on a bound socket, over at most `most` connections at a time.

    `app` is an ASGI application; `refused` is told of requests that never reach it.
    """
    server = Server(
        uvicorn.Config(
            app,
            # uvicorn calls it as it would its own classes.
            http=functools.partial(Connection, most=most, refused=refused),  # type: ignore[arg-type]
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
    )
    server.prepare()
    # `serve` would take the process's signals, which belong to the service.
    await server.startup(sockets=[on])
    return server
