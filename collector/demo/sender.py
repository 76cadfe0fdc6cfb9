"""Sends recorded request bodies to a sidecar, as an exporter would: OTLP/HTTP and OTLP/gRPC."""

from __future__ import annotations

import http.client
from collections.abc import Iterable

import grpc
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from collector.errors import UsageError

EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
SECONDS = 20.0


def send_http(port: int, bodies: Iterable[bytes]) -> None:
    """POST each body to /v1/traces on loopback. Raises `UsageError` where one is refused."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    try:
        for body in bodies:
            headers = {"Content-Type": "application/x-protobuf"}
            connection.request("POST", "/v1/traces", body, headers)
            answer = connection.getresponse()
            said = answer.read()
            if answer.status != 200:
                text = said[:200].decode(errors="replace")
                raise UsageError(f"the sidecar refused a recording: {answer.status} {text}")
    except (OSError, http.client.HTTPException) as error:
        raise UsageError(
            f"the sidecar's OTLP/HTTP port {port} can't be reached: {error}"
        ) from error
    finally:
        connection.close()


def send_grpc(port: int, bodies: Iterable[bytes]) -> None:
    """Export each body over gRPC on loopback. Raises `UsageError` where one is refused."""
    # A proxy of the environment has no business between two processes of one machine.
    options = (("grpc.enable_http_proxy", 0),)
    with grpc.insecure_channel(f"127.0.0.1:{port}", options=options) as channel:
        export = channel.unary_unary(EXPORT)
        try:
            for body in bodies:
                export(body, timeout=SECONDS, wait_for_ready=True)
        except grpc.RpcError as error:
            raise UsageError(f"the sidecar refused a recording over gRPC: {error}") from error


def trace_ids(body: bytes) -> set[str]:
    """Return the ids of the traces in a request body, in lower-case hex."""
    request = ExportTraceServiceRequest.FromString(body)
    return {
        span.trace_id.hex()
        for resource in request.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    }
