"""`OtlpGrpc`: the server, and the answer to each call."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any

from collector.bearer import Tokens
from collector.errors import ConfigError, Permanent, Retryable
from collector.in_flight import InFlight
from collector.listener import unusable
from collector.otlp import Signal, reply
from collector.receiver import (
    UNSUPPORTED_METRICS,
    Body,
    Consume,
    Glance,
    Intake,
    ReceiverObserver,
)
from collector.receivers.otlp_grpc import channel
from collector.receivers.otlp_grpc.settings import OtlpGrpcConfig
from collector.setting import split

if TYPE_CHECKING:
    import grpc.aio

RECEIVER = "otlp_grpc"
_KEY = "receivers.otlp.grpc"

# What a call holds while its message comes, of the bytes in flight. gRPC takes in whatever it is
# and hands it out whole: with the few megabytes that most have, sixteen of the largest would be in
# memory at a time.
_FIRST_BYTES = 16 << 20

# Between two looks at whether the server still serves.
_LOOK_SECONDS = 0.5

_log = logging.getLogger(__name__)

_SERVICES: dict[str, Signal] = {
    "opentelemetry.proto.collector.trace.v1.TraceService": "traces",
    "opentelemetry.proto.collector.logs.v1.LogsService": "logs",
}

# No protobuf message begins like this: it would be field 3 with wire type 7, which doesn't exist.
_GZIP_MAGIC = b"\x1f\x8b"

# Exporters of metrics come here when they are given one endpoint for everything.
_METRICS = "/opentelemetry.proto.collector.metrics.v1.MetricsService/"

Handler = Callable[[AsyncIterator[bytes], Any], Awaitable[bytes]]


class OtlpGrpc:
    """OTLP/gRPC on one port. `port` is the bound one once started."""

    def __init__(
        self,
        config: OtlpGrpcConfig,
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
            max_bytes=config.max_message_bytes,
            first_bytes=_FIRST_BYTES,
            glance=glance,
        )
        self._tokens: Tokens | None = None
        self._server: grpc.aio.Server | None = None
        self.port = 0

    async def start(self) -> None:
        """Listen. Raises `ConfigError` when the endpoint or a file can't be had."""
        self._server = await self._listen(self._config.endpoint)

    async def keep_listening(self) -> None:
        """Listen again where gRPC's server gave up. Ends after `shutdown`; to be cancelled before.

        It does (seen in 1.85) after one call whose method is no UTF-8: nobody could connect any
        more, and nobody would be told.
        """
        while (server := self._server) is not None:
            try:
                await server.wait_for_termination(_LOOK_SECONDS)
            except Exception as error:  # noqa: BLE001 - whatever ended it, others want to be served
                _log.error("the gRPC server ended (%s): listening again", type(error).__name__)
                self._intake.refuse("unknown", Permanent("unreadable", reason="unknown_method"))
                await server.stop(None)  # what it was at, its senders send again
                await self._listen_again()

    async def _listen_again(self) -> None:
        try:
            # The port that was bound, also where any would do.
            host = self._config.endpoint.rpartition(":")[0]
            self._server = await self._listen(f"{host}:{self.port}")
        except ConfigError as error:
            _log.error("%s", error)
            await asyncio.sleep(_LOOK_SECONDS)

    async def _listen(self, endpoint: str) -> grpc.aio.Server:
        # Here and not above: it takes long to import and starts threads.
        import grpc.aio  # noqa: PLC0415

        config = self._config
        tls = config.certificates(_KEY)
        self._tokens = config.tokens(_KEY)
        server = grpc.aio.server(options=channel.options(config.max_message_bytes))
        for service, signal in _SERVICES.items():
            # Declared as a stream of requests, which looks the same on the wire: a handler of a
            # single one isn't called at all when gRPC refuses the message, and nobody would count.
            method = grpc.stream_unary_rpc_method_handler(self._export(signal))
            handlers = grpc.method_handlers_generic_handler(service, {"Export": method})
            server.add_generic_rpc_handlers((handlers,))
        server.add_generic_rpc_handlers((_others(grpc, self._refuse),))
        try:
            # gRPC would write lines of its own beside our sentence.
            _check_free(endpoint)
            if tls is None:
                self.port = server.add_insecure_port(endpoint)
            else:
                self.port = server.add_secure_port(endpoint, channel.credentials(tls))
        except OSError as error:
            raise unusable(_KEY, endpoint, error) from None
        except RuntimeError as error:
            raise ConfigError(f"{_KEY}.endpoint {endpoint}: {error}") from None
        await server.start()
        return server

    async def shutdown(self, deadline: float) -> None:
        """Take no new request; answer those under way, or cancel them at the deadline."""
        server, self._server = self._server, None
        if server is not None:
            await server.stop(deadline)

    async def _refuse(self, method: str, context: Any) -> bytes:
        metrics = method.startswith(_METRICS)
        if metrics:
            error = Permanent(UNSUPPORTED_METRICS, reason="unsupported_signal")
        else:
            error = Permanent(f"there is no {method[:80]!r}", reason="unknown_method")
        self._intake.refuse("metrics" if metrics else "unknown", error)
        return await _abort(context, error)

    def _export(self, signal: Signal) -> Handler:
        async def export(_: AsyncIterator[bytes], context: Any) -> bytes:
            try:
                self._authenticate(signal, context)
                batch = await self._intake.take(
                    signal,
                    "protobuf",
                    lambda _: self._message(context),
                    # ipv4:127.0.0.1:40000, without the port
                    peer=context.peer().rpartition(":")[0],
                    announced=self._intake.room_for(None, None),
                )
                return reply.response(batch, "protobuf")
            except asyncio.CancelledError:
                gone = Retryable("cancelled, or shutting down", reason="disconnected")
                self._intake.refuse(signal, gone)
                raise
            except Exception as error:  # noqa: BLE001 - counted by the intake, told to the sender
                refusal = error.with_traceback(None)  # its frames hold the message
            return await _abort(context, refusal)

        return export

    def _authenticate(self, signal: str, context: Any) -> None:
        if self._tokens is None:
            return
        given = dict(context.invocation_metadata()).get("authorization", "")
        try:
            self._tokens.check(given)
        except Permanent as error:
            self._intake.refuse(signal, error)
            raise

    async def _message(self, context: Any) -> Body:
        # Not from the iterator that the handler is given: one that isn't read to its end keeps
        # its message for some dozens of requests.
        body = await context.read()
        if not isinstance(body, bytes):
            # gRPC has told the sender already; this is for the counter.
            raise Permanent(
                f"the message has more than {self._config.max_message_bytes} bytes",
                reason="too_large",
            )
        return Body(body, "gzip" if body.startswith(_GZIP_MAGIC) else None)


