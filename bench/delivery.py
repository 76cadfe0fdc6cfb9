"""Time of `compare` beside the time of parsing or decoding the same text, per shape and size.

    python bench/delivery.py [--most BYTES] [SHAPE ...]

Both are measured in turn within one run, so that a busy machine slows both; the ratio is what to
look at. A ratio that grows with the size is super-linear. Shapes that begin with `hostile` are made
to be slow; for the others `unobservable` would be a fault.
"""

import argparse
import json
import random
import time
from collections.abc import Callable

from scorers.measures.delivery import compare

SIZES = (6_000, 100_000, 1_000_000, 5_000_000)
Pair = tuple[str, str]
NOTE = "\n... [truncated 1234 chars]"


def rows(size: int) -> list[dict[str, object]]:
    """Return flat records that are about `size` characters of JSON."""
    return [{"id": n, "text": f"text {n} " * 5, "value": n * 1.5} for n in range(size // 90 + 2)]


def log(size: int) -> str:
    """Return a log of about `size` characters."""
    return "\n".join(
        f"2026-01-01T00:{n // 60 % 60:02d}:{n % 60:02d}Z INFO request {n} took {n * 7 % 997} ms"
        for n in range(size // 52 + 2)
    )


def prose(size: int, seed: int = 1) -> str:
    """Return words of about `size` characters."""
    chance = random.Random(seed)
    words = ["".join(chance.choices("abcdefghij", k=chance.randint(2, 9))) for _ in range(3_000)]
    return " ".join(chance.choices(words, k=size // 6 + 2))


def letters(alphabet: str, size: int, seed: int = 1) -> str:
    """Return random characters."""
    return "".join(random.Random(seed).choices(alphabet, k=size))


def deep(inner: object) -> str:
    """Return a value nested 300 deep."""
    for _ in range(300):
        inner = {"n": inner, "k": 1}
    return json.dumps(inner)


def head_tail(text: str) -> Pair:
    """Cut the middle of a text."""
    third = len(text) // 3
    return text, text[:third] + "\n[... 100 characters omitted ...]\n" + text[-third:]


SHAPES: dict[str, Callable[[int], Pair]] = {
    "rows intact": lambda n: (json.dumps(rows(n)), json.dumps(rows(n))),
    "rows indented": lambda n: (json.dumps(rows(n)), json.dumps(rows(n), indent=2)),
    "rows prefix": lambda n: (json.dumps(rows(n)), json.dumps(rows(n))[: n // 2] + NOTE),
    "rows head and tail": lambda n: head_tail(json.dumps(rows(n))),
    "rows half": lambda n: (json.dumps(rows(n)), json.dumps(rows(n)[::2])),
    "rows clipped": lambda n: (
        json.dumps(rows(n)),
        json.dumps([{**row, "text": str(row["text"])[:9] + "…"} for row in rows(n)]),
    ),
    "rows YAML": lambda n: (
        json.dumps(rows(n)),
        "\n".join(
            f"- id: {one['id']}\n  text: {one['text']}\n  value: {one['value']}" for one in rows(n)
        ),
    ),
    "log end": lambda n: (log(n), "[Previous lines removed]\n" + log(n)[-n // 3 :]),
    "log grep": lambda n: (log(n), "\n".join(log(n).splitlines()[::3])),
    "prose prefix": lambda n: (prose(n), prose(n)[: n // 2] + NOTE),
    "prose summary": lambda n: (prose(n), prose(1_000, seed=2)),
    "hostile blanks": lambda n: (json.dumps(rows(9_000)), "a" + " " * n + "b"),
    "hostile nesting": lambda n: (
        deep([1, *range(n // 7)]),
        deep([2, *range(n // 7)]),
    ),
    "hostile rows changed": lambda n: (
        json.dumps([{"a": 1}] * (n // 10)),
        json.dumps([{"a": 2}] * (n // 10)),
    ),
    "hostile two letters": lambda n: (letters("ab", n), letters("ab", n, seed=2)),
    "hostile one digit": lambda n: ("1", "1" * n),
    "hostile lines alike": lambda n: (
        "\n".join("x" * 25 + str(number) for number in range(n // 30)),
        "\n".join("x" * 25 + str(-number) for number in range(n // 30)),
    ),
    "hostile page": lambda n: ("<html><body>" + "<script>" * (n // 8), "plain text " * 20),
}


def read(text: str) -> None:
    """Do the least that anything does with a text: parse JSON, decode other texts."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        text.encode("utf-8", "surrogatepass").decode("utf-8", "surrogatepass")


def timed(pair: Pair) -> tuple[float, float, str]:
    """Return seconds of CPU for `compare` and for reading both texts, and the state."""
    least = [float("inf"), float("inf")]
    rounds = 5 if sum(map(len, pair)) < 500_000 else 1
    state = ""
    for _ in range(rounds):
        before = time.process_time_ns()
        state = str(compare(*pair).state)
        between = time.process_time_ns()
        for text in pair:
            read(text)
        after = time.process_time_ns()
        least = [min(least[0], between - before), min(least[1], after - between)]
    return least[0] / 1e9, max(least[1], 1_000) / 1e9, state


def main() -> None:
    """Print one line per shape and size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shapes", nargs="*", help="words of the shapes to run")
    parser.add_argument("--most", type=int, default=SIZES[-1], help="largest size in characters")
    given = parser.parse_args()
    print(f"{'shape':24} {'produced':>9} {'compare':>11} {'read':>10} {'ratio':>8}")
    for name, make in SHAPES.items():
        if given.shapes and not any(word in name for word in given.shapes):
            continue
        for size in SIZES:
            if size <= given.most:
                pair = make(size)
                taken, reading, state = timed(pair)
                print(
                    f"{name:24} {len(pair[0]):9,} {taken * 1e3:8.2f} ms {reading * 1e3:7.2f} ms "
                    f"{taken / reading:8.1f}  {state}"
                )


if __name__ == "__main__":
    main()
