"""`tellback replay PATH…`: the pipeline over recorded telemetry, without a server."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from collector.assembly.settings import TurnsConfig
from collector.config import Config, load
from collector.entry import Entry
from collector.errors import Permanent, UsageError
from collector.ledger.record import turn_record
from collector.ledger.totals import Totals
from collector.otlp import Batch
from collector.pipeline import Pipeline, default_pipeline
from collector.receivers import file

# Files have no clock, so every turn stays open until the last one is read, within this many bytes.
FLUSH_BYTES = 1 << 30


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
    observer = _Observer()
    pipeline = default_pipeline(_unhurried(config), clock=lambda: 0.0, observer=observer)
    totals = Totals()
    entries = _entries(args.paths, pipeline, observer)
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


def _unhurried(config: Config) -> TurnsConfig:
    """Return the settings with room for what files hold: nothing here is refused for pressure."""
    return config.turns.model_copy(
        update={"max_open_bytes": 8 * FLUSH_BYTES, "max_open_turns": 10_000_000}
    )


def _entries(paths: Iterable[Path], pipeline: Pipeline, observer: _Observer) -> Iterator[Entry]:
    read = 0
    for path in paths:
        for batch in _batches(path):
            observer.take(batch)
            read += len(batch.records)
            pipeline.consume(batch)
            if pipeline.assembler.size > FLUSH_BYTES:
                yield from _finished(pipeline)
    if not read:
        named = ", ".join(map(str, paths))
        raise UsageError(
            f"{named}: no span or log record was read"
            f"{f' ({observer.first})' if observer.first else ''}; "
            "expected OTLP traces or logs (*.pb, *.json or *.jsonl, each also .gz)"
        )
    yield from _finished(pipeline)


def _finished(pipeline: Pipeline) -> Iterator[Entry]:
    for closing in pipeline.due(final="quiet"):
        closed, entries = pipeline.finish(closing)
        pipeline.done(closed)
        yield from entries


def _batches(path: Path) -> Iterator[Batch]:
    if not path.exists():
        raise UsageError(f"{path}: there is no such file or folder")
    try:
        yield from file.read(path)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from None
    except Permanent as error:
        raise UsageError(str(error)) from None


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


class _Observer:
    """Counts what was left out, and says so on standard error when all is read."""

    def __init__(self) -> None:
        self._left_out: Counter[str] = Counter()
        self.first = ""

    def take(self, batch: Batch) -> None:
        """Note what of a batch could not be read."""
        self._left_out.update(batch.refused)
        self.first = self.first or batch.message

    def received(self, receiver: str, signal: str, dialect: str, count: int) -> None:
        """Count records handed to a dialect."""

    def dropped(self, reason: str, count: int) -> None:
        """Count records left out, with the reason."""
        self._left_out[reason] += count

    def report(self) -> None:
        """Say what was left out, if anything was."""
        if self._left_out:
            counts = ", ".join(f"{count} {reason}" for reason, count in self._left_out.items())
            said = f" ({self.first})" if self.first else ""
            sys.stderr.write(f"tellback: left out: {counts}{said}\n")
