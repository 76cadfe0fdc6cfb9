"""Telemetry that a test wrote, inspected as `tellback inspect` does."""

from collector.assembly.settings import TurnsConfig
from collector.dialects import DIALECTS
from collector.inspection.inspection import Inspection
from collector.otlp import decode
from collector.pipeline import Pipeline
from collector.receivers import file
from collector.scoring.worker import Worker
from running import Observer
from scorers.measures import MEASURES
from traces import SCOPE, request


class Inspected:
    """A pipeline with an inspection that looks on."""

    def __init__(self, **options):
        self.inspection = Inspection(**options)
        self.pipeline = Pipeline(
            DIALECTS,
            TurnsConfig(max_open_bytes=8 << 30, max_open_turns=10**7),
            Worker(MEASURES, ()),
            clock=lambda: 0.0,
            observer=Observer(),
            onlooker=self.inspection,
        )

    def send(self, *spans, scope=SCOPE):
        self.pipeline.consume(decode("traces", "json", request(list(spans), scope)))

    def take(self, batch):
        self.pipeline.consume(batch)

    def close(self):
        for closing in self.pipeline.due(final="quiet"):
            closed, _ = self.pipeline.finish(closing)
            self.pipeline.done(closed)

    @property
    def service(self):
        """What is reported of the only service."""
        self.close()
        [service] = self.inspection.report()["services"]
        return service


def inspected(folder):
    """Return the report on recorded telemetry."""
    watched = Inspected(remember=10**6)
    for batch in file.read(folder):
        watched.take(batch)
    watched.close()
    return watched.inspection.report()


def settings(service, facet):
    """Return the settings that are to show something, by the library they are of."""
    found = {}
    for advice in service["advice"]:
        if facet in advice["shows"]:
            found.setdefault(advice["library"], []).extend(s["setting"] for s in advice["set"])
    return found


def warned(service):
    return {each["kind"]: each for each in service["warnings"]}
