"""The command line: `tellback COMMAND …`. Standard output holds the answer and nothing else."""

from __future__ import annotations

import argparse
import errno
import importlib
import io
import os
import sys
from collections.abc import Sequence
from types import ModuleType

from collector.commands import COMMANDS
from collector.errors import ConfigError, UsageError

UNUSABLE = 2  # input that can't be used
INTERRUPTED = 130  # 128 + SIGINT, as shells have it
PIPE_CLOSED = 141  # 128 + SIGPIPE


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status: 0, what the command says, or 2 for bad input.

    Wrong input is one plain sentence on standard error, never a traceback.
    """
    for stream in (sys.stdout, sys.stderr):
        # A terminal that can't show every character shows some as escapes, and the command goes on.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    arguments = list(sys.argv[1:] if argv is None else argv)
    # The chosen command alone is imported: the others would cost more time than `--help` takes.
    chosen = arguments[0] if arguments and arguments[0] in dict(COMMANDS) else None
    module = importlib.import_module(f"collector.commands.{chosen}") if chosen else None
    args = _parser(module, chosen).parse_args(arguments)
    if module is None:  # pragma: no cover - argparse has ended the process with its usage
        return UNUSABLE
    if sys.stdout is None:  # closed by the shell (`>&-`)
        return _refuse("standard output is closed; expected somewhere to write to")
    try:
        status = int(module.run(args))
        sys.stdout.flush()
    except (ConfigError, UsageError) as error:
        return _refuse(str(error))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has gone (`… | head`). Python flushes standard output once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _refuse(f"can't write: {error.strerror}")
    return status


def _parser(module: ModuleType | None, chosen: str | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tellback",
        description="Production monitor for LLM agents: what the tools produced that never reached "
        "the model, and replies their requester cannot use.",
        epilog="Each command has its own --help.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and end")
    subparsers = parser.add_subparsers(metavar="COMMAND", dest="command", required=True)
    for name, summary in COMMANDS:
        if name == chosen and module is not None:
            module.add_parser(subparsers)
        else:
            subparsers.add_parser(name, help=summary)
    return parser


class _Version(argparse.Action):
    """Prints the installed version; looked up only when asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        metadata = importlib.import_module("importlib.metadata")  # costs more than --help
        try:
            number = metadata.version("tellback")
        except ImportError:  # PackageNotFoundError: run from a folder that was never installed
            number = "unknown"
        parser.exit(message=f"tellback {number}\n")


def _refuse(message: str) -> int:
    for line in message.splitlines() or ["unusable input"]:
        sys.stderr.write(f"tellback: {line}\n")
    return UNUSABLE
