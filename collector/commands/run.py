"""`tellback run`: the sidecar."""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import signal
import sys
from pathlib import Path
from typing import Any

from collector.config import Config, load
from collector.errors import where

LEFT_BEHIND = 1  # exit status where telemetry that was accepted could not be stored in the end


def add_parser(subparsers: Any) -> None:
    """Add `run` to the program's commands."""
    parser = subparsers.add_parser(
        "run",
        help="the sidecar: receive telemetry, measure turns, serve metrics",
        description="Receive OTLP, measure every turn, serve metrics. SIGTERM drains what is open "
        "within a deadline and names what is left.",
    )
    parser.add_argument("--config", type=Path, metavar="FILE", help="absent: the defaults")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run until a signal. Raises `ConfigError` where it can't start."""
    config = load(args.config)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Reticent("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=config.service.log_level.upper(), handlers=[handler])
    logging.getLogger("uvicorn.error").setLevel("WARNING")  # its start and stop are told by us
    for warning in config.warnings():
        logging.getLogger("tellback").warning("%s", warning)
    import uvloop  # noqa: PLC0415 - only the sidecar needs it

    # Long work runs in threads of its own; the event loop gets its turn sooner than by default.
    sys.setswitchinterval(0.001)
    return LEFT_BEHIND if uvloop.run(_serve(config)) else 0


class _Reticent(logging.Formatter):
    """Writes of an unforeseen error its kind and place only, whichever library logs it: its text,
    and the values in a traceback's, may be what somebody sent."""

    def formatException(self, ei: Any) -> str:  # noqa: N802 - logging's name
        return where(ei[1]) if ei[1] is not None else ""


def _unforeseen(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log what nobody awaited; asyncio itself would write the error's text."""
    error = context.get("exception")
    said = where(error) if error is not None else context.get("message", "")
    logging.getLogger("tellback").error("an error that nobody awaited: %s", said)


async def _serve(config: Config) -> int:
    from collector.service import Addresses, Service  # noqa: PLC0415 - `validate` needs none of it

    service = Service(config)
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(_unforeseen)
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, service.stop)

    def announce(ports: Addresses) -> None:
        # What is imported stays: no need to look for cycles in it again. And of what telemetry
        # makes, hundreds of thousands of objects a second, hardly anything is one: by default
        # Python would look a thousand times a second.
        gc.collect()
        gc.freeze()
        gc.set_threshold(10_000, 20, 50)
        logging.getLogger("tellback").info(
            "listening: OTLP/gRPC %d, OTLP/HTTP %d, metrics and page %d",
            ports.grpc,
            ports.http,
            ports.admin,
        )

    return await service.run(announce)
