"""OpenTelemetry as a team sets it up: traces, and logs where asked, to where the variables say."""

import os

from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor


def span_exporter():
    """Return an exporter of the protocol that the run is about."""
    if os.environ["OTEL_EXPORTER_OTLP_PROTOCOL"] == "grpc":
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
    else:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    return OTLPSpanExporter()


def resource():
    """Return the service as its variables name it."""
    return Resource.create({"service.version": "1.4.2"})


def traced():
    """Set up tracing for the process, and return its provider: shut it down in the end."""
    provider = TracerProvider(resource=resource())
    provider.add_span_processor(BatchSpanProcessor(span_exporter()))
    trace.set_tracer_provider(provider)
    return provider


def logged():
    """Set up log records for the process, and return their provider: shut it down in the end."""
    from opentelemetry._logs import set_logger_provider
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import BatchLogRecordProcessor

    if os.environ["OTEL_EXPORTER_OTLP_PROTOCOL"] == "grpc":
        from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter
    else:
        from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    provider = LoggerProvider(resource=resource())
    provider.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter()))
    set_logger_provider(provider)
    return provider


def bridge(logs):
    """Send the records of Python's logging too, as one library writes its content there."""
    import logging

    from opentelemetry.sdk._logs import LoggingHandler

    logging.getLogger().addHandler(LoggingHandler(logger_provider=logs))
    logging.getLogger().setLevel(logging.NOTSET)
