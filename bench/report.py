"""One table of ratios: what the sidecar costs, and whether its targets are met.

    bench/run [--only NAME ...] [--rounds N] [--json FILE]

Each part is a module of this folder that also runs by itself. Within a part, what is compared is
measured in turn, round by round; a figure is the median of the rounds, the spread their lowest and
highest. docs/performance.md says what each row means. The whole takes under ten minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from pathlib import Path

import conversation
import memory
import overload
import pipeline
import throughput
from row import Measure, Rows, table

PARTS: dict[str, Measure] = {
    "pipeline": pipeline.measure,
    "conversation": conversation.measure,
    "throughput": throughput.measure,
    "memory": memory.measure,
    "overload": overload.measure,
}


def main() -> None:
    """Measure, print the table, and write it where asked."""
    options = argparse.ArgumentParser(
        prog="bench/run", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument(
        "--only",
        nargs="+",
        choices=PARTS,
        default=list(PARTS),
        metavar="NAME",
        help=", ".join(PARTS),
    )
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--json", type=Path, metavar="FILE", help="also write every value there")
    chosen = options.parse_args()
    rows: Rows = []
    for name in chosen.only:
        began = time.monotonic()
        rows += PARTS[name](chosen.rounds)
        print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    print(table(rows))
    if chosen.json is not None:
        machine = {
            "python": platform.python_version(),
            "cores": os.cpu_count(),
            "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        }
        document = {
            "machine": machine,
            "rounds": chosen.rounds,
            "rows": [r.as_dict() for r in rows],
        }
        chosen.json.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
