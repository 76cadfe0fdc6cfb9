"""What fuzzing found once, and the inputs it begins with, hold for ever."""

import random
import time
from functools import cache
from pathlib import Path

import pytest

from targets import TARGETS

REGRESSIONS = Path(__file__).parent / "regressions"
FOUND = sorted(path for path in REGRESSIONS.glob("*/*") if path.is_file())
LONGEST = 1.0  # seconds of CPU; see fuzz.py


@cache
def target(name):
    """Return a target; one that holds a server keeps it for all of its inputs."""
    return TARGETS[name]()


@pytest.mark.parametrize("path", FOUND, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_was_found(path):
    began = time.process_time()
    target(path.parent.name).check(path.read_bytes())
    assert time.process_time() - began < LONGEST


@pytest.mark.parametrize("name", TARGETS)
def test_inputs_are_changed_and_stay_of_their_kind(name):
    """Without it fuzzing would change bytes alone, and never get far behind the decoder."""
    chance = random.Random(1)
    one = target(name)
    for seed in list(one.seeds())[:4]:
        changed = [one.mutated(seed, chance) for _ in range(20)]
        for data in filter(None, changed):
            one.check(data)
