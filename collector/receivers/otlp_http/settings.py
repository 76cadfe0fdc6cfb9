"""What the OTLP/HTTP receiver can be told."""

from __future__ import annotations

from pydantic import Field

from collector.listener import ListenerConfig
from collector.receiver import MAX_REQUEST_BYTES
from collector.setting import Bytes, Endpoint


class OtlpHttpConfig(ListenerConfig):
    """OTLP over HTTP. The default limits fit 512 spans of 100 KB in a request."""

    endpoint: Endpoint = Field(default="127.0.0.1:4318", description="Address to listen on.")
    max_body_bytes: Bytes = Field(
        default=MAX_REQUEST_BYTES, gt=0, description="Largest request body, as sent."
    )
    max_inflated_bytes: Bytes = Field(
        default=MAX_REQUEST_BYTES, gt=0, description="Largest request body, once inflated."
    )
