"""`tellback compare`: what of a tool result was delivered, for one pair of texts or many."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from collector.errors import UsageError
from scorers.measures.delivery import deliver
from scorers.turn import ToolResult

# Id, tool, produced and delivered text; a text that is not there is None.
Pair = tuple[Any, str, str | None, str | None]


def add_parser(subparsers: Any) -> None:
    """Add `compare` to the program's commands."""
    parser = subparsers.add_parser(
        "compare",
        help="say what of a tool result was delivered to the model",
        description="Compare what a tool produced with what was delivered of it, and print one "
        'JSON line per pair: {"id", "state", "strategy", "fields", "rows", …}. The id of a pair '
        "of files is null.",
    )
    parser.add_argument(
        "files",
        nargs="*",
        type=Path,
        metavar="PRODUCED DELIVERED",
        help="two text files",
    )
    parser.add_argument(
        "--jsonl",
        type=Path,
        metavar="FILE",
        help='a file of lines {"id", "produced", "delivered"}, a text that is not there is null; '
        "- reads standard input",
    )
    parser.add_argument("--output", choices=("json",), default="json")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print one JSON line per pair. Raises `UsageError` for what can't be read."""
    if (args.jsonl is None) == (not args.files):
        raise UsageError("compare: give either --jsonl FILE, or PRODUCED and DELIVERED")
    for name, tool, produced, delivered in _pairs(args):
        result = ToolResult(
            tool,
            produced=produced,
            delivered=delivered,
            calls_after=1,
            produced_missing="produced_missing",
            delivered_missing="delivered_missing",
        )
        # Escaped throughout: a lone surrogate has no UTF-8 form, and is valid JSON all the same.
        sys.stdout.write(json.dumps({"id": name, **deliver(result).as_pair()}) + "\n")
    sys.stdout.flush()
    return 0


def _pairs(args: argparse.Namespace) -> Iterator[Pair]:
    if args.jsonl is not None:
        yield from _lines(args.jsonl)
        return
    if len(args.files) != 2:
        raise UsageError(f"compare: two files are needed, {len(args.files)} given")
    produced, delivered = (_read(path) for path in args.files)
    yield None, "", produced, delivered


def _read(path: Path) -> str:
    """Return a file's text as it is: line breaks stay, and bytes that are not UTF-8 are replaced,
    as they would be on their way to a model."""
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from error


def _lines(path: Path) -> Iterator[Pair]:
    try:
        with sys.stdin.buffer if str(path) == "-" else path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield _pair(line, f"{path}, line {number}")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from error


def _pair(line: bytes, where: str) -> Pair:
    try:
        case = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: not JSON ({error})") from error
    if not isinstance(case, dict):
        raise UsageError(f"{where}: an object was expected")
    texts: list[str | None] = []
    for key in ("produced", "delivered"):
        text = case.get(key)
        if not isinstance(text, str) and (text is not None or key not in case):
            problem = "is missing" if key not in case else "is not a text"
            raise UsageError(f'{where}: "{key}" {problem}')
        texts.append(text)
    tool = case.get("tool")
    return case.get("id"), tool if isinstance(tool, str) else "", texts[0], texts[1]
