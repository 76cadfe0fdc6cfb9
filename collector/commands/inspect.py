"""`tellback inspect PATH…` or `--live`: what telemetry shows, and what to switch on."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from collector.commands import recorded
from collector.config import load
from collector.dialects import DIALECTS
from collector.errors import UsageError
from collector.inspection.inspection import Inspection
from collector.pipeline import Pipeline
from collector.scoring.worker import Worker
from scorers.measures import MEASURES

ENDPOINT = "http://127.0.0.1:9473"
# Turns and spans kept in mind: files are read once, and nobody's requests wait for the memory.
REMEMBERED = 200_000


def add_parser(subparsers: Any) -> None:
    """Add `inspect` to the program's commands."""
    parser = subparsers.add_parser(
        "inspect",
        help="say what telemetry shows of an agent, and what to switch on to see the rest",
        description="Say per service which dialects were read, what is visible of turns and tool "
        "results, which settings show the rest, and what is wrong with the traces. Takes what "
        "`replay` takes, or asks a running sidecar. No content of messages is printed.",
    )
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    parser.add_argument("--live", action="store_true", help="ask the running sidecar")
    parser.add_argument(
        "--endpoint", metavar="URL", help=f"the sidecar's admin port (default {ENDPOINT})"
    )
    parser.add_argument("--token-file", type=Path, metavar="FILE", help="where it asks for a token")
    parser.add_argument("--ca-file", type=Path, metavar="FILE", help="its CA, for https")
    parser.add_argument("--config", type=Path, metavar="FILE", help="absent: the defaults")
    parser.add_argument("--output", choices=("text", "json"), default="text")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print what was found. Raises `UsageError` where there is nothing to inspect."""
    if args.live == bool(args.paths):
        raise UsageError("inspect: give either PATH…, or --live")
    if not args.live and (args.endpoint or args.token_file or args.ca_file):
        raise UsageError("inspect: --endpoint, --token-file and --ca-file go with --live")
    document = _live(args) if args.live else _files(args)
    if args.output == "json":
        sys.stdout.write(json.dumps(document, ensure_ascii=True, indent=1) + "\n")
        return 0
    from collector.view import inspection as view  # noqa: PLC0415 - slow to import
    from collector.view.terminal import Terminal  # noqa: PLC0415 - slow to import

    view.show(Terminal(), document)
    return 0


def _files(args: argparse.Namespace) -> Mapping[str, Any]:
    observer = recorded.LeftOut()
    inspection = Inspection(remember=REMEMBERED)
    pipeline = Pipeline(
        DIALECTS,
        recorded.unhurried(load(args.config)),
        Worker(MEASURES, ()),
        clock=lambda: 0.0,
        observer=observer,
        onlooker=inspection,
    )
    for _ in recorded.entries(args.paths, pipeline, observer):
        pass
    observer.report()
    return inspection.report()


def _live(args: argparse.Namespace) -> Mapping[str, Any]:
    from collector.commands import sidecar_api  # noqa: PLC0415 - not needed for files

    return sidecar_api.get(
        args.endpoint or ENDPOINT, "/api/inspect", token_file=args.token_file, ca_file=args.ca_file
    )
