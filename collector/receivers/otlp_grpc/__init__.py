"""OTLP over gRPC: TraceService and LogsService, each also compressed with gzip."""

from __future__ import annotations

from collector.receivers.otlp_grpc.receiver import OtlpGrpc
from collector.receivers.otlp_grpc.settings import OtlpGrpcConfig

__all__ = ["OtlpGrpc", "OtlpGrpcConfig"]
