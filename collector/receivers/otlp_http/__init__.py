"""OTLP over HTTP: POST /v1/traces and /v1/logs, protobuf and JSON, each also compressed."""

from __future__ import annotations

from collector.receivers.otlp_http.receiver import OtlpHttp
from collector.receivers.otlp_http.settings import OtlpHttpConfig

__all__ = ["OtlpHttp", "OtlpHttpConfig"]