def _others(grpc: Any, refuse: Callable[[str, Any], Awaitable[bytes]]) -> Any:
    """Return the handler of every method that no other handler takes."""

    class Others(grpc.GenericRpcHandler):  # type: ignore[misc]
        """Refuses calls, and so gets to count them: gRPC by itself would tell nobody here."""

        def service(self, details: Any) -> Any:
            """Return what answers a call."""

            async def answer(_requests: AsyncIterator[bytes], context: Any) -> bytes:
                return await refuse(str(details.method), context)

            return grpc.stream_unary_rpc_method_handler(answer)

    return Others()


def _check_free(endpoint: str) -> None:
    """Raise OSError where the address can't be bound, as gRPC will bind it in a moment."""
    host, port = split(endpoint)
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(address)


async def _abort(context: Any, error: Exception) -> bytes:
    import grpc  # noqa: PLC0415 - as in start()

    status = reply.status(error)
    metadata = [("grpc-status-details-bin", status.SerializeToString())]
    if isinstance(error, Retryable):
        # Where OpenTelemetry's Python exporter looks for it, instead of in the details.
        info = reply.retry_info(error).SerializeToString()
        metadata.append(("google.rpc.retryinfo-bin", info))
    code = next(code for code in grpc.StatusCode if code.value[0] == status.code)
    await context.abort(code, status.message, tuple(metadata))
    raise AssertionError("abort raises")
