"""OpenTelemetry as a team sets it up: traces, and logs where asked, to where the variables say."""

import os

from opentelemetry import trace
from opentelemetry._logs import set_logger_provider
from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter as GrpcLogs
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcSpans
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter as HttpLogs
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpSpans
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

GRPC = os.environ["OTEL_EXPORTER_OTLP_PROTOCOL"] == "grpc"
SERVICE = Resource.create({"service.version": "1.4.2"})


def traced():
    """Set up tracing for the process, and return its provider: shut it down in the end."""
    provider = TracerProvider(resource=SERVICE)
    provider.add_span_processor(BatchSpanProcessor(GrpcSpans() if GRPC else HttpSpans()))
    trace.set_tracer_provider(provider)
    return provider


def logged():
    """Set up log records for the process, and return their provider: shut it down in the end."""
    provider = LoggerProvider(resource=SERVICE)
    provider.add_log_record_processor(BatchLogRecordProcessor(GrpcLogs() if GRPC else HttpLogs()))
    set_logger_provider(provider)
    return provider
