"""Batches from files: request bodies (`*.pb`, `*.json`) and the JSON lines that the Collector's
file exporter writes (`*.jsonl`, or `*.json` with one object a line), each also `.gz`.
"""

from __future__ import annotations

import dataclasses
import gzip
import itertools
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from collector.errors import Permanent
from collector.otlp import Batch, decode, sniff

RECEIVER = "file"
_SUFFIXES = (".pb", ".json", ".jsonl")
_EXPECTED = "expected OTLP traces or logs (*.pb, *.json or *.jsonl, each also .gz)"

# What a folder may hold beside traces and logs.
_PASSED_OVER = {"not_otlp", "metrics"}

# Real captures stay far below; a small compressed file of zeros must not fill the memory.
MAX_BODY_BYTES = 1 << 30

# A named file may start with damaged lines, but one of nothing else is given up.
_DAMAGED_LINES = 100


def read(path: Path) -> Iterator[Batch]:
    """Read a file, or a folder's files in the order of their names, one body at a time.

    In a folder, metrics and files that are no OTLP are skipped. What is damaged among good things
    (a file of a folder, a line of a file) gives a batch without records whose `message` says
    where and why. Raises `Permanent` when a file named by itself holds nothing readable.
    """
    if path.is_dir():
        for found in sorted(path.rglob("*")):
            if found.is_file() and _plain_name(found).endswith(_SUFFIXES):
                yield from (
                    batch for batch in _batches(found) if not _PASSED_OVER & batch.refused.keys()
                )
    else:
        yield from _named(path)


def _plain_name(path: Path) -> str:
    return path.name.lower().removesuffix(".gz")


def _named(path: Path) -> Iterator[Batch]:
    damaged: list[Batch] = []
    batches = _batches(path)
    for batch in batches:
        if not batch.records and batch.refused:
            damaged.append(batch)
            if len(damaged) < _DAMAGED_LINES:
                continue
            break
        found = itertools.chain(damaged, (batch,), batches)
        yield from (batch for batch in found if "metrics" not in batch.refused)
        return
    raise Permanent(f"{damaged[0].message if damaged else f'{path} is empty'}; {_EXPECTED}")


def _batches(path: Path) -> Iterator[Batch]:
    """Read one file; whatever is wrong becomes a batch that says so."""
    try:
        with _open(path) as stream:
            if _plain_name(path).endswith((".json", ".jsonl")):
                yield from _json(stream, path)
            else:
                yield _body(_rest(stream, b"", path), path, str(path))
    except (OSError, EOFError, zlib.error) as error:
        yield _damaged(f"{path} can't be read: {error}", "unreadable")
    except Permanent as error:
        yield _damaged(str(error), error.reason)


def _open(path: Path) -> IO[bytes]:
    return cast("IO[bytes]", gzip.open(path)) if path.suffix.lower() == ".gz" else path.open("rb")


def _rest(stream: IO[bytes], start: bytes, path: Path) -> bytes:
    body = start + stream.read(MAX_BODY_BYTES + 1 - len(start))
    if len(body) > MAX_BODY_BYTES:
        raise Permanent(f"{path} holds more than {MAX_BODY_BYTES} bytes", reason="too_large")
    return body


def _json(stream: IO[bytes], path: Path) -> Iterator[Batch]:
    """Read lines, when the first of them is a request by itself; else one document."""
    first = stream.readline(MAX_BODY_BYTES)
    batch = _body(first, path, f"{path} line 1")
    in_lines = batch.records or not batch.refused or _plain_name(path).endswith(".jsonl")
    if not in_lines:
        yield _body(_rest(stream, first, path), path, str(path))
        return
    yield batch
    for number in itertools.count(2):
        line = stream.readline(MAX_BODY_BYTES)
        if not line:
            return
        if line.strip():
            yield _body(line, path, f"{path} line {number}")


def _body(body: bytes, path: Path, where: str) -> Batch:
    try:
        signal, encoding = sniff(body, path.name)
        if signal == "metrics":
            return _damaged(f"{where} holds metrics", "metrics")
        batch = decode(signal, encoding, body)
    except Permanent as error:
        return _damaged(f"{where}: {error}", error.reason)
    message = batch.message and f"{where}: {batch.message}"
    return dataclasses.replace(batch, receiver=RECEIVER, message=message)


def _damaged(message: str, reason: str) -> Batch:
    return Batch(
        signal="traces",
        records=(),
        rejected=1,
        message=message,
        refused={reason: 1},
        receiver=RECEIVER,
    )
