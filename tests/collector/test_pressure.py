"""Under pressure the service that sends most is slowed down first, and nobody is starved."""

from collector.otlp import Batch
from collector.pressure import HALF_LIFE, MOST_SERVICES, Pace, Pressure, Shares
from collector.span import Resource, Span


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def batch(service, size=1000):
    resource = Resource({"service.name": service} if service else {})
    span = Span(trace_id="1" * 32, span_id="1" * 16, resource=resource)
    return Batch(
        signal="traces", records=(span,), rejected=0, message="", refused={}, body=b"x" * size
    )


def test_everybody_is_taken_without_pressure_and_nobody_when_full():
    shares = Shares(Clock())
    for _ in range(50):
        assert shares.admits(batch("noisy"), Pressure.none)
        shares.took(batch("noisy"))
    assert not shares.admits(batch("quiet"), Pressure.full)
    assert not shares.admits(batch("noisy"), Pressure.full)


def test_a_noisy_service_waits_and_a_quiet_one_does_not():
    shares = Shares(Clock())
    for _ in range(100):
        shares.took(batch("noisy"))
    shares.took(batch("quiet"))
    assert not shares.admits(batch("noisy"), Pressure.high)
    assert shares.admits(batch("quiet"), Pressure.high)
    assert shares.admits(batch("never seen"), Pressure.high)


def test_two_that_send_alike_are_taken_alike():
    shares = Shares(Clock())
    taken = {"one": 0, "two": 0}
    for turn in range(400):
        name = ("one", "two", "two", "two")[turn % 4]  # one asks for a third of what two does
        if shares.admits(batch(name), Pressure.high) or turn < 2:
            shares.took(batch(name))
            taken[name] += 1
    assert abs(taken["one"] - taken["two"]) <= 2


def test_one_service_alone_waits_for_the_pressure_to_go():
    shares = Shares(Clock())
    shares.took(batch(None))
    assert not shares.admits(batch(None), Pressure.high)


def test_what_was_taken_fades():
    clock = Clock()
    shares = Shares(clock)
    shares.took(batch("noisy", 100_000))
    clock.now += 40 * HALF_LIFE
    shares.took(batch("other", 10))
    assert shares.admits(batch("noisy"), Pressure.high)


def test_invented_names_share_one_count():
    shares = Shares(Clock())
    for number in range(2 * MOST_SERVICES):
        shares.took(batch(f"service-{number}", 10))
    assert not shares.admits(batch("another invention"), Pressure.high)


def flooded(pace, seconds_of_work):
    pace.finished(1000, 2.0)  # two milliseconds each
    pace.took(int(seconds_of_work * 500))
    return pace.pressure


def test_a_flood_is_known_before_it_piles_up():
    clock = Clock()
    pace = Pace(clock)
    assert flooded(pace, 2.5) is Pressure.none, "a burst is no flood"
    assert flooded(pace, 2.5) is Pressure.high
    assert flooded(pace, 2.5) is Pressure.full
    clock.now += 2.0
    assert pace.pressure is Pressure.high
    clock.now += 2.0
    assert pace.pressure is Pressure.none


def test_what_the_process_can_do_is_taken_for_ever():
    clock = Clock()
    pace = Pace(clock)
    for _ in range(1000):
        clock.now += 0.1
        assert flooded(pace, 0.1) is Pressure.none


def test_nothing_is_held_up_before_anything_is_known():
    pace = Pace(Clock())
    pace.took(10**9)
    assert pace.pressure is Pressure.none


def test_costs_are_learnt_anew():
    clock = Clock()
    pace = Pace(clock)
    pace.finished(20_000, 2000.0)
    for _ in range(40):
        pace.finished(20_000, 2.0)
    pace.took(20_000)
    assert pace.pressure is Pressure.none


def test_a_name_of_megabytes_is_not_remembered_as_it_came():
    shares = Shares(Clock())
    for number in range(3):
        shares.took(batch(f"{number}" + "x" * 100_000))
    assert len(shares._taken) == 3
    assert all(len(name) <= 200 for name in shares._taken)
