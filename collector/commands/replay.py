"""`tellback replay PATH…`: the pipeline over recorded telemetry, without a server."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from collector.commands import recorded
from collector.config import load
from collector.entry import Entry
from collector.ledger.record import turn_record
from collector.ledger.totals import Totals
from collector.pipeline import Pipeline, default_pipeline


def add_parser(subparsers: Any) -> None:
    """Add `replay` to the program's commands."""
    parser = subparsers.add_parser(
        "replay",
        help="read recorded telemetry from files and print its turns",
        description="Read OTLP request bodies (*.pb, *.json), JSON lines as the Collector's file "
        "exporter writes them (*.jsonl), each also .gz, or folders of them; print every turn with "
        "its tool results and scores, and the totals. Nothing is stored.",
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    parser.add_argument("--config", type=Path, metavar="FILE", help="absent: the defaults")
    parser.add_argument("--output", choices=("text", "json"), default="text")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the turns of the given files. Raises `UsageError` where there is nothing to read."""
    config = load(args.config)
    observer = recorded.LeftOut()
    pipeline = default_pipeline(recorded.unhurried(config), clock=lambda: 0.0, observer=observer)
    totals = Totals()
    entries = recorded.entries(args.paths, pipeline, observer)
    if args.output == "json":
        _write_json(entries, totals, pipeline)
    else:
        from collector.view import turns as view  # noqa: PLC0415 - slow to import
        from collector.view.terminal import Terminal  # noqa: PLC0415 - slow to import

        kept = []
        for entry in entries:
            totals.add(entry)
            kept.append(turn_record(entry))
        document = totals.as_dict(spans=pipeline.spans, log_records=pipeline.log_records)
        view.show(Terminal(), kept, document)
    observer.report()
    return 0


def _write_json(entries: Iterable[Entry], totals: Totals, pipeline: Pipeline) -> None:
    """Write one document, turn by turn: it may be larger than memory."""
    out = sys.stdout
    opening = '{"turns": ['
    for entry in entries:
        totals.add(entry)
        out.write(opening + json.dumps(turn_record(entry), ensure_ascii=False, allow_nan=False))
        opening = ",\n"
    if opening != ",\n":
        out.write(opening)
    document = totals.as_dict(spans=pipeline.spans, log_records=pipeline.log_records)
    out.write('],\n"totals": ' + json.dumps(document, ensure_ascii=False, allow_nan=False) + "}\n")
