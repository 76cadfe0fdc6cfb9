"""Agreement of the lexical reader with labelled replies, and what each of its rules is worth.

Reads the labelled replies that are kept beside the checkout. Two figures:

* as shipped: every rule on every reply. The rules were written with these replies in view, so this
  is an upper bound.
* cross-validated by conversation: a rule counts for a conversation only if the *other*
  conversations speak for it (at least one true alarm, precision of 0.7 or more); a rule that only
  one conversation asks for counts for nothing there.

Labels are the majority of three language-model annotators, not of people.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from scorers.judges.lexical_reader import LexicalReader
from scorers.point import turn_from_point
from scorers.reading import (
    abbreviations,
    amounts,
    answered,
    deliveries,
    labels,
    language,
    laymen,
    names,
    places,
    pointers,
    unfinished,
)
from scorers.reading.known import Known
from scorers.reading.passage import Passage
from scorers.score import Outcome
from scorers.turn import Turn

DATA = Path(__file__).parents[2] / "shared" / "data"
NEEDED_PRECISION = 0.7

RULES: dict[str, Callable[[Passage, Known, Turn], Any]] = {
    "codes": lambda passage, known, turn: names.unexplained_names(
        passage, known, turn.requester.request or ""
    )[0],
    "labels": lambda passage, known, turn: labels.coined_labels(
        passage, known, turn.requester.request or ""
    ),
    "places": lambda passage, known, _: places.numbered_places(passage, known),
    "short forms": lambda passage, known, turn: laymen.short_forms(
        passage, known, turn.requester.request or ""
    ),
    "columns": lambda passage, known, turn: laymen.unnamed_columns(
        passage, known, turn.requester.request or ""
    ),
    "promise": lambda passage, _, turn: unfinished.is_promise(
        passage, turn.requester.request or ""
    ),
    "bare work": lambda passage, _, turn: unfinished.is_bare_work(
        passage, turn.requester.request or ""
    ),
    "no amount": lambda passage, _, turn: unfinished.leaves_amount_open(
        passage, turn.requester.request or ""
    ),
    "raw data": lambda passage, _, turn: unfinished.is_raw_data(
        passage, turn.requester.request or ""
    ),
    "terms": lambda passage, known, _: abbreviations.unexplained_terms(passage, known),
    "row letters": lambda passage, known, _: abbreviations.unnamed_rows(passage, known),
    "undelivered": lambda passage, known, turn: deliveries.undelivered(
        passage, known, turn.requester.request or ""
    ),
    "pointers": lambda passage, known, _: list(pointers.unseen_pointers(passage, known)),
    "sums": lambda passage, known, _: amounts.amounts_without_currency(passage, known),
    "language": lambda passage, _, turn: language.same_language(turn.requester, passage) is False,
    "only actions": lambda passage, _, turn: answered.only_actions(
        passage, turn.requester.request or ""
    ),
    "passed over": lambda passage, _, turn: answered.passed_over(
        passage, turn.requester.request or ""
    ),
}


def rows(*path: str) -> Iterator[dict[str, Any]]:
    """Objects of a JSON lines file of the labelled data."""
    with DATA.joinpath(*path).open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def agreement(pairs: list[tuple[bool, bool]]) -> str:
    """Kappa, precision and recall of (label, verdict) pairs."""
    count = Counter(pairs)
    hit, false, miss, right = (
        count[pair] for pair in ((True, True), (False, True), (True, False), (False, False))
    )
    n = len(pairs)
    chance = ((hit + false) * (hit + miss) + (miss + right) * (false + right)) / n / n
    kappa = ((hit + right) / n - chance) / (1 - chance)
    return f"kappa {kappa:.2f}  precision {hit}/{hit + false}  recall {hit}/{hit + miss}  of {n}"


def cross_validated(seen: list[tuple[str, bool, set[str]]]) -> list[tuple[bool, bool]]:
    """Out-of-conversation verdicts: only rules that other conversations speak for."""
    pairs = []
    for conversation, failed, fired in seen:
        others = [row for row in seen if row[0] != conversation]
        trusted = set()
        for rule in RULES:
            alarms = [label for _, label, rules in others if rule in rules]
            if any(alarms) and sum(alarms) >= NEEDED_PRECISION * len(alarms):
                trusted.add(rule)
        pairs.append((failed, bool(fired & trusted)))
    return pairs


def main() -> None:
    """Print the table; with -v also every reply the reader and the label differ on."""
    if not DATA.exists():
        sys.exit(f"no labelled replies at {DATA}")
    reader = LexicalReader()
    shipped, seen, unscored, seconds = [], [], 0, []
    alarms: dict[str, Counter[bool]] = {rule: Counter() for rule in RULES}
    bases: dict[str, Turn] = {}
    for folder in ("replies", "collaborations"):
        labels = {label["id"]: label["failed"] for label in rows(folder, "labels.jsonl")}
        for point in rows(folder, "points.jsonl"):
            turn, failed = turn_from_point(point), labels[point["id"]]
            bases[turn.turn_id] = turn
            started = time.perf_counter()
            score = reader.score(turn)
            seconds.append(time.perf_counter() - started)
            unscored += score.outcome is not Outcome.scored
            shipped.append((failed, score.value == 1.0))
            passage, known = Passage(turn.reply or ""), Known(turn)
            fired = {rule for rule, look in RULES.items() if look(passage, known, turn)}
            for rule in fired:
                alarms[rule][failed] += 1
            seen.append((turn.turn_id.rpartition("-")[0], failed, fired))
            if "-v" in sys.argv and (score.value == 1.0) != failed:
                print(turn.turn_id, "missed" if failed else "false alarm", sorted(fired))
    print(f"version {reader.version}")
    print("as shipped       ", agreement(shipped), f" unscored {unscored}")
    print("cross-validated  ", agreement(cross_validated(seen)))
    for rule, count in alarms.items():
        print(f"  {rule:14} true alarms {count[True]:2}  false alarms {count[False]:2}")
    print(f"milliseconds a reply: median {1000 * statistics.median(seconds):.1f}")
    planted: dict[str, Counter[bool]] = {}
    for variant in rows("collaborations", "planted-reader.jsonl"):
        turn = replace(bases[variant["base"]], reply=variant["reply"])
        found = reader.score(turn).value == 1.0
        planted.setdefault(variant["kind"], Counter())[found] += 1
        if "-v" in sys.argv and found == (variant["kind"] == "none"):
            print(variant["id"], variant["kind"], variant["span"])
    for kind, count in sorted(planted.items()):
        name = "false alarms" if kind == "none" else "found"
        print(f"  planted {kind:14} {name} {count[True]} of {count.total()}")
    checker = Counter(
        reader.score(replace(bases[variant["base"]], reply=variant["reply"])).value == 1.0
        for variant in rows("collaborations", "planted-checker.jsonl")
        if reader.score(bases[variant["base"]]).value == 0.0
    )
    print(f"  edits that change only facts: false alarms {checker[True]} of {checker.total()}")


if __name__ == "__main__":
    main()
