"""`OtlpHttp`: the server, and the answer to each request."""

from __future__ import annotations

import asyncio
import math
import socket
from collections.abc import Awaitable, Callable
from typing import Any

import uvicorn
from pydantic import BaseModel, ConfigDict, Field, model_validator

from collector.errors import ConfigError, Permanent, Retryable
from collector.otlp import Encoding, reply
from collector.otlp.inflate import CODINGS
from collector.receiver import (
    MAX_REQUEST_BYTES,
    Consume,
    Intake,
    ReceiverObserver,
    host_and_port,
)
from collector.receivers.otlp_http.connection import IDLE_SECONDS, Connection
from collector.receivers.otlp_http.request import (
    ENCODINGS,
    BodyReader,
    DisconnectedError,
    Head,
    InFlight,
    Receive,
    head,
)

RECEIVER = "otlp_http"
_KEY = "receivers.otlp.http.endpoint"
_CONTENT_TYPES = {encoding: name.encode() for name, encoding in ENCODINGS.items()}

Send = Callable[[dict[str, Any]], Awaitable[None]]


class OtlpHttpConfig(BaseModel):
    """Where to listen and how much to take. The defaults fit 512 spans of 100 KB in a request."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    endpoint: str = Field("127.0.0.1:4318", description="host:port to listen on")
    max_body_bytes: int = Field(
        MAX_REQUEST_BYTES, gt=0, description="largest request body, as sent"
    )
    max_inflated_bytes: int = Field(
        MAX_REQUEST_BYTES, gt=0, description="largest request body, once inflated"
    )
    max_in_flight_bytes: int = Field(
        4 * MAX_REQUEST_BYTES,
        gt=0,
        description="bodies of all requests at once; beyond it senders are told to try again",
    )

    @model_validator(mode="after")
    def _one_request_fits(self) -> OtlpHttpConfig:
        largest = max(self.max_body_bytes, self.max_inflated_bytes)
        if self.max_in_flight_bytes < largest:
            raise ValueError(
                f"max_in_flight_bytes is {self.max_in_flight_bytes}, less than one request may"
                f" take ({largest})"
            )
        return self


class _Server(uvicorn.Server):
    """uvicorn without its own loop: it listens between `startup` and `shutdown`."""

    def prepare(self) -> None:
        self.config.load()
        self.lifespan = self.config.lifespan_class(self.config)


class OtlpHttp:
    """OTLP/HTTP on one port. `port` is the bound one once started."""

    def __init__(self, config: OtlpHttpConfig, consume: Consume, observe: ReceiverObserver) -> None:
        self._config = config
        self._intake = Intake(RECEIVER, consume, observe)
        self._in_flight = InFlight(config.max_in_flight_bytes)
        self._server: _Server | None = None
        self._socket: socket.socket | None = None
        self.port = 0

    async def start(self) -> None:
        """Listen. Raises `ConfigError` when the endpoint can't be had."""
        host, port = host_and_port(self._config.endpoint, _KEY)
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            self._socket = socket.create_server((host, port), family=family, backlog=2048)
        except OSError as error:
            raise ConfigError(f"{_KEY} {self._config.endpoint}: {error.strerror}") from None
        self.port = self._socket.getsockname()[1]
        self._server = _Server(
            uvicorn.Config(
                self._app,
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
        self._server.prepare()
        await self._server.startup(sockets=[self._socket])

    async def shutdown(self, deadline: float) -> None:
        """Take no new request; answer those under way, 503 where the deadline passes first."""
        server, self._server = self._server, None
        if server is None or self._socket is None:
            return
        server.config.timeout_graceful_shutdown = max(1, math.ceil(deadline))
        await server.shutdown(sockets=[self._socket])
        # What is still open has no request under way, or its sender doesn't read the answer.
        for connection in list(server.server_state.connections):
            connection.transport.close()

    async def _app(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        request = head(scope)
        body = BodyReader(
            self._in_flight, self._config.max_body_bytes, self._config.max_inflated_bytes
        )
        try:
            answer = await self._answer(request, body, receive)
        except DisconnectedError:
            return
        except asyncio.CancelledError:  # uvicorn, when the deadline of the shutdown has passed
            error = Retryable("shutting down", reason="shutdown")
            self._intake.refuse(request.signal, error)
            answer = _refusal(error, request)
        finally:
            body.release()
        status, headers, content = answer
        headers.append((b"content-length", str(len(content)).encode()))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": content})

    async def _answer(
        self, request: Head, body: BodyReader, receive: Receive
    ) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
        try:
            signal, encoding = request.check(self._config.max_body_bytes)
            raw = await body.read(receive, request.coding)
        except DisconnectedError:
            self._intake.refuse(request.signal, Retryable("disconnected", reason="disconnected"))
            raise
        except Exception as error:  # noqa: BLE001 - whatever a request does, the server lives
            self._intake.refuse(request.signal, error)
            return _refusal(error, request)
        try:
            batch = await self._intake.take(signal, encoding, raw)
        except Exception as error:  # noqa: BLE001 - counted by the intake, told to the sender
            return _refusal(error, request)
        return 200, _content_type(encoding), reply.response(batch, encoding)


def _content_type(encoding: Encoding) -> list[tuple[bytes, bytes]]:
    return [(b"content-type", _CONTENT_TYPES[encoding])]


def _refusal(error: Exception, request: Head) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
    status, _ = reply.codes(error)
    headers = _content_type(request.encoding)
    if isinstance(error, Retryable):
        headers.append((b"retry-after", reply.retry_after(error)))
    if isinstance(error, Permanent) and error.reason == "method":
        headers.append((b"allow", b"POST"))
    if isinstance(error, Permanent) and error.reason == "unsupported_encoding":
        headers.append((b"accept-encoding", ", ".join(CODINGS).encode()))
    if request.expects_continue:
        # The body was perhaps never asked for: what follows on this connection is unknowable.
        headers.append((b"connection", b"close"))
    return status, headers, reply.error_body(error, request.encoding)
