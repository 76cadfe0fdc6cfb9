"""OTLP over gRPC: TraceService and LogsService, each also compressed with gzip."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any

from pydantic import Field

from collector.errors import ConfigError, Permanent, Retryable
from collector.otlp import Signal, reply
from collector.otlp.inflate import inflate
from collector.receiver import (
    MAX_REQUEST_BYTES,
    UNSUPPORTED_METRICS,
    Consume,
    Intake,
    ReceiverObserver,
)
from collector.setting import Bytes, Endpoint, Section, split

if TYPE_CHECKING:
    import grpc.aio

RECEIVER = "otlp_grpc"
_KEY = "receivers.otlp.grpc.endpoint"

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

_OPTIONS = (
    # Two processes that share a port would each see half of every trace.
    ("grpc.so_reuseport", 0),
    # gRPC is kept from inflating, so that a bomb meets our bound and our counter, whatever the
    # version of gRPC does about it. Bits: identity and gzip, the codings OTLP knows.
    ("grpc.per_message_decompression", 0),
    ("grpc.compression_enabled_algorithms_bitset", 0b101),
    # Exporters in Go may ping every 10 s, also between exports; the default answer to that is to
    # hang up on them.
    ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    # And a sender that vanished without a word is noticed.
    ("grpc.keepalive_time_ms", 60_000),
)

Handler = Callable[[AsyncIterator[bytes], Any], Awaitable[bytes]]


class OtlpGrpcConfig(Section):
    """OTLP over gRPC. The default limit fits 512 spans of 100 KB in a request."""

    endpoint: Endpoint = Field(default="127.0.0.1:4317", description="Address to listen on.")
    max_message_bytes: Bytes = Field(
        default=MAX_REQUEST_BYTES,
        gt=0,
        lt=1 << 31,
        description="Largest message, as sent and once inflated.",
    )


class OtlpGrpc:
    """OTLP/gRPC on one port. `port` is the bound one once started."""

    def __init__(self, config: OtlpGrpcConfig, consume: Consume, observe: ReceiverObserver) -> None:
        self._config = config
        self._intake = Intake(RECEIVER, consume, observe)
        self._server: grpc.aio.Server | None = None
        self.port = 0

    async def start(self) -> None:
        """Listen. Raises `ConfigError` when the endpoint can't be had."""
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

        limit = ("grpc.max_receive_message_length", self._config.max_message_bytes)
        server = grpc.aio.server(options=(*_OPTIONS, limit))
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
            self.port = server.add_insecure_port(endpoint)
        except OSError as error:
            raise ConfigError(f"{_KEY} {endpoint}: {error.strerror}") from None
        except RuntimeError as error:
            raise ConfigError(f"{_KEY} {endpoint}: {error}") from None
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
        async def export(requests: AsyncIterator[bytes], context: Any) -> bytes:
            try:
                return await self._answer(signal, requests)
            except asyncio.CancelledError:
                gone = Retryable("cancelled, or shutting down", reason="disconnected")
                self._intake.refuse(signal, gone)
                raise
            except Exception as error:  # noqa: BLE001 - counted by the intake, told to the sender
                refusal = error
            return await _abort(context, refusal)

        return export

    async def _answer(self, signal: Signal, requests: AsyncIterator[bytes]) -> bytes:
        try:
            body = await self._message(requests)
        except Exception as error:
            self._intake.refuse(signal, error)
            raise
        batch = await self._intake.take(signal, "protobuf", body)
        return reply.response(batch, "protobuf")

    async def _message(self, requests: AsyncIterator[bytes]) -> bytes:
        limit = self._config.max_message_bytes
        body = await anext(requests, None)
        if body is None:
            # gRPC has told the sender already; this is for the counter.
            raise Permanent(f"the message has more than {limit} bytes", reason="too_large")
        if body.startswith(_GZIP_MAGIC):
            return await asyncio.to_thread(inflate, body, "gzip", limit)
        return body


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
