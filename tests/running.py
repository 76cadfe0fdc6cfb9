"""The whole pipeline without a server, for traces that a test wrote (see `traces`)."""

import json
from collections import Counter

from collector.assembly.settings import TurnsConfig
from collector.ledger.record import turn_record
from collector.ledger.totals import Totals
from collector.otlp import decode
from collector.pipeline import default_pipeline
from traces import SCOPE, request, spans_of

UNBOUNDED = TurnsConfig(max_open_bytes=8 << 30, max_open_turns=10**7)


class Observer:
    """Counts what the pipeline leaves out, by reason."""

    def __init__(self):
        self.left_out = Counter()

    def received(self, *_counted):
        """Nothing to note: `Totals` says what was kept."""

    def dropped(self, reason, count):
        self.left_out[reason] += count


class Live:
    """The pipeline behind a clock that only a test moves."""

    def __init__(self, config=UNBOUNDED):
        self.now = 0.0
        self.observer = Observer()
        self.pipeline = default_pipeline(config, clock=lambda: self.now, observer=self.observer)
        self.entries = []

    def send(self, spans, scope=SCOPE, resource=None):
        self.pipeline.consume(decode("traces", "json", request(spans, scope, resource)))

    def close(self, final=None):
        for closing in self.pipeline.due(final=final):
            closed, entries = self.pipeline.finish(closing)
            self.pipeline.done(closed)
            self.entries += entries

    def wait(self, seconds):
        for _ in range(seconds):
            self.now += 1
            self.close()

    @property
    def last(self):
        """The record of each turn as it was closed last, by its id."""
        return {entry.turn.turn_id: turn_record(entry) for entry in self.entries}


def run_requests(*requests, scope=SCOPE):
    """Return the turns of requests (lists of spans) as `replay --output json` gives them."""
    live = Live()
    for spans in requests:
        live.send(spans, scope)
    return finished(live)


def finished(live):
    live.close("quiet")
    totals = Totals()
    for entry in live.entries:
        totals.add(entry)
    counts = {"spans": live.pipeline.spans, "log_records": live.pipeline.log_records}
    records = [turn_record(entry) for entry in live.entries]
    return {"turns": records, "totals": totals.as_dict(**counts)}


def run(*traces, scope=SCOPE):
    return run_requests(spans_of(*traces), scope=scope)


def entries_of(*requests):
    """Return the turns themselves with their deliveries and scores."""
    live = Live()
    for spans in requests:
        live.send(spans)
    live.close("quiet")
    return live.entries


def turns_of(*requests):
    """Return the turns themselves, with what their requester had seen."""
    return [entry.turn for entry in entries_of(*requests)]


def in_order(document):
    """Return a document with its turns in a fixed order, to compare."""
    turns = sorted(document["turns"], key=lambda turn: json.dumps(turn, sort_keys=True))
    return {**document, "turns": turns}
