"""Under pressure the service that sends most is slowed down first, and nobody is starved."""

from collector.pressure import HALF_LIFE, MOST_SERVICES, Pace, Pressure, Shares


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_everybody_is_taken_without_pressure_and_nobody_when_full():
    shares = Shares(Clock())
    for _ in range(50):
        assert shares.admits("noisy", Pressure.none)
        shares.took("noisy", 1000)
    assert not shares.admits("quiet", Pressure.full)
    assert not shares.admits("noisy", Pressure.full)


def test_a_noisy_service_waits_and_a_quiet_one_does_not():
    shares = Shares(Clock())
    for _ in range(100):
        shares.took("noisy", 1000)
    shares.took("quiet", 1000)
    assert not shares.admits("noisy", Pressure.high)
    assert shares.admits("quiet", Pressure.high)
    assert shares.admits("never seen", Pressure.high)


def test_two_that_send_alike_are_taken_alike():
    shares = Shares(Clock())
    taken = {"one": 0, "two": 0}
    for turn in range(400):
        name = ("one", "two", "two", "two")[turn % 4]  # one asks for a third of what two does
        if shares.admits(name, Pressure.high) or turn < 2:
            shares.took(name, 1000)
            taken[name] += 1
    assert abs(taken["one"] - taken["two"]) <= 2


def test_one_service_alone_waits_for_the_pressure_to_go():
    shares = Shares(Clock())
    shares.took("", 1000)
    assert not shares.admits("", Pressure.high)


def test_what_was_taken_fades():
    clock = Clock()
    shares = Shares(clock)
    shares.took("noisy", 100_000)
    clock.now += 40 * HALF_LIFE
    shares.took("other", 10)
    assert shares.admits("noisy", Pressure.high)


def test_invented_names_share_one_count():
    shares = Shares(Clock())
    for number in range(2 * MOST_SERVICES):
        shares.took(f"service-{number}", 10)
    assert not shares.admits("another invention", Pressure.high)


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
        shares.took(f"{number}" + "x" * 100_000, 1000)
    assert len(shares._taken) == 3
    assert all(len(name) <= 200 for name in shares._taken)
