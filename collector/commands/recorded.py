"""Recorded telemetry through the pipeline: what `replay` and `inspect` have in common."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from collector.assembly.settings import TurnsConfig
from collector.config import Config
from collector.entry import Entry
from collector.errors import Permanent, UsageError
from collector.otlp import Batch
from collector.pipeline import Pipeline
from collector.receivers import file

# Files have no clock, so every turn stays open until the last one is read, within this many bytes.
FLUSH_BYTES = 1 << 30


def unhurried(config: Config) -> TurnsConfig:
    """Return the settings with room for what files hold: nothing here is refused for pressure."""
    return config.turns.model_copy(
        update={"max_open_bytes": 8 * FLUSH_BYTES, "max_open_turns": 10_000_000}
    )


def entries(paths: Iterable[Path], pipeline: Pipeline, observer: LeftOut) -> Iterator[Entry]:
    """Read files and yield their turns. Raises `UsageError` where there is nothing to read."""
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


class LeftOut:
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
