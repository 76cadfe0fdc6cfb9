"""Retention deletes the oldest turns, whole, and gives the space back to the disk."""

import sqlite3

import pytest
from entries import entry

from collector.errors import Retryable
from collector.ledger import Ledger, PrivacyConfig

DAY_NS = 86_400 * 10**9


class Clock:
    def __init__(self):
        self.now = 0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def ledger(tmp_path, clock):
    opened = Ledger(f"sqlite:///{tmp_path}/ledger.db", clock=clock)
    opened.open()
    yield opened
    opened.close()


def names(ledger):
    return [record["turn_id"] for record in ledger.turns()]


def test_turns_go_at_their_age(ledger, clock):
    for day in range(5):
        clock.now = day * DAY_NS
        ledger.write(entry(f"day-{day}"))
    assert ledger.prune(now_ns=5 * DAY_NS, max_age_s=3 * 86_400, max_bytes=None) == 2
    assert names(ledger) == ["day-2", "day-3", "day-4"]


def test_being_sent_again_does_not_keep_a_turn_longer(ledger, clock):
    ledger.write(entry("old"))
    clock.now = 9 * DAY_NS
    ledger.write(entry("old", reply="corrected"))
    assert ledger.prune(now_ns=10 * DAY_NS, max_age_s=5 * 86_400, max_bytes=None) == 1


def test_the_turns_own_times_do_not_decide(ledger, clock):
    # A sender whose clock is wrong, and a replay of old telemetry, are kept as long as others.
    clock.now = 10 * DAY_NS
    ledger.write(entry("epoch", ended_ns=0))
    ledger.write(entry("future", ended_ns=2**63 - 1))
    assert ledger.prune(now_ns=11 * DAY_NS, max_age_s=2 * 86_400, max_bytes=None) == 0


def test_the_file_shrinks_below_its_limit_and_the_newest_stay(ledger, tmp_path):
    for number in range(60):
        ledger.write(entry(f"t{number:02}", reply=f"{number}" * 20_000))
    before = ledger.size_bytes()
    assert before > 2_000_000
    deleted = ledger.prune(now_ns=0, max_age_s=None, max_bytes=600_000)
    left = sum(file.stat().st_size for file in tmp_path.iterdir() if file.suffix != ".db-shm")
    assert ledger.size_bytes() <= 600_000
    assert left <= 700_000
    assert names(ledger) == [f"t{number:02}" for number in range(deleted, 60)]
    assert 0 < deleted < 60


def test_a_limit_below_an_empty_ledger_ends(ledger):
    ledger.write(entry())
    assert ledger.prune(now_ns=0, max_age_s=None, max_bytes=1) == 1
    assert ledger.prune(now_ns=0, max_age_s=None, max_bytes=1) == 0


def test_an_empty_ledger_and_absurd_limits_are_no_matter(ledger):
    assert ledger.prune(now_ns=0, max_age_s=1e300, max_bytes=2**70) == 0
    assert ledger.prune(now_ns=2**63 - 1, max_age_s=0, max_bytes=None) == 0


def test_thousands_go_in_batches(ledger, clock, monkeypatch):
    monkeypatch.setattr("collector.ledger.retention.BATCH", 7)
    for number in range(30):
        ledger.write(entry(f"t{number}"))
    assert ledger.prune(now_ns=DAY_NS, max_age_s=1, max_bytes=None) == 30
    assert names(ledger) == []


def test_a_ledger_held_by_another_process_is_pruned_later(tmp_path, monkeypatch):
    monkeypatch.setattr("collector.ledger.database.BUSY_SECONDS", 0.05)
    ledger = Ledger(f"sqlite:///{tmp_path}/ledger.db", clock=lambda: 0)
    ledger.open()
    ledger.write(entry())
    other = sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)
    other.execute("begin immediate")
    with pytest.raises(Retryable, match="held by another process"):
        ledger.prune(now_ns=DAY_NS, max_age_s=1, max_bytes=None)
    other.execute("rollback")
    other.close()
    assert ledger.prune(now_ns=DAY_NS, max_age_s=1, max_bytes=None) == 1
    ledger.close()


def test_a_file_whose_space_cannot_be_given_back_is_no_endless_loop(tmp_path):
    url = f"sqlite:///{tmp_path}/ledger.db"
    ledger = Ledger(url, clock=lambda: 0)
    ledger.open()
    for number in range(20):
        ledger.write(entry(f"t{number}", reply="x" * 50_000))
    ledger.close()
    # Somebody's maintenance rewrote it without the setting that we create it with.
    other = sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)
    other.executescript("pragma journal_mode = delete; pragma auto_vacuum = none; vacuum;")
    other.close()
    ledger.open()
    # Only as many turns go as are too many: the free pages are used again.
    assert 5 < ledger.prune(now_ns=0, max_age_s=None, max_bytes=600_000) < 15
    assert ledger.prune(now_ns=0, max_age_s=None, max_bytes=600_000) == 0
    ledger.close()


def test_a_ledger_that_is_pruned_when_it_is_over_stays_near_its_bound(ledger):
    bound, deleted = 300_000, 0
    for number in range(60):
        ledger.write(entry(f"t{number}", reply="y" * 10_000))
        if ledger.over(bound):
            deleted += ledger.prune(now_ns=0, max_age_s=None, max_bytes=bound)
            assert ledger.size_bytes() <= bound
        assert ledger.size_bytes() <= 1.1 * bound
        assert ledger.over(bound) is False
    assert deleted > 30
    assert names(ledger)[-1] == "t59"


def test_a_bound_that_nothing_meets_is_not_tried_after_each_turn(ledger):
    for _ in range(2):
        ledger.write(entry("t", reply="y" * 1000))
        ledger.prune(now_ns=0, max_age_s=None, max_bytes=1)
    assert ledger.size_bytes() > 1  # an empty database has a size of its own
    assert ledger.over(1) is False


def test_a_database_without_a_file_is_measured_by_what_was_written():
    ledger = Ledger("sqlite://")
    ledger.open()
    ledger.prune(now_ns=0, max_age_s=None, max_bytes=100_000)
    for number in range(4):
        assert ledger.over(100_000) is False
        ledger.write(entry(f"t{number}", reply="y" * 30_000))
    assert ledger.over(100_000) is True
    ledger.close()


@pytest.mark.parametrize(
    ("retention", "every"), [("2s", 60), ("1h", 150), ("1d", 3600), ("30d", 3600)]
)
def test_short_retentions_are_looked_after_more_often(retention, every):
    assert PrivacyConfig(retention=retention).prune_every == every
