"""Spans per CPU second of the whole process, beside its neighbours, on the same agent batches.

    python bench/throughput.py [--rounds N]

Every server runs through all rounds, pinned to a core; in each round each is given work for about
a second of its CPU, over four connections, in turn. The clock of CPU seconds stops only when the
work is done: every turn in the ledger, every span in Phoenix's database. Both are counted, and a
span that went missing ends the benchmark, so that nobody wins by dropping. rotel does not do this
work: it receives, decodes, batches and drops, and is the measure of what a collector costs anyway.

Phoenix is skipped unless bench/phoenix_setup.sh has installed it.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import dataclass

from body import Bodies
from load import GrpcSender, HttpSender, Open, send_all
from row import Row, Rows, Skipped, show
from server import PHOENIX, Phoenix, Rotel, Server, Sidecar, keep_off_the_servers_core
from workloads import WORKLOADS

CPU_S = 1.0  # of each server in each round
CONNECTIONS = 4
FEWEST, MOST = 2, 1_500  # batches of 100 spans in a round
PILOT = 4


@dataclass
class Lane:
    """A server and a way to send to it. `rate` is what it did last, in spans per CPU second."""

    server: Server
    open_: Open
    rate: float = 0.0
    refused: int = 0

    def run(self, bodies: Bodies) -> float:
        """Send work for about `CPU_S` and return spans per CPU second."""
        batches = int(self.rate * CPU_S / 100) if self.rate else PILOT
        before, began = self.finished(), self.server.cpu_s()
        answers = send_all(
            self.open_,
            bodies.take,
            requests=min(MOST, max(FEWEST, batches)),
            connections=CONNECTIONS,
        )
        self.refused += len(answers.refused)
        self.server.wait_finished(before + answers.traces)
        self.rate = answers.spans / (self.server.cpu_s() - began)
        self._check(before + answers.traces)
        return self.rate

    def finished(self) -> int:
        """Return the traces that are done before this round."""
        return 0 if isinstance(self.server, Rotel) else self.server.finished()

    def _check(self, traces: int) -> None:
        """End the benchmark where work was lost or done twice."""
        if isinstance(self.server, Sidecar):
            turns, spans = self.server.finished(), self.server.spans_measured()
            if (turns, spans) != (traces, traces * 10):
                sys.exit(f"sent {traces} turns of 10 spans; {turns} with {spans} are in the ledger")


def lanes(stack: ExitStack) -> dict[str, Lane]:
    """Start the servers."""
    ours = stack.enter_context(Sidecar())
    rotel = stack.enter_context(Rotel())
    found = {
        "http": Lane(ours, lambda: HttpSender(ours.port)),
        "rotel": Lane(rotel, lambda: HttpSender(rotel.port)),
        "http gzip": Lane(ours, lambda: HttpSender(ours.port, zipped=True)),
        "rotel gzip": Lane(rotel, lambda: HttpSender(rotel.port, zipped=True)),
        "grpc": Lane(ours, lambda: GrpcSender(ours.grpc_port)),
    }
    if PHOENIX.exists():
        phoenix = stack.enter_context(Phoenix())
        found["phoenix"] = Lane(phoenix, lambda: HttpSender(phoenix.port))
    return found


def measure(rounds: int) -> Rows:
    """Return the rows; the first round of each server only warms it up."""
    keep_off_the_servers_core()
    bodies = Bodies(WORKLOADS["agent"])
    with ExitStack() as stack:
        servers = lanes(stack)
        for lane in servers.values():
            lane.run(bodies)
        found = [{name: lane.run(bodies) for name, lane in servers.items()} for _ in range(rounds)]

    def ratio(over: str, under: str) -> tuple[float, ...]:
        return tuple(one[over] / one[under] for one in found)

    phoenix = "HTTP over Phoenix, spans per CPU s"
    rows: Rows = [
        Row("HTTP over rotel, spans per CPU s", ratio("http", "rotel"), at_least=0.25),
        Row("HTTP gzip over rotel", ratio("http gzip", "rotel gzip"), at_least=0.6),
        Row("gRPC over our own HTTP", ratio("grpc", "http"), at_least=0.5),
        Row(phoenix, ratio("http", "phoenix"), at_least=50)
        if "phoenix" in servers
        else Skipped(phoenix, "bench/phoenix_setup.sh has not been run"),
    ]
    for name, lane in servers.items():
        rows.append(Row(f"spans per CPU s, {name}", tuple(one[name] for one in found)))
        if lane.refused:
            rows.append(Row(f"requests refused and sent again, {name}", (float(lane.refused),)))
    return rows


if __name__ == "__main__":
    show(measure, __doc__)
