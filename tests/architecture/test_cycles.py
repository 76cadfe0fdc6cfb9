"""Nothing that telemetry makes holds itself.

What does stays in memory, with the texts it knows, until Python looks for cycles, which `tellback
run` lets it do rarely.
"""

import gc
import json
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

from collector.assembly.settings import TurnsConfig
from collector.pipeline import default_pipeline
from collector.receivers import file
from running import Observer
from scorers.measures.delivery import compare

GOLDEN = Path(__file__).parents[1] / "golden"
PAIRS = GOLDEN / "measures/delivery/cases.jsonl"
OURS = ("collector", "scorers")


@contextmanager
def cycles(found):
    """Fill `found` with what of ours could be freed by nothing but a look for cycles."""
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        yield
        gc.collect()
        # A class, a function and a module are what was imported just now.
        found.update(
            type(held).__qualname__
            for held in gc.garbage
            if type(held).__module__.partition(".")[0] in OURS
        )
        found.update(
            held.__qualname__
            for held in gc.garbage
            if getattr(held, "__module__", "").partition(".")[0] in OURS
            and "<locals>" in getattr(held, "__qualname__", "")
        )
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


def replayed(folder):
    pipeline = default_pipeline(TurnsConfig(), clock=lambda: 0.0, observer=Observer())
    for batch in file.read(folder):
        pipeline.consume(batch)
    turns = 0
    for closing in pipeline.due(final="quiet"):
        closed, entries = pipeline.finish(closing)
        pipeline.done(closed)
        turns += len(entries)
    return turns


def test_recorded_runs_leave_no_cycles():
    folders = sorted({path.parent for path in (GOLDEN / "dialects").rglob("001-*")})
    turns = sum(map(replayed, folders))  # patterns are compiled, and modules imported
    assert turns > len(folders)
    found = Counter()
    with cycles(found):
        for folder in folders:
            replayed(folder)
    assert not found


def test_comparisons_leave_no_cycles():
    cases = [json.loads(line) for line in PAIRS.read_text("utf-8").splitlines()]
    pairs = [(case["produced"], case["delivered"]) for case in cases]
    for produced, delivered in pairs:
        compare(produced, delivered)
    found = Counter()
    with cycles(found):
        for produced, delivered in pairs:
            compare(produced, delivered)
            compare(delivered, produced)
    assert not found


def test_the_look_can_find_something():
    class Held:
        pass

    Held.__module__ = "collector.made_up"
    found = Counter()
    with cycles(found):
        held = Held()
        held.itself = held
        del held
    assert found["test_the_look_can_find_something.<locals>.Held"]
