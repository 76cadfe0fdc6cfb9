"""uvicorn without its own loop and signal handlers: it listens between two calls."""

from __future__ import annotations

import functools
import resource
import socket
from typing import Any

import uvicorn

from collector.connection import IDLE_SECONDS, Connection, Refused

# Exporters of some thousand processes, as long as the other ports get their share of files.
_MOST_CONNECTIONS = 4096


class Server(uvicorn.Server):
    """uvicorn's server; `startup` and `shutdown` are all of its life."""

    def prepare(self) -> None:
        """Do what uvicorn's own loop does before it starts."""
        self.config.load()
        self.lifespan = self.config.lifespan_class(self.config)


async def listen(on: socket.socket, app: Any, refused: Refused) -> Server:
    """Return a server that answers on a listening socket.

    `app` is an ASGI application; `refused` is told of requests that never reach it.
    """
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _MOST_CONNECTIONS if files < 0 else min(_MOST_CONNECTIONS, files // 2)
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
        )
    )
    server.prepare()
    await server.startup(sockets=[on])
    return server
