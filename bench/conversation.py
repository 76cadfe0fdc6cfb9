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
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from opentelemetry.proto.trace.v1.trace_pb2 import Span
from pipeline import Stopwatch, pass_through
from row import Row, Rows, show
from workloads import START_NS, Text, request, run

CALLS = (30, 60)
RESULTS = (1_000, 6_000)  # characters of a tool's result
CONVERSATIONS = 5  # of each length in a round


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


@dataclass
class Cost:
    """Of conversations of one length."""

    calls: int
    cpu_s: float = 0.0
    new: int = 0
    received: int = 0

    def add(self, seed: int) -> None:
        """Have another conversation."""
        spans = run(Text(seed), START_NS, calls=self.calls, sizes=RESULTS)
        bodies = [request([span]) for span in spans]
        watch = Stopwatch(None)
        pass_through(bodies, watch, apart=1.0)
        self.cpu_s += watch.hot
        self.new += new_bytes(spans)
        self.received += sum(map(len, bodies))


def costs(seed: int) -> tuple[Cost, Cost]:
    """Return the costs of short and long conversations, held in turn."""
    short, long = map(Cost, CALLS)
    for number in range(CONVERSATIONS):
        for cost in (short, long):
            cost.add(seed * 100 + number)
    return short, long


def measure(rounds: int) -> Rows:
    """Return the rows; a first round only warms up."""
    short, long = CALLS
    costs(seed=0)
    found = [costs(seed) for seed in range(1, rounds + 1)]
    return [
        Row(
            f"CPU per new byte, {long}-call conversation over {short}-call",
            tuple((b.cpu_s / b.new) / (a.cpu_s / a.new) for a, b in found),
            at_most=1.15,
        ),
        Row(
            "the same per received byte",
            tuple((b.cpu_s / b.received) / (a.cpu_s / a.received) for a, b in found),
        ),
    ]


if __name__ == "__main__":
    show(measure, __doc__)
