"""Hostile names: nothing that senders make up fills memory, or draws on a terminal."""

import json
import tracemalloc

from inspected import Inspected

from collector.inspection.inspection import MOST_SERVICES, OTHERS
from collector.inspection.names import MOST_CHARACTERS, Names
from collector.otlp import Batch, decode
from collector.span import Resource, Span
from traces import Trace, assistant, attribute, user


def body(services, scope="s", version="1", spans=()):
    return json.dumps(
        {
            "resourceSpans": [
                {
                    "resource": {"attributes": [attribute("service.name", name)]},
                    "scopeSpans": [
                        {"scope": {"name": scope, "version": version}, "spans": list(spans)}
                    ],
                }
                for name in services
            ]
        }
    ).encode()


def span(number, name="s", **attributes):
    return {
        "traceId": f"{number + 1:032x}",
        "spanId": f"{number + 1:016x}",
        "name": name,
        "attributes": [attribute(key, value) for key, value in attributes.items()],
    }


def take(watched, **given):
    batch = decode("traces", "json", body(**given))
    count = len(batch.records)
    watched.inspection.took(batch, ["unknown"] * count, [None] * count)


def test_a_hundred_thousand_services_are_counted_in_bounded_memory():
    watched = Inspected()

    def send(numbers):
        for number in numbers:
            service = Resource({"service.name": f"service-{number}-{'x' * 200}"})
            record = Span(trace_id="t", span_id="s", name=f"name {number}", resource=service)
            batch = Batch("traces", (record,), 0, "", {})
            watched.inspection.took(batch, ["unknown"], [None])

    send(range(98_000))
    tracemalloc.start()
    try:
        send(range(98_000, 100_000))
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    report = watched.inspection.report()
    assert held < 128 << 10  # two thousand names of 200 characters would be half a megabyte
    assert len(report["services"]) == MOST_SERVICES + 1
    assert len(json.dumps(report)) < 1 << 20
    others = next(each for each in report["services"] if each["service"] == OTHERS)
    assert others["unclaimed"]["spans"] == 100_000 - MOST_SERVICES


def test_names_of_megabytes_and_of_any_kind_are_kept_short():
    watched = Inspected()
    long = "\x1b[2J\x00" + "n" * (2 << 20)
    given = span(1, name=long, **{"gen_ai." + "k" * (1 << 20): "v", "service": "x"})
    take(watched, services=[long], scope=long, version=long, spans=[given])
    told = json.dumps(watched.inspection.report(), ensure_ascii=False)
    assert len(told) < 5000
    assert "\x1b" not in told
    assert "\x00" not in told
    [service] = watched.inspection.report()["services"]
    assert len(service["service"]) == MOST_CHARACTERS


def test_names_without_end_leave_the_frequent_ones():
    names = Names(10)
    for number in range(100_000):
        names.add(f"one-{number}")
        if number % 3 == 0:
            names.add("often")
    shown, others = names.top()
    assert shown[0][0] == "often"
    assert len(shown) == 10
    assert len(names.counts) <= 40
    assert sum(count for _, count in shown) + others == names.total == 100_000 + 33_334


def test_turns_without_end_are_forgotten_and_stay_counted():
    watched = Inspected(remember=5)
    for number in range(40):
        trace = Trace(f"turn {number}")
        trace.chat([user("q")], assistant("a"))
        watched.send(*trace.spans)
    [visible] = watched.service["visible"]
    assert visible["turns"] == 40
    inspection = watched.inspection
    assert len(inspection._turns) == len(inspection._groups) == 5
    assert len(inspection._scopes) <= 10


def test_an_inspection_that_fails_stops_no_telemetry(monkeypatch):
    watched = Inspected()
    monkeypatch.setattr(watched.inspection, "_about", lambda record: 1 / 0)
    trace = Trace("a")
    trace.chat([user("q")], assistant("a"))
    watched.send(*trace.spans)
    assert watched.pipeline.spans == 1
