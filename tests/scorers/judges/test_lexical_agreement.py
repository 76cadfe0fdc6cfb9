"""Agreement with the labelled replies that are kept beside the checkout.

The labels are the majority of three language-model annotators; the wanted figures are those of
the design: precision of 0.70, kappa of 0.35, at most a fifth unscored, unscored counted as not
failed.
"""

import json
from dataclasses import replace

import pytest

from recorded import shared
from scorers.judges.lexical_reader import LexicalReader
from scorers.point import turn_from_point


def rows(*path):
    with shared(*path).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def collaborations():
    points = rows("data", "collaborations", "points.jsonl")
    return {point["id"]: turn_from_point(point) for point in points}


def test_agrees_with_the_majority(collaborations):
    replies = {
        point["id"]: turn_from_point(point) for point in rows("data", "replies", "points.jsonl")
    }
    labels = {
        label["id"]: label["failed"]
        for folder in ("replies", "collaborations")
        for label in rows("data", folder, "labels.jsonl")
    }
    reader = LexicalReader()
    scores = {key: reader.score(one) for key, one in (replies | collaborations).items()}
    assert len(scores) == 106
    pairs = [(labels[key], score.value == 1.0) for key, score in scores.items()]
    hit, false = pairs.count((True, True)), pairs.count((False, True))
    miss, right = pairs.count((True, False)), pairs.count((False, False))
    n = len(pairs)
    chance = ((hit + false) * (hit + miss) + (miss + right) * (false + right)) / n**2
    assert hit / (hit + false) >= 0.70
    assert ((hit + right) / n - chance) / (1 - chance) >= 0.35
    assert sum(score.outcome != "scored" for score in scores.values()) <= n / 5


def test_planted_faults(collaborations):
    """Most planted faults that stand in the words are found; harmless edits raise no alarm."""
    found = {}
    for variant in rows("data", "collaborations", "planted-reader.jsonl"):
        turn = replace(collaborations[variant["base"]], reply=variant["reply"])
        found.setdefault(variant["kind"], []).append(LexicalReader().score(turn).value == 1.0)
    assert not any(found["none"])
    assert all(found["wrong_language"])
    assert sum(found["not_answered"]) >= 5
    assert sum(found["pointer"]) >= 4
