"""`tellback turns`: the ledger's turns, in the shape of `replay`."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from collector.config import load
from collector.duration import parse
from collector.errors import UsageError
from collector.ledger.ledger import Ledger
from collector.ledger.totals import Totals


def add_parser(subparsers: Any) -> None:
    """Add `turns` to the program's commands."""
    parser = subparsers.add_parser(
        "turns",
        help="list the ledger's turns",
        description="List the turns that the ledger holds, in the shape of `replay`.",
    )
    parser.add_argument("--database", metavar="URL", help="absent: the configuration's")
    parser.add_argument("--config", type=Path, metavar="FILE", help="absent: the defaults")
    parser.add_argument("--since", default="7d", help="how far back, such as 24h (default 7d)")
    parser.add_argument("--output", choices=("text", "json"), default="text")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the turns. Raises `UsageError` or `ConfigError` for what can't be read."""
    try:
        since_ns = time.time_ns() - int(parse(args.since) * 1e9)
    except ValueError as error:
        raise UsageError(f"--since: {error}") from None
    url = args.database or load(args.config).storage.url
    _must_exist(url)
    ledger = Ledger(url)
    ledger.open()
    totals = Totals()
    try:
        if args.output == "json":
            opening = '{"turns": ['
            for record in ledger.turns(since_ns=since_ns):
                totals.add_record(record)
                sys.stdout.write(opening + json.dumps(record, ensure_ascii=False))
                opening = ",\n"
            sys.stdout.write("" if opening == ",\n" else opening)
            document = json.dumps(totals.as_dict(), ensure_ascii=False)
            sys.stdout.write(f'],\n"totals": {document}}}\n')
        else:
            from collector.view import turns as view  # noqa: PLC0415 - slow to import
            from collector.view.terminal import Terminal  # noqa: PLC0415 - slow to import

            records = list(ledger.turns(since_ns=since_ns))
            for record in records:
                totals.add_record(record)
            view.show(Terminal(), records, totals.as_dict())
    finally:
        ledger.close()
    return 0


def _must_exist(url: str) -> None:
    """Reading must not make an empty ledger out of a mistyped path."""
    prefix = "sqlite:///"
    if url.startswith(prefix) and not Path(url.removeprefix(prefix)).exists():
        raise UsageError(f"{url.removeprefix(prefix)}: there is no ledger here")
