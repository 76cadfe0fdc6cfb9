"""What gRPC refuses by itself is counted too, and an address in use is one sentence."""

import asyncio
import os
import socket
import subprocess
import sys
from pathlib import Path

import grpc.aio
import pytest

from collector.receivers.otlp_grpc import OtlpGrpc, OtlpGrpcConfig
from exports import Recorder, serving, traces

ROOT = Path(__file__).parents[3]
SERVICES = "/opentelemetry.proto.collector"
METRICS = f"{SERVICES}.metrics.v1.MetricsService/Export"
TRACES = f"{SERVICES}.trace.v1.TraceService/Export"


@pytest.mark.parametrize(
    ("method", "counted", "said"),
    [
        (METRICS, ("metrics", "unsupported_signal"), "OTEL_METRICS_EXPORTER=none"),
        (f"{SERVICES}.trace.v1.TraceService/Import", ("unknown", "unknown_method"), "there is no"),
        ("/grpc.health.v1.Health/Check", ("unknown", "unknown_method"), "there is no"),
    ],
)
def test_a_method_that_is_not_served_is_refused_and_counted(method, counted, said):
    recorder = Recorder()

    async def run():
        config = OtlpGrpcConfig(endpoint="127.0.0.1:0")
        async with (
            serving(OtlpGrpc, config, recorder) as server,
            grpc.aio.insecure_channel(f"127.0.0.1:{server.port}") as channel,
        ):
            with pytest.raises(grpc.aio.AioRpcError) as refusal:
                await channel.unary_unary(method)(b"\x0a\x00", timeout=10)
            # And what is served goes on being served.
            await channel.unary_unary(TRACES)(traces(2).SerializeToString(), timeout=10)
            return refusal.value

    refusal = asyncio.run(run())
    assert refusal.code() is grpc.StatusCode.UNIMPLEMENTED
    assert said in refusal.details()
    assert dict(recorder.refused_by) == {("otlp_grpc", *counted): 1}
    assert recorder.accepted_by["otlp_grpc", "traces"] == 2


START = """
import asyncio, sys
from collector.errors import ConfigError
from collector.receivers.otlp_grpc import OtlpGrpc, OtlpGrpcConfig
try:
    asyncio.run(OtlpGrpc(OtlpGrpcConfig(endpoint=sys.argv[1]), None, None).start())
except ConfigError as error:
    sys.stderr.write(str(error))
"""


@pytest.mark.parametrize("endpoint", ["127.0.0.1:{}", "no.such.host.invalid:{}"])
def test_an_address_that_cannot_be_had_is_one_sentence(endpoint):
    """In a process of its own: the line beside it would be written by gRPC's C++ part."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = endpoint.format(taken.getsockname()[1])
        ended = subprocess.run(
            [sys.executable, "-c", START, address],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=True,
        )
    (sentence,) = ended.stderr.splitlines()
    assert sentence.startswith(f"receivers.otlp.grpc.endpoint {address}: ")
    assert "GRPC_VERBOSITY" not in sentence
