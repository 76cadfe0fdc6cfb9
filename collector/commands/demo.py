"""`tellback demo`: a sidecar on loopback, recorded telemetry sent to it, and what it finds."""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import signal
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn

from rich.console import Console

from collector.demo.presentation import Page, Sent, show
from collector.demo.recording import RECORDINGS
from collector.demo.sender import send_grpc, send_http, trace_ids
from collector.demo.sidecar import Ports, Sidecar, choose_ports
from collector.errors import UsageError
from collector.ledger.totals import totals
from collector.view.finding import failing_replies, is_judged, losses
from collector.view.terminal import Terminal

CLOSED_SECONDS = 60.0  # far beyond the demo's own quiet period
POLL_SECONDS = 0.2
SVG_COLUMNS = 110
SAMPLES = (
    'tellback_tool_results_total{.*state="cut".*tool="fetch_invoices"',
    'tellback_tool_result_characters_total{.*side="delivered".*tool="fetch_invoices"',
    'tellback_reply_verdicts_total{.*verdict="failed"',
)
# rich's pictures load a font from another host; a reader's own monospace font will do.
FONT_FACES = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


def add_parser(subparsers: Any) -> None:
    """Add `demo` to the program's commands."""
    parser = subparsers.add_parser(
        "demo",
        help="start the sidecar on loopback and show what it finds in recorded telemetry",
        description="Start the sidecar on loopback with its files in a temporary folder, send it "
        "recorded telemetry of real libraries, show what it finds, and stop it.",
        epilog="DEMO_KEEP=1 keeps it running until Ctrl-C. DEMO_GRPC_PORT, DEMO_HTTP_PORT and "
        "DEMO_ADMIN_PORT choose the ports.",
    )
    parser.add_argument("--output", choices=("text", "json"), default="text")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="write a picture of the output")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the demo. Raises `UsageError` where the sidecar can't be started or reached."""
    ports = choose_ports(os.environ)
    stopped = signal.signal(signal.SIGTERM, _interrupt)
    try:
        with tempfile.TemporaryDirectory(prefix="tellback-demo-") as directory:
            _say(f"starting the sidecar: OTLP/gRPC {ports.grpc}, OTLP/HTTP {ports.http}, "
                 f"metrics and page {ports.admin}")  # fmt: skip
            with Sidecar(Path(directory), ports) as sidecar:
                page, turns = _play(sidecar)
                _write(args, page, turns)
                if os.environ.get("DEMO_KEEP", "") not in ("", "0"):
                    _keep(sidecar)
                else:
                    _say("the sidecar stops now; with DEMO_KEEP=1 it stays, to be looked at")
    finally:
        signal.signal(signal.SIGTERM, stopped)
    return 0


def _play(sidecar: Sidecar) -> tuple[Page, list[dict[str, Any]]]:
    sent: set[str] = set()
    for recording in RECORDINGS:
        bodies = list(recording.bodies())
        if recording.transport == "OTLP/gRPC":
            send_grpc(sidecar.ports.grpc, bodies)
        else:
            send_http(sidecar.ports.http, bodies)
        sent.update(*map(trace_ids, bodies))
    _say(f"sent {len(sent)} traces; waiting for their turns to close")
    turns = _closed_turns(sidecar, sent)
    failing = failing_replies(turns)
    page = Page(
        sent=Sent([(item.library, item.transport) for item in RECORDINGS], len(sent)),
        turns=len(turns),
        shares=totals(turns)["observable_share_by"],
        losses=losses(turns),
        failing=failing,
        failures=sum(len(reply.trace_ids) for reply in failing),
        judged=sum(map(is_judged, turns)),
        metrics=_samples(sidecar.text("/metrics")),
        addresses=_addresses(sidecar.ports),
    )  # fmt: skip
    return page, turns


def _closed_turns(sidecar: Sidecar, sent: set[str]) -> list[dict[str, Any]]:
    """Return the turns once every sent trace has one, or what there is when time is up."""
    deadline = time.monotonic() + CLOSED_SECONDS
    while True:
        turns = sidecar.turns()
        missing = sent.difference(*(turn["trace_ids"] for turn in turns))
        if not missing:
            return turns
        if time.monotonic() > deadline:
            _say(f"no turn for {len(missing)} of {len(sent)} traces after {CLOSED_SECONDS:.0f} s")
            return turns
        time.sleep(POLL_SECONDS)


def _samples(metrics: str) -> list[str]:
    # Exemplars and creation times are for machines.
    lines = [line.split(" # ", 1)[0] for line in metrics.splitlines() if not line.startswith("#")]
    found = []
    for sample in SAMPLES:
        matching = [line for line in lines if re.match(sample, line) and not line.endswith(" 0.0")]
        found.extend(matching[:2])  # one for each version of the agent
    return found


def _addresses(ports: Ports) -> Sequence[tuple[str, str]]:
    admin = f"http://127.0.0.1:{ports.admin}"
    return (
        ("metrics", f"{admin}/metrics"),
        ("page", f"{admin}/"),
        ("turns", f"{admin}/api/turns"),
        ("OTLP/HTTP", f"http://127.0.0.1:{ports.http}"),
        ("OTLP/gRPC", f"127.0.0.1:{ports.grpc}"),
    )


def _write(args: argparse.Namespace, page: Page, turns: Iterable[dict[str, Any]]) -> None:
    if args.svg is not None:
        _write_svg(args.svg, page)
        _say(f"wrote {args.svg}")
    if args.output == "json":
        document = asdict(page) | {"turns": list(turns)}
        for shown, loss in zip(document["losses"], page.losses, strict=True):
            shown |= {"missing": loss.missing, "share": loss.share}
        sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=1) + "\n")
    elif args.svg is None:
        show(Terminal(), page)


def _write_svg(path: Path, page: Page) -> None:
    console = Console(
        record=True, width=SVG_COLUMNS, file=io.StringIO(), force_terminal=True,
        color_system="truecolor",
    )  # fmt: skip
    show(console, page)
    picture = console.export_svg(title="tellback demo", unique_id="tellback")
    try:
        path.write_text(FONT_FACES.sub("", picture), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: can't be written: {error.strerror or error}") from error


def _keep(sidecar: Sidecar) -> None:
    sys.stdout.flush()
    try:
        _say("the sidecar keeps running (DEMO_KEEP); Ctrl-C stops it")
        sidecar.wait()
    except KeyboardInterrupt:
        _say("stopping")


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def _say(text: str) -> None:
    sys.stderr.write(f"tellback demo: {text}\n")
