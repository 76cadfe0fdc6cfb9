"""`tellback score`: judge reply points from a file, one JSON line each.

The file is read line by line and never held as a whole; a point may be many megabytes long.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from rich.console import Console
from rich.progress import Progress

from collector.errors import UsageError
from scorers import catalog
from scorers.errors import ScorerError
from scorers.point import turn_from_point
from scorers.score import Outcome
from scorers.scorer import Scorer
from scorers.turn import Turn

# What a judge's evidence may hold, with the value of a line whose judge says nothing of it.
VERDICT = {"failed": None, "answered": None, "answer_quote": None, "same_language": None}
LISTS = ("gaps", "errors", "omissions", "downplayed")


def add_parser(subparsers: Any) -> None:
    """Add `score` to the program's commands."""
    parser = subparsers.add_parser(
        "score",
        help="judge recorded replies",
        description="Judge reply points (JSON lines, also .gz), one result line each.",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="reply points, JSON lines")
    parser.add_argument("--scorer", required=True, metavar="NAME", help="which judge")
    parser.add_argument(
        "--variants",
        type=Path,
        metavar="FILE",
        help='judge these other replies to the same points: {"id", "base", "reply"}',
    )
    parser.add_argument("--output", choices=("text", "json"), default="text")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Judge every point of the file, or every variant; write one line for each as it is done."""
    scorer = _scorer(args.scorer)
    variants = None if args.variants is None else _variants(args.variants)
    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal, transient=True) as progress:
        for turn in _turns(args.file, variants, progress):
            line = _line(scorer, turn)
            sys.stdout.write(json.dumps(line) if args.output == "json" else _sentence(line))
            sys.stdout.write("\n")
            sys.stdout.flush()
    for base, replies in (variants or {}).items():
        where, _, _ = replies[0]
        raise UsageError(f"{where}: base names no point of {args.file}: {base}")
    return 0


def _scorer(name: str) -> Scorer:
    try:
        scorer = catalog.find(name)
    except ScorerError as error:
        raise UsageError(str(error)) from None
    if scorer.kind != "judge":
        judges = ", ".join(judge.name for judge in catalog.built_in() if judge.kind == "judge")
        raise UsageError(f"{name} measures turns and judges no replies; judges are: {judges}")
    return scorer


def _turns(
    path: Path, variants: dict[str, list[tuple[str, str, str | None]]] | None, progress: Progress
) -> Iterator[Turn]:
    """The turns to judge, in the order of the points; takes each base out of `variants`."""
    for where, point in _lines(path, progress):
        try:
            turn = turn_from_point(point)
        except ScorerError as error:
            raise UsageError(f"{where}: {error}") from error
        if variants is None:
            yield turn
            continue
        for _, identity, reply in variants.pop(turn.turn_id, ()):
            yield replace(turn, turn_id=identity, reply=reply)


def _variants(path: Path) -> dict[str, list[tuple[str, str, str | None]]]:
    """Other replies by the id of their point: where the variant stands, its id, its reply."""
    found: dict[str, list[tuple[str, str, str | None]]] = {}
    for where, variant in _lines(path):
        for key in ("id", "base"):
            if not isinstance(variant.get(key), str):
                raise UsageError(f"{where}: {key} must be a text")
        reply = variant.get("reply")
        if reply is not None and not isinstance(reply, str):
            raise UsageError(f"{where}: reply must be a text or null")
        found.setdefault(variant["base"], []).append((where, variant["id"], reply))
    return found


def _lines(path: Path, progress: Progress | None = None) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a JSON lines file, with file and line number; empty lines are skipped."""
    try:
        size = path.stat().st_size
        raw = path.open("rb")
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}") from error
    with raw:
        stream: IO[bytes] = raw
        if path.suffix == ".gz":
            stream = io.BufferedReader(gzip.GzipFile(fileobj=raw))
        task = progress.add_task(path.name, total=size) if progress else None
        number = 0
        while True:
            where = f"{path}:{number + 1}"
            try:
                line = stream.readline()
            except (OSError, EOFError) as error:
                raise UsageError(f"{where}: can't be read: {error}") from error
            if not line:
                return
            number += 1
            if line.strip():
                yield where, _object(line, where)
            if progress and task is not None:
                progress.update(task, completed=raw.tell())


def _object(line: bytes, where: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except RecursionError as error:
        raise UsageError(f"{where}: nested too deeply to be read") from error
    except ValueError as error:
        raise UsageError(f"{where}: not a line of JSON: {error}") from error
    if not isinstance(value, dict):
        raise UsageError(f"{where}: expected a JSON object")
    return value


def _line(scorer: Scorer, turn: Turn) -> dict[str, Any]:
    """One result line, with exactly the keys that `score --output json` promises."""
    started = time.perf_counter()
    score = scorer.score(turn)
    seconds = time.perf_counter() - started
    evidence: Mapping[str, Any] = score.evidence if score.outcome is Outcome.scored else {}
    return {
        "id": turn.turn_id,
        "scorer": score.scorer,
        "version": score.version,
        "outcome": score.outcome.value,
        "reason": score.reason,
        **{key: evidence.get(key, missing) for key, missing in VERDICT.items()},
        **{key: list(evidence.get(key, ())) for key in LISTS},
        "seconds": seconds,
    }


def _sentence(line: Mapping[str, Any]) -> str:
    if line["outcome"] != Outcome.scored:
        return f"{line['id']}  {line['outcome']}: {line['reason']}"
    if not line["failed"]:
        return f"{line['id']}  usable"
    why = [f"{gap['span']} ({gap['category']}: {gap['question']})" for gap in line["gaps"]]
    if line["answered"] is False:
        why.append("it does not answer what was asked")
    if line["same_language"] is False:
        why.append("it is not in the requester's language")
    return f"{line['id']}  failed: {'; '.join(why)}"
