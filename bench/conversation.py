"""CPU of a long conversation: does it grow with what is new, or with the square of the length?

    python bench/conversation.py [--rounds N]

Each model call's span repeats the whole history before it, so the bytes received grow with the
square of the calls; what is new in them does not. The *new bytes* of a conversation are its
messages, each counted once: the system prompt, the request, every call for a tool, every tool
result as it was produced and as it was delivered, and the reply, as they stand in the spans in
JSON. CPU is that of the pipeline's steps (journal, decode, consume, close, measure); the spans
come one by one, a second apart, as exporters send them while an agent works.

The ratio is (CPU of 60 calls / their new bytes) over (CPU of 30 calls / theirs): 1 is linear.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from opentelemetry.proto.trace.v1.trace_pb2 import Span
from pipeline import Stopwatch, pass_through
from row import Row, Rows, show
from workloads import START_NS, Text, request, run

CALLS = (30, 60)
RESULTS = (1_000, 6_000)  # characters of a tool's result
CONVERSATIONS = 3  # of each length in a round


def new_bytes(spans: Sequence[Span]) -> int:
    """Return the bytes of what the spans of one conversation say, each message once."""
    said: set[str] = set()
    produced = 0
    for span in spans:
        for pair in span.attributes:
            value = pair.value.string_value
            if pair.key in ("gen_ai.input.messages", "gen_ai.output.messages"):
                said.update(map(_plain, json.loads(value)))
            elif pair.key == "gen_ai.tool.call.result":
                produced += len(value.encode())
    return produced + sum(len(message.encode()) for message in said)


def _plain(message: dict[str, Any]) -> str:
    """Return a message without what only tells that it has just been made."""
    kept = {key: value for key, value in message.items() if key != "finish_reason"}
    return json.dumps(kept, ensure_ascii=False)


def conversations(calls: int, seed: int) -> Iterator[list[Span]]:
    """Yield the spans of conversations of so many calls."""
    text = Text(seed)
    for number in range(CONVERSATIONS):
        yield run(text, START_NS + number * 10**12, calls=calls, sizes=RESULTS)


def cost(calls: int, seed: int) -> tuple[float, float]:
    """Return CPU seconds for each new byte, and for each byte received."""
    watch = Stopwatch(None)
    new = received = 0
    for spans in conversations(calls, seed):
        bodies = [request([span]) for span in spans]
        new += new_bytes(spans)
        received += sum(map(len, bodies))
        pass_through(bodies, watch, apart=1.0)
    return watch.hot / new, watch.hot / received


def measure(rounds: int) -> Rows:
    """Return the rows; a first run of each length only warms up."""
    short, long = CALLS
    for calls in CALLS:
        cost(calls, seed=0)
    found = [(cost(short, seed), cost(long, seed)) for seed in range(1, rounds + 1)]
    return [
        Row(
            f"CPU per new byte, {long}-call conversation over {short}-call",
            tuple(after[0] / before[0] for before, after in found),
            at_most=1.15,
        ),
        Row(
            "the same per received byte",
            tuple(after[1] / before[1] for before, after in found),
        ),
    ]


if __name__ == "__main__":
    show(measure, __doc__)
