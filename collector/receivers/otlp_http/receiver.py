"""`OtlpHttp`: the server, and the answer to each request."""

from __future__ import annotations

import asyncio
import functools
import socket
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from collector.bearer import CHALLENGE, Tokens
from collector.errors import Permanent, Retryable
from collector.in_flight import InFlight, Reservation
from collector.incoming import EXTENSION, Incoming
from collector.listener import unusable
from collector.otlp import Encoding, reply
from collector.otlp.inflate import CODINGS
from collector.receiver import Body, Consume, Glance, Intake, ReceiverObserver, most_connections
from collector.receivers.otlp_http.request import (
    ENCODINGS,
    DisconnectedError,
    Head,
    head,
    read,
)
from collector.receivers.otlp_http.settings import OtlpHttpConfig
from collector.setting import split

if TYPE_CHECKING:
    from collector.server import Server

RECEIVER = "otlp_http"
_KEY = "receivers.otlp.http"
_LAST_WORDS_SECONDS = 1.0
_CONTENT_TYPES = {encoding: name.encode() for name, encoding in ENCODINGS.items()}

Send = Callable[[dict[str, Any]], Awaitable[None]]


class OtlpHttp:
    """OTLP/HTTP on one port. `port` is the bound one once started."""

    def __init__(
        self,
        config: OtlpHttpConfig,
        consume: Consume,
        observe: ReceiverObserver,
        in_flight: InFlight | None = None,
        glance: Glance | None = None,
    ) -> None:
        self._config = config
        self._intake = Intake(
            RECEIVER,
            consume,
            observe,
            in_flight=in_flight,
            max_bytes=config.max_inflated_bytes,
            glance=glance,
        )
        self._tokens: Tokens | None = None
        self._server: Server | None = None
        self._socket: socket.socket | None = None
        self.port = 0

    async def start(self) -> None:
        """Listen. Raises `ConfigError` when the endpoint or a file can't be had."""
        # Here and not above: reading a configuration needs no web server.
        from collector.server import listen  # noqa: PLC0415

        config = self._config
        tls = config.certificates(_KEY)
        self._tokens = config.tokens(_KEY)
        host, port = split(config.endpoint)
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            self._socket = socket.create_server((host, port), family=family, backlog=2048)
        except OSError as error:
            raise unusable(_KEY, config.endpoint, error) from None
        self.port = self._socket.getsockname()[1]
        self._server = await listen(
            self._socket,
            self._app,
            most=most_connections(2),
            refused=functools.partial(self._intake.refuse, "unknown"),
            secured=None if tls is None else tls.context,
        )

    async def shutdown(self, deadline: float) -> None:
        """Take no new request; answer those under way, 503 where the deadline passes first."""
        server, self._server = self._server, None
        if server is None or self._socket is None:
            return
        # Given to asyncio, which takes fractions of seconds too.
        server.config.timeout_graceful_shutdown = deadline  # type: ignore[assignment]
        await server.shutdown(sockets=[self._socket])
        late = list(server.server_state.tasks)
        if late:  # they were cancelled, and now say 503
            await asyncio.wait(late, timeout=_LAST_WORDS_SECONDS)
        for connection in list(server.server_state.connections):
            connection.transport.close()

    async def _app(self, scope: dict[str, Any], _: object, send: Send) -> None:
        request = head(scope)
        incoming: Incoming = scope["extensions"][EXTENSION]
        try:
            answer = await self._answer(request, incoming)
        except DisconnectedError:
            return
        except asyncio.CancelledError:  # uvicorn, when the deadline of the shutdown has passed
            error = Retryable("shutting down", reason="shutdown")
            self._intake.refuse(request.signal, error)
            answer = _refusal(error, request)
        finally:
            incoming.drop()
        status, headers, content = answer
        headers.append((b"content-length", str(len(content)).encode()))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": content})

    async def _answer(
        self, request: Head, incoming: Incoming
    ) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
        try:
            if self._tokens is not None:
                self._tokens.check(request.authorization)
            signal, encoding = request.check(self._config.max_body_bytes)
        except Exception as error:  # noqa: BLE001 - whatever a request does, the server lives
            self._intake.refuse(request.signal, error)
            return _refusal(error, request)

        async def body(held: Reservation) -> Body:
            limit = self._config.max_body_bytes
            return Body(await read(incoming, held, limit), request.coding)

        try:
            batch = await self._intake.take(
                signal,
                encoding,
                body,
                peer=request.peer,
                announced=self._intake.room_for(request.length, request.coding),
            )
        except DisconnectedError:
            raise
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
    if isinstance(error, Permanent) and error.reason == "unauthenticated":
        headers.append((b"www-authenticate", CHALLENGE.encode()))
    if isinstance(error, Permanent) and error.reason == "method":
        headers.append((b"allow", b"POST"))
    if isinstance(error, Permanent) and error.reason == "unsupported_encoding":
        headers.append((b"accept-encoding", ", ".join(CODINGS).encode()))
    if request.expects_continue:
        # The body was perhaps never asked for: what follows on this connection is unknowable.
        headers.append((b"connection", b"close"))
    return status, headers, reply.error_body(error, request.encoding)
