"""What the OTLP/gRPC receiver can be told."""

from __future__ import annotations

from pydantic import Field, model_validator

from collector.listener import ListenerConfig
from collector.receiver import MAX_REQUEST_BYTES
from collector.setting import Bytes, Endpoint


class OtlpGrpcConfig(ListenerConfig):
    """OTLP over gRPC. The default limit fits 512 spans of 100 KB in a request."""

    endpoint: Endpoint = Field(default="127.0.0.1:4317", description="Address to listen on.")
    max_message_bytes: Bytes = Field(
        default=MAX_REQUEST_BYTES,
        gt=0,
        lt=1 << 31,
        description="Largest message, as sent and once inflated.",
    )

    @model_validator(mode="after")
    def _version_of_grpc(self) -> OtlpGrpcConfig:
        if self.tls is not None and self.tls.min_version != "1.2":
            raise ValueError(
                "expected tls.min_version 1.2: gRPC speaks TLS 1.2 and 1.3 and can't be told to"
                " refuse the first"
            )
        return self
