"""A receiver in a process of its own. Prints its port, then its peak memory for every line read."""

import asyncio
import sys
from pathlib import Path

from collector.receivers.otlp_grpc import OtlpGrpc, OtlpGrpcConfig
from collector.receivers.otlp_http import OtlpHttp, OtlpHttpConfig

RECEIVERS = {"http": (OtlpHttp, OtlpHttpConfig), "grpc": (OtlpGrpc, OtlpGrpcConfig)}


class Nobody:
    def accepted(self, *_):
        pass

    refused = accepted


async def consume(_):
    pass


def peak():
    """Return the most KiB this program held; getrusage counts what forked it too."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(line.split()[1] for line in lines if line.startswith("VmHWM"))


async def main():
    receiver, config = RECEIVERS[sys.argv[1]]
    server = receiver(config(endpoint="127.0.0.1:0"), consume, Nobody())
    await server.start()
    print(server.port, flush=True)  # noqa: T201 - this is how the test reads it
    while await asyncio.to_thread(sys.stdin.readline):
        print(peak(), flush=True)  # noqa: T201 - same
    await server.shutdown(1)


asyncio.run(main())
