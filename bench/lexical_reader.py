"""How well the lexical reader agrees with the labelled replies beside the checkout."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from scorers.judges.lexical_reader import LexicalReader
from scorers.point import turn_from_point
from scorers.score import Outcome

DATA = Path(__file__).parents[2] / "shared" / "data"


def rows(*path):
    with DATA.joinpath(*path).open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


reader = LexicalReader()
turns = {}
table = Counter()
for folder in ("replies", "collaborations"):
    labels = {label["id"]: label for label in rows(folder, "labels.jsonl")}
    for point in rows(folder, "points.jsonl"):
        turn = turn_from_point(point)
        if folder == "collaborations":
            turns[point["id"]] = turn
        label = labels[point["id"]]
        t = time.perf_counter()
        score = reader.score(turn)
        ms = 1000 * (time.perf_counter() - t)
        said = score.value == 1.0
        table[folder, label["failed"], said] += 1
        if said != label["failed"] or score.outcome is not Outcome.scored:
            print(
                point["id"], "FN" if label["failed"] and not said else "FP" if said else "--", score.outcome, score.reason or "",
                score.evidence.get("kinds"), [g["span"] for g in score.evidence.get("gaps", [])][:6], f"{ms:.1f} ms",
            )
        elif said: print(point["id"], "TP", score.evidence["kinds"],[g["span"] for g in score.evidence.get("gaps", [])][:6])
print(table)
tp = sum(v for k, v in table.items() if k[1] and k[2])
fp = sum(v for k, v in table.items() if not k[1] and k[2])
fn = sum(v for k, v in table.items() if k[1] and not k[2])
tn = sum(v for k, v in table.items() if not k[1] and not k[2])
n = tp + fp + fn + tn
po = (tp + tn) / n
pe = ((tp + fp) * (tp + fn) + (fn + tn) * (fp + tn)) / n / n
print(dict(tp=tp, fp=fp, fn=fn, tn=tn, kappa=round((po - pe) / (1 - pe), 3), precision=tp / (tp + fp or 1), recall=tp / (tp + fn)))
for v in rows("collaborations", "planted-reader.jsonl"):
    base = turns[v["base"]]
    score = reader.score(replace(base, reply=v["reply"]))
    b = reader.score(base)
    print(v["id"], v["kind"], "HIT" if score.evidence.get("failed") else "  -", "base!" if b.evidence.get("failed") else "", repr(v["span"]), [g["span"] for g in score.evidence.get("gaps", [])][:5], score.evidence.get("kinds"))
