"""Accuracy of `compare` on labelled produced/delivered pairs, label by label.

    python bench/cutters.py [FILE]

FILE holds one case a line (see tests/golden/measures/delivery); `-v` prints what is missed.
"""

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from scorers.measures.delivery import LOSSES, Delivery, State, compare

DEFAULT = Path(__file__).parents[1] / "tests/golden/measures/delivery/cases.jsonl"


def judge(case: dict[str, Any]) -> tuple[dict[str, bool | None], Delivery]:
    """Return, per label, whether it was met; None where the label does not apply."""
    label, found = case["label"], compare(case["produced"], case["delivered"])
    if case.get("layer") == "instrumentation":
        return {"capture proof": found.state == State.unobservable}, found
    counts = {name: list(pair) for name, pair in (found.fields or {}).items()}
    kept = label["chars_delivered_of_produced"]
    rows = (
        None
        if label["rows_produced"] is None
        else (label["rows_delivered"], label["rows_produced"])
    )
    strategy = None if label["strategy"] == "none" else label["strategy"]
    valid = label["payload_valid"]
    near = found.kept_characters is not None and abs(found.kept_characters - kept) <= max(
        2, 0.05 * label["chars_produced"]
    )
    return {
        "cut": (found.state in LOSSES) == label["cut"],
        "strategy": found.strategy == strategy,
        "marker": found.marker == label["marker_present"],
        "format": found.format == label["produced_format"],
        "fields": counts == (label["field_counts"] or {}),
        "fields delivered": [n for n, c in counts.items() if c[0]]
        == (label["fields_delivered"] or []),
        "rows": found.rows == rows,
        "broken": None if valid is None else found.broken == (not valid),
        "kept exact": found.kept_characters == kept,
        "kept within 5 %": near,
    }, found


def main() -> None:
    """Judge every case of a file and print the share met per label."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=DEFAULT)
    parser.add_argument("-v", "--verbose", action="store_true")
    given = parser.parse_args()
    met: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    with given.file.open(encoding="utf-8") as lines:
        for line in lines:
            case = json.loads(line)
            results, found = judge(case)
            for name, good in results.items():
                if good is None:
                    continue
                asked[name] += 1
                met[name] += good
                if not good and given.verbose:
                    print(case["id"], name, found.as_pair(), case["label"], file=sys.stderr)
    for name, count in asked.items():
        print(f"{name:18} {met[name]:4} / {count:4}  {met[name] / count:6.1%}")


if __name__ == "__main__":
    main()
