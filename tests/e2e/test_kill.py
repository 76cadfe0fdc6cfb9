"""kill -9 at any moment: what was acknowledged is in the ledger in the end, and there once."""

import contextlib
import http.client
import json
import random
import signal
import sqlite3
import subprocess
import threading
import time
import urllib.request
from collections import Counter
from pathlib import Path

import grpc
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

import traces
from dying_sidecar import POINTS
from sidecar import Sidecar

DYING = Path(__file__).parent / "dying_sidecar.py"
SENDERS = 4
EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
# Small files and little lingering, so that files go while the load is on.
JOURNAL = "journal: {segment_bytes: 64KiB, linger_bytes: 1MiB}\n"
LONGEST_LIFE = 8.0  # seconds after which a process that did not come to its point is killed
MOST_CALLS = {"during_replay": 30, "between_deleted_files": 6, "in_the_middle_of_a_write": 200}


def agent(name):
    """A turn of four spans, in two requests: its tool's span comes with the second one."""
    trace = traces.Trace(name)
    history = [traces.user(f"How many bags are left in {name}?")]
    asked = traces.assistant(None, traces.call(f"call-{name}", "count_bags", {"store": name}))
    result = json.dumps([{"bag": n, "note": "blue " * 20} for n in range(10)])
    with trace.agent() as parent:
        trace.chat(history, asked, parent)
        trace.execute("count_bags", f"call-{name}", {"store": name}, result, parent)
        history += [asked, traces.tool((f"call-{name}", result[:300]))]
        trace.chat(history, traces.assistant(f"There are ten bags left in {name}."), parent)
    return trace.spans[:1], trace.spans[1:]


class Senders:
    """Exporters as they should be: each request is sent until it is acknowledged. One of them
    speaks gRPC. `ports` are None while nobody listens."""

    def __init__(self):
        self.ports = None
        self.acknowledged = []
        self.tried_again = 0
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=self._run, args=(number,)) for number in range(SENDERS)
        ]
        for thread in self._threads:
            thread.start()

    def finish(self):
        self._stop.set()
        for thread in self._threads:
            thread.join(60)
            assert not thread.is_alive(), "a request was never acknowledged"

    def _run(self, number):
        send = _over_grpc if number == 0 else _over_http
        count = 0
        while not self._stop.is_set():
            count += 1
            name = f"store-{number}-{count}"
            for spans in agent(name):
                self._deliver(send, spans)
            self.acknowledged.append(name)

    def _deliver(self, send, spans):
        while True:
            ports = self.ports
            if ports is not None:
                with contextlib.suppress(OSError, http.client.HTTPException, grpc.RpcError):
                    send(ports, spans)
                    return
            self.tried_again += 1
            time.sleep(0.05)


def _over_http(ports, spans):
    request = urllib.request.Request(
        f"http://127.0.0.1:{ports[1]}/v1/traces",
        traces.request(spans),
        {"content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        assert answer.status == 200


def _over_grpc(ports, spans):
    message = ExportTraceServiceRequest()
    part = message.resource_spans.add().scope_spans.add()
    part.scope.name = traces.SCOPE
    for span in spans:
        made = part.spans.add(
            trace_id=bytes.fromhex(span["traceId"]),
            span_id=bytes.fromhex(span["spanId"]),
            parent_span_id=bytes.fromhex(span.get("parentSpanId", "")),
            name=span["name"],
            start_time_unix_nano=int(span["startTimeUnixNano"]),
            end_time_unix_nano=int(span["endTimeUnixNano"]),
        )
        for given in span["attributes"]:
            pair = made.attributes.add(key=given["key"])
            value = given["value"]
            if "intValue" in value:
                pair.value.int_value = int(value["intValue"])
            else:
                pair.value.string_value = value["stringValue"]
    with grpc.insecure_channel(f"127.0.0.1:{ports[0]}") as channel:
        channel.unary_unary(EXPORT)(message.SerializeToString(), timeout=10)


def live(folder, senders, chance, point):
    """Start a sidecar, let it take requests, and have it die. Returns how it died."""
    program = ("-m", "collector")
    if point is not None:
        nth = chance.randint(1, MOST_CALLS.get(point, 20))
        program = (str(DYING), point, str(nth))
    sidecar = Sidecar(folder, quiet="1s", more=JOURNAL, program=program)
    with contextlib.suppress(IndexError), sidecar:  # it may die before it listens
        senders.ports = sidecar.grpc, sidecar.http
        life = chance.uniform(0.1, 1.5) if point is None else LONGEST_LIFE
        with contextlib.suppress(subprocess.TimeoutExpired):
            sidecar.process.wait(life)
    senders.ports = None
    assert "Traceback" not in sidecar.log.read_text()
    assert sidecar.process.wait(10) == -signal.SIGKILL
    return point if point is not None and sidecar.died_by_itself else "at random"


def stored(folder):
    with sqlite3.connect(folder / "data" / "ledger.db") as ledger:
        found = ledger.execute(
            "select turns.trace_ids, model_calls, count(tool_results.turn_key) from turns"
            " left join tool_results on tool_results.turn_key = turns.key group by turns.key"
        ).fetchall()
    ledger.close()
    return [(json.loads(traces)[0], calls, results) for traces, calls, results in found]


def check(folder, points, seed):
    """Kill the sidecar once at each of `points` (None: at random), and look at the ledger."""
    chance = random.Random(seed)
    senders = Senders()
    died = Counter()
    try:
        for point in points:
            died[live(folder, senders, chance, point)] += 1
    finally:
        # The last process lives until everything is acknowledged and stored.
        with Sidecar(folder, quiet="1s", more=JOURNAL) as sidecar:
            senders.ports = sidecar.grpc, sidecar.http
            senders.finish()
            assert sidecar.stop() == 0
    turns = stored(folder)
    sent = {traces.Trace(name)._id for name in senders.acknowledged}
    rows = Counter(trace for trace, _, _ in turns)
    whole = {trace for trace, calls, results in turns if calls == 2 and results == 1}
    lost, twice = sent - whole, [trace for trace, count in rows.items() if count > 1]
    print(  # noqa: T201 - docs/reliability.md quotes it
        f"\n{died.total()} kills ({dict(died)}); {len(sent)} turns in {2 * len(sent)} acknowledged"
        f" requests, {senders.tried_again} tried again; lost {len(lost)}, twice {len(twice)}"
    )
    assert len(sent) > 10 * len(points)
    assert not lost
    assert not twice
    assert rows.keys() == sent
    return died


def test_one_death_at_each_point(tmp_path):
    check(tmp_path, [point.__name__ for point in POINTS], seed=1)


@pytest.mark.kill
@pytest.mark.timeout(1800)
def test_many_deaths(tmp_path):
    points = [point.__name__ for point in POINTS] * 6 + [None] * 24
    random.Random(2).shuffle(points)
    died = check(tmp_path, points, seed=3)
    assert died.total() >= 50
    assert all(died[point.__name__] >= 3 for point in POINTS)
