"""`tellback validate`: check a configuration offline and say what would run with it."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from collector import duration, size
from collector.config import Config, load, without_password
from collector.errors import ConfigError


def add_parser(subparsers: Any) -> None:
    """Add `validate` to the program's commands."""
    parser = subparsers.add_parser(
        "validate",
        help="check a configuration without starting anything",
        description="Check a configuration file offline (no socket, no task, no dependency asked) "
        "and print what would run with it. Ends with 0, or 2 where it can't be used.",
    )
    parser.add_argument("--config", type=Path, metavar="FILE", help="absent: the defaults")
    parser.add_argument("--schema", action="store_true", help="print the JSON schema instead")
    parser.add_argument("--output", choices=("text", "json"), default="text")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print what would run, or the schema. Raises `ConfigError` for what can't be used."""
    if args.schema:
        _write(json.dumps(schema(Config), indent=2, ensure_ascii=False))
        return 0
    config = load(args.config)
    if args.output == "json":
        document = {
            "file": None if args.config is None else str(args.config),
            "valid": True,
            "runs": plan(config),
            "warnings": [*config.warnings(), *absent(config)],
        }
        _write(json.dumps(document, indent=2, ensure_ascii=False))
        return 0
    rows = plan(config)
    width = max(map(len, rows))
    _write(f"{args.config or 'The default configuration'} can be used. It would run:")
    for name, what in rows.items():
        _write(f"  {name:<{width}}  {what}")
    for warning in (*config.warnings(), *absent(config)):
        sys.stderr.write(f"warning: {warning}\n")
    return 0


def absent(config: Config) -> list[str]:
    """Say which files of certificates and tokens can't be used here. That is no fault of the
    configuration: it may be checked where its secrets are not."""
    found = []
    for key, server in config.servers().items():
        for read in (server.certificates, server.tokens):
            try:
                read(key)
            except ConfigError as error:
                found.append(f"{error}; `tellback run` would not start here")
    return found


def plan(config: Config) -> dict[str, str]:
    """Return what would run, by name."""
    turns, privacy = config.turns, config.privacy
    text = "texts kept" if privacy.keep_text else "no texts kept"
    return {
        "OTLP/gRPC": config.receivers.otlp.grpc.endpoint,
        "OTLP/HTTP": config.receivers.otlp.http.endpoint,
        "admin": f"{config.service.admin.endpoint} (page, API, /metrics, probes)",
        "directory": config.storage.directory,
        "database": without_password(config.storage.url),
        "ledger": f"{text}, for {duration.render(privacy.retention)}",
        "turns": "close on their end marker, "
        f"after {duration.render(turns.quiet_period)} of quiet, "
        f"or {duration.render(turns.deadline)} after their start; "
        f"at most {turns.max_open_turns} and {size.render(turns.max_open_bytes)} open",
        "measures": "delivery, on every turn",
        "judges": "lexical reader (no model), on every turn",
    }


def schema(model: Any) -> dict[str, Any]:
    """Return the configuration's JSON schema, under the dialect it is written in."""
    written: dict[str, Any] = model.model_json_schema(mode="validation")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **written}


def _write(line: str) -> None:
    sys.stdout.write(line + "\n")
