"""An SDK's length limit and a harness's cut, crossed: neither is ever taken for the other.

Each case is one run of an agent with several tools of random sizes, in one dialect's shape, under a
limit of the SDK (or none) and a cut of the harness (or none), so that the truth is known: what
each tool produced, what the model was given, and what the telemetry still shows of both.
"""

import json
import random
from collections import Counter

import pytest
from agents import SHAPES, Run, Step, limited, pairs

SIZES = (1000, 1024, 2000, 1500, 777, 4000)
SEEDS = range(2)
APART = ("Flattened", "FlattenedRaw", "PlainEvents", "LogEvents", "DetailsEvent")


def invoices(chance, size):
    rows = []
    while len(json.dumps({"invoices": rows})) < size:
        number = chance.randint(1000, 9999)
        rows.append(
            {
                "invoice_id": f"INV-{number}",
                "amount": chance.randint(1, 99999) / 100,
                "memo": chance.choice(["paid late", "open", "in dispute", "to be checked"]),
            }
        )
    return json.dumps({"customer_id": "C-1042", "invoices": rows, "note": f"n{size}"})


def log(chance, size):
    lines = []
    while sum(map(len, lines)) < size:
        lines.append(
            f"2026-11-{chance.randint(10, 30)} job {chance.randint(1, 9999)} took "
            f"{chance.randint(1, 99999)} ms on host-{chance.randint(1, 99)}\n"
        )
    return "".join(lines)


def sliced(text, size):
    return text[:size]


def marked(text, size):
    gone = len(text) - size
    return f"{text[:size]}\n...[truncated {gone} chars]..."


def head_and_tail(text, size):
    half = size // 2
    gone = len(text) - 2 * half
    return f"{text[:half]}\n[... {gone} characters omitted ...]\n{text[-half:]}"


CUTS = {"none": None, "sliced": sliced, "marked": marked, "head_and_tail": head_and_tail}


def a_run(seed, cut, size):
    chance = random.Random(f"{seed} {size}")
    steps = []
    for number in range(chance.randint(1, 4)):
        make = chance.choice([invoices, invoices, log])
        produced = make(chance, chance.choice([120, size // 2, size + 600, 3 * size, 6441]))
        delivered = produced
        if cut is not None and len(produced) > size + 100:
            delivered = cut(produced, size)
        steps.append(Step(f"tool_{number}", produced, delivered))
    system = "You are the billing desk. " + "Be brief. " * chance.choice([1, 30, 300])
    return Run(steps, system=system, name=f"{seed} {size}")


def texts_in(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from texts_in(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts_in(item)


def proof(records, limit):
    """How many different values end at the limit: one alone may have that length by chance, and so
    may several of one form, unless it is a length that people choose."""
    found = set()
    for record in records:
        values = [record.attributes, *(e.attributes for e in getattr(record, "events", ()))]
        values.append(getattr(record, "body", None))
        found |= {text for text in texts_in(values) if len(text) == limit}
    is_round = limit % 64 == 0 or limit % 50 == 0
    return len(found if is_round else {text[:6] for text in found})


def verdict(step, pair, limit, *, proven, apart=False):
    """Return what is wrong with a verdict; None where nothing is.

    `apart` says that each text is a value of its own, so that a short one is seen whole.
    """
    state, kept = pair["state"], pair["kept_characters"]
    was_cut = step.delivered != step.produced
    if not was_cut and state in ("cut", "dropped", "spilled", "lower_bound"):
        return f"capture loss as {state}: {pair['reason']}"
    if state == "unread":
        return "unread, though model calls followed"
    if limit is None:
        wanted = "cut" if was_cut else "intact"
        return None if state == wanted else f"{state} ({pair['reason']}), and {wanted} is shown"
    if len(step.produced) <= limit or not proven:
        return None
    if state == "intact":
        return "intact, though the end of what was produced is not seen"
    if state in ("cut", "dropped"):
        return f"{state} with {kept} of {pair['produced_characters']}, as if all was seen"
    shown = apart and len(step.delivered) < limit and limit - len(step.delivered) > 200
    if was_cut and shown and state != "lower_bound":
        return f"{state} ({pair['reason']}), though what is seen of it proves a loss"
    return None


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", CUTS)
def test_neither_is_taken_for_the_other(shape, kind):
    wrong = []
    seen = Counter()
    for seed in SEEDS:
        for size in SIZES:
            run = a_run(seed, CUTS[kind], size)
            whole = SHAPES[shape](run).write()
            for limit in (None, size, size - 200, size + 250, 2 * size, 8000):
                for bodies in (False, True) if limit and shape == "LogEvents" else (True,):
                    records = limited(whole, limit, bodies=bodies)
                    proven = limit is not None and proof(records, limit) >= 2
                    found = pairs(records)
                    for step in run.steps:
                        pair = found.get(step.tool)
                        if pair is None:
                            continue  # the call that asked for it is not seen: nothing is said
                        seen[pair["state"]] += 1
                        if fault := verdict(step, pair, limit, proven=proven, apart=shape in APART):
                            wrong.append((seed, size, limit, bodies, step.tool, fault))
    assert wrong == []
    assert seen["intact"]
    assert seen["unobservable"]
    assert bool(seen["cut"]) == (kind != "none")


def test_what_is_seen_whole_below_the_limit_gives_a_floor():
    """The harness's cut stays visible although the SDK cut what the tool produced."""
    chance = random.Random(7)
    one, two = log(chance, 6000), invoices(chance, 6441)
    run = Run([Step("tool_0", one, one[:1500]), Step("tool_1", two, two[:1500])])
    for shape in ("Flattened", "FlattenedRaw", "PlainEvents", "LogEvents", "DetailsEvent"):
        found = pairs(limited(SHAPES[shape](run).write(), 4000))
        for tool in ("tool_0", "tool_1"):
            pair = found[tool]
            assert (shape, pair["state"]) == (shape, "lower_bound")
            assert pair["reason"].startswith("attribute_length_limit; 2500 characters")
            assert pair["kept_characters"] is None
