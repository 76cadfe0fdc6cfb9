"""Fuzz one target with atheris (libFuzzer on Python's own coverage).

    python tests/fuzz/fuzz.py TARGET --seconds 60 [--corpus FOLDER] [--found FOLDER]

The corpus is what was worth keeping; it grows from run to run. An input that breaks a rule, takes
more than a second of CPU, or memory without end, ends the run with status 1 or more and is written
to the folder of what was found.
"""

import argparse
import logging
import random
import sys
import tempfile
import time
from pathlib import Path

import atheris

sys.path.insert(1, str(Path(__file__).parents[1]))

with atheris.instrument_imports(include=["collector", "scorers"]):
    from targets import TARGETS

LONGEST = 1.0  # seconds of CPU for one input
STUCK = 30  # seconds after which libFuzzer ends a run that does not come back
MEGABYTES = 1024  # of memory, all in all
LARGEST = 1 << 16  # bytes of an input
STRUCTURED = 0.8  # of all mutations; the others change bytes


def main() -> None:
    """Fuzz until the time is over or something is found."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--found", type=Path, default=Path())
    options = parser.parse_args()
    logging.disable()  # a million refusals would be a million lines
    with tempfile.TemporaryDirectory() as scratch:
        fuzz(options, Path(scratch))


def fuzz(options: argparse.Namespace, scratch: Path) -> None:
    """Fuzz; libFuzzer ends the process."""
    target = TARGETS[options.target]()
    corpus = options.corpus or scratch / "corpus"
    begin = scratch / "seeds"
    for folder in (corpus, begin, options.found):
        folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(target.seeds()):
        (begin / f"{number:04d}").write_bytes(seed)

    def mutate(data: bytes, largest: int, seed: int) -> bytes:
        chance = random.Random(seed)
        if chance.random() < STRUCTURED:
            changed = target.mutated(data, chance)
            if changed is not None and len(changed) <= largest:
                return changed
        return bytes(atheris.Mutate(data, largest))

    def one(data: bytes) -> None:
        began = time.process_time()
        target.check(data)
        spent = time.process_time() - began
        if spent > LONGEST:
            raise TimeoutError(f"an input of {len(data)} bytes took {spent:.1f} s of CPU")

    limits = {
        "max_total_time": options.seconds,
        "timeout": STUCK,
        "rss_limit_mb": MEGABYTES,
        "max_len": LARGEST,
        "seed": options.seed,
        "artifact_prefix": f"{options.found}/{options.target}-",
        "print_final_stats": 1,
    }
    arguments = [f"-{name}={value}" for name, value in limits.items()]
    folders = [str(corpus), str(begin)]
    atheris.Setup([sys.argv[0], *arguments, *folders], one, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
