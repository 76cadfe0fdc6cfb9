"""The answers senders get: a response with what was refused of it, or a google.rpc.Status."""

from __future__ import annotations

import json
import math

from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.rpc.code_pb2 import Code
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from collector.errors import Permanent, Retryable
from collector.otlp.batch import Batch, Encoding

# Header and log lines of senders have limits of their own.
_LONGEST_MESSAGE = 500

# The reasons that have a status of their own: HTTP, google.rpc. Any other reason of a Permanent
# is 400 / INVALID_ARGUMENT. Size is never a retryable status: the same bytes come again and again.
_PERMANENT: dict[str, tuple[int, int]] = {
    "unauthenticated": (401, Code.UNAUTHENTICATED),
    "too_large": (413, Code.RESOURCE_EXHAUSTED),
    "unsupported_media_type": (415, Code.INVALID_ARGUMENT),
    "unsupported_encoding": (415, Code.UNIMPLEMENTED),
    "unknown_path": (404, Code.NOT_FOUND),
    "unknown_method": (404, Code.UNIMPLEMENTED),
    "unsupported_signal": (404, Code.UNIMPLEMENTED),
    "method": (405, Code.UNIMPLEMENTED),
}
_RETRYABLE: dict[str, tuple[int, int]] = {
    "pressure": (429, Code.RESOURCE_EXHAUSTED),
    "slow_body": (408, Code.DEADLINE_EXCEEDED),
}
_UNAVAILABLE = (503, Code.UNAVAILABLE)


def response(batch: Batch, encoding: Encoding) -> bytes:
    """Return the Export*ServiceResponse: partial success where records were refused."""
    traces = batch.signal == "traces"
    if encoding == "json":
        if not batch.rejected:
            return b"{}"
        key = "rejectedSpans" if traces else "rejectedLogRecords"
        # 64-bit integers are texts in proto3 JSON.
        partial = {key: str(batch.rejected), "errorMessage": batch.message}
        return json.dumps({"partialSuccess": partial}).encode()
    if traces:
        spans = ExportTraceServiceResponse()
        if batch.rejected:
            spans.partial_success.rejected_spans = batch.rejected
            spans.partial_success.error_message = batch.message
        return spans.SerializeToString()
    logs = ExportLogsServiceResponse()
    if batch.rejected:
        logs.partial_success.rejected_log_records = batch.rejected
        logs.partial_success.error_message = batch.message
    return logs.SerializeToString()


def codes(error: Exception) -> tuple[int, int]:
    """Return the HTTP status and the google.rpc code of an error; 500 for an unforeseen one."""
    if isinstance(error, Permanent):
        return _PERMANENT.get(error.reason, (400, Code.INVALID_ARGUMENT))
    if isinstance(error, Retryable):
        return _RETRYABLE.get(error.reason, _UNAVAILABLE)
    return 500, Code.INTERNAL


def reason(error: Exception) -> str:
    """Return the label an error is counted under."""
    return error.reason if isinstance(error, Permanent | Retryable) else "internal"


def status(error: Exception) -> Status:
    """Return the Status of an error; of an unforeseen one nothing but that it happened."""
    known = isinstance(error, Permanent | Retryable)
    message = str(error)[:_LONGEST_MESSAGE] if known else "internal error, see the log"
    # An id or key in the message may hold half a surrogate pair.
    message = message.encode("utf-8", "replace").decode("utf-8")
    found = Status(code=codes(error)[1], message=message)
    if isinstance(error, Retryable):
        detail = AnyMessage()
        detail.Pack(retry_info(error))
        found.details.append(detail)
    return found


def retry_info(error: Retryable) -> RetryInfo:
    """Return when to try again, as OTLP/gRPC carries it."""
    delay = Duration()
    delay.FromNanoseconds(int(error.retry_after * 1e9))
    return RetryInfo(retry_delay=delay)


def error_body(error: Exception, encoding: Encoding) -> bytes:
    """Return the Status in the request's encoding."""
    found = status(error)
    if encoding == "protobuf":
        return bytes(found.SerializeToString())
    return json.dumps({"code": found.code, "message": found.message}).encode()


def retry_after(error: Retryable) -> bytes:
    """Return the value of the HTTP header: whole seconds, at least one."""
    return str(max(1, math.ceil(error.retry_after))).encode()
