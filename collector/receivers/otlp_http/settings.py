"""What the OTLP/HTTP receiver can be told."""

from __future__ import annotations

from pydantic import Field, model_validator

from collector.receiver import MAX_REQUEST_BYTES
from collector.setting import Bytes, Endpoint, Section


class OtlpHttpConfig(Section):
    """OTLP over HTTP. The default limits fit 512 spans of 100 KB in a request."""

    endpoint: Endpoint = Field(default="127.0.0.1:4318", description="Address to listen on.")
    max_body_bytes: Bytes = Field(
        default=MAX_REQUEST_BYTES, gt=0, description="Largest request body, as sent."
    )
    max_inflated_bytes: Bytes = Field(
        default=MAX_REQUEST_BYTES, gt=0, description="Largest request body, once inflated."
    )
    max_in_flight_bytes: Bytes = Field(
        default=4 * MAX_REQUEST_BYTES,
        gt=0,
        description="Bodies of all requests at once; beyond it senders are told to try again.",
    )

    @model_validator(mode="after")
    def _one_request_fits(self) -> OtlpHttpConfig:
        largest = max(self.max_body_bytes, self.max_inflated_bytes)
        if self.max_in_flight_bytes < largest:
            raise ValueError(
                f"max_in_flight_bytes is {self.max_in_flight_bytes}, less than one request may"
                f" take ({largest})"
            )
        return self
