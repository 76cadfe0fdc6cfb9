"""The recordings that the demo sends: request bodies as exporters of real libraries sent them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

Transport = Literal["OTLP/HTTP", "OTLP/gRPC"]


@dataclass(frozen=True, slots=True)
class Recording:
    """One run of one agent. `name` is its folder in `data/`, `library` what recorded it."""

    name: str
    library: str
    transport: Transport = "OTLP/HTTP"

    def bodies(self) -> Iterator[bytes]:
        """Yield the bodies of its OTLP trace requests (protobuf), in the order they were sent."""
        folder = files("collector.demo").joinpath("data", self.name)
        names = sorted(item.name for item in folder.iterdir() if item.name.endswith(".pb"))
        for name in names:
            yield folder.joinpath(name).read_bytes()


RECORDINGS = (
    Recording(
        "semconv-current-genai_openai-1.3b0",
        "opentelemetry-instrumentation-genai-openai 1.3b0",
        "OTLP/gRPC",
    ),
    Recording(
        "semconv-current-genai_langchain-1.3b0",
        "opentelemetry-instrumentation-genai-langchain 1.3b0",
    ),
    Recording(
        "openinference-langchain-0.1.80",
        "openinference-instrumentation-langchain 0.1.80",
    ),
    Recording("traceloop-sdk-0.62.4", "traceloop-sdk 0.62.4"),
    Recording("made-up-import-analyst", "opentelemetry-sdk, a run made up for this demo"),
)
