"""Records → operations → turns → deliveries and scores → what is stored and exported of them."""

import json
import zlib
from collections import Counter
from dataclasses import replace

import seeds
from collector.assembly.settings import TurnsConfig
from collector.errors import Permanent
from collector.exporters.aggregate import Aggregate
from collector.ledger.record import turn_record
from collector.ledger.rows import take_apart
from collector.otlp import decode, sniff
from collector.pipeline import default_pipeline
from request_mutation import RequestMutation
from scorers.score import Outcome

# What is contained so that others live is a fault all the same.
FAULTS = ("dialect_failed", "assembly_failed")
NO_RECORDS = {
    "dialect_failed",
    "tool_without_turn",
    "unreadable_content",
}  # reasons that leave no record out


class Turns:
    """An input is a request body. One in four arrives record by record, the last one first."""

    def __init__(self):
        self.mutated = RequestMutation(seeds.requests())

    def seeds(self):
        return seeds.requests()

    def check(self, data):
        try:
            signal, encoding = sniff(data, "")
            if signal == "metrics":
                return
            batch = decode(signal, encoding, data)
        except Permanent:
            return
        run = Run()
        if zlib.crc32(data) % 4:
            run.pipeline.consume(batch)
        else:
            for record in reversed(batch.records):
                run.pipeline.consume(replace(batch, records=(record,)))
                run.now += 7
                run.close()
        run.close("quiet")
        run.check_counts(len(batch.records))


class Run:
    """A pipeline and what is behind it; its clock moves when told to."""

    def __init__(self):
        self.now = 0.0
        self.seen = Counter()
        self.left_out = Counter()
        self.aggregate = Aggregate()
        self.pipeline = default_pipeline(TurnsConfig(), clock=lambda: self.now, observer=self)

    def received(self, receiver, signal, dialect, count):
        self.seen["received"] += count

    def dropped(self, reason, count):
        assert reason not in FAULTS, reason
        self.left_out[reason] += count

    def close(self, final=None):
        for closing in self.pipeline.due(final=final):
            closed, entries = self.pipeline.finish(closing)
            self.pipeline.done(closed)
            assert len({entry.turn.turn_id for entry in entries}) == len(entries)
            for entry in entries:
                self.check_entry(entry)

    def check_entry(self, entry):
        assert len(entry.deliveries) == len(entry.turn.tool_results)
        failed = [score for score in entry.scores if score.outcome is Outcome.error]
        assert not failed, failed
        record = turn_record(entry)
        text = json.dumps(record, allow_nan=False, ensure_ascii=False)
        assert json.loads(text.encode()) == record
        for keep_text in (True, False):
            take_apart(record, keep_text=keep_text)
        self.aggregate.turn(entry, close_delay_s=0.1)

    def check_counts(self, sent):
        assert self.seen["received"] == sent
        kept = self.pipeline.spans + self.pipeline.log_records
        lost = sum(n for reason, n in self.left_out.items() if reason not in NO_RECORDS)
        assert kept + lost == sent, dict(self.left_out)
        assert not self.pipeline.due(final="quiet"), "a turn that ended does not end again"
        exposed, _ = self.aggregate.render()
        exposed.decode()
