"""Many turns in one transaction are stored as each would be alone, and marks with them."""

import sqlite3

import pytest
from entries import delivery, entry

from collector.errors import Permanent, Retryable
from collector.ledger import Ledger, Mark, turn_record

HOUR = 3600


def mark(trace_id="t1", journal="j", first=1, last=2, given='{"spans":["s1"]}'):
    return Mark(trace_id, journal, first, last, given)


def narrow(ledger):
    """Let the database refuse what is longer than 20,000 characters."""
    raw = ledger._database.engine.raw_connection()
    raw.driver_connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 20_000)
    raw.close()


def rows(folder, query):
    connection = sqlite3.connect(folder / "ledger.db")
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def test_a_batch_is_stored_as_one_by_one(tmp_path):
    turns = [
        entry("a"),
        entry("b", deliveries=[delivery(), delivery()]),
        entry("a"),
        entry("b", reply="Changed."),
        entry("c", scores=[]),
        entry("b", reply="Changed."),
    ]
    found = []
    for name in ("batch", "single"):
        ledger = Ledger(f"sqlite:///{tmp_path}/{name}/ledger.db", clock=lambda: 1)
        ledger.open()
        ledger.write(entry("c"))
        known = {turn.turn.turn_id for turn in turns}
        new = (
            ledger.write_all(turns, revised=known)
            if name == "batch"
            else [ledger.write(t) for t in turns]
        )
        found.append((new, list(ledger.turns())))
        ledger.close()
        found[-1] += tuple(
            rows(tmp_path / name, f"select * from {table} order by 1, 2")
            for table in ("turns", "tool_results", "scores", "texts")
        )
    assert found[0] == found[1]
    assert found[0][0] == [True, True, False, False, False, False]


def test_more_turns_than_one_statement_takes(ledger, monkeypatch):
    monkeypatch.setattr("collector.ledger.writer.MOST_AT_ONCE", 3)
    turns = [entry(f"t{number}") for number in range(8)]
    assert ledger.write_all(turns) == [True] * 8
    assert list(ledger.turns()) == [turn_record(turn) for turn in turns]
    assert ledger.write_all([]) == []


def test_a_turn_that_cant_be_stored_leaves_the_others_and_the_marks(ledger):
    narrow(ledger)
    turns = [entry("a"), entry("big", reply="x" * 30_000), entry("b")]
    before, refused, after = ledger.write_all(turns, [mark()])
    assert (before, after) == (True, True)
    assert isinstance(refused, Permanent)
    assert refused.reason == "too_large"
    assert [record["turn_id"] for record in ledger.turns()] == ["a", "b"]
    assert ledger.marks("j") == {"t1": mark()}
    with pytest.raises(Permanent):
        ledger.write(turns[1])


def test_a_database_that_is_held_takes_nothing(ledger, tmp_path, monkeypatch):
    other = sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)
    other.execute("begin immediate")
    raw = ledger._database.engine.raw_connection()
    raw.driver_connection.execute("pragma busy_timeout = 10")
    raw.close()
    with pytest.raises(Retryable, match="held by another process"):
        ledger.write_all([entry("a"), entry("b")], [mark()])
    other.execute("rollback")
    other.close()
    assert list(ledger.turns()) == []
    assert ledger.marks("j") == {}


def test_what_breaks_half_way_leaves_neither_turns_nor_marks(ledger, monkeypatch):
    def broken(*_):
        raise RuntimeError("power cut")

    monkeypatch.setattr("collector.ledger.writer.write_marks", broken)
    with pytest.raises(RuntimeError):
        ledger.write_all([entry("a")], [mark()])
    assert list(ledger.turns()) == []


def test_marks_are_kept_by_journal_and_trace(ledger):
    ledger.write_all([entry("a")], [mark("t1"), mark("t2", last=9), mark("t1", journal="other")])
    ledger.write_all([], [mark("t1", first=3, last=7, given="{}")])
    assert ledger.marks("j") == {
        "t1": mark("t1", first=1, last=7, given="{}"),  # its beginning stays
        "t2": mark("t2", last=9),
    }
    assert ledger.marks("other") == {"t1": mark("t1", journal="other")}
    assert ledger.marks("none") == {}


def test_marks_are_forgotten_once_their_records_are_gone(ledger):
    ledger.write_all([], [mark("t1", last=2), mark("t2", last=3), mark("t1", journal="other")])
    assert ledger.forget_marks("j", 3) == 1
    assert set(ledger.marks("j")) == {"t2"}
    assert set(ledger.marks("other")) == {"t1"}


def test_a_ledger_of_before_marks_gets_their_table(ledger, tmp_path):
    ledger.write(entry("a"))
    ledger.close()
    connection = sqlite3.connect(tmp_path / "ledger.db")
    connection.execute("drop table journal_marks")
    connection.close()
    ledger.open()
    ledger.write_all([entry("b")], [mark()])
    assert [record["turn_id"] for record in ledger.turns()] == ["a", "b"]
    assert ledger.marks("j") == {"t1": mark()}


def test_pruning_turns_leaves_marks(ledger):
    ledger.write_all([entry("a")], [mark()])
    assert ledger.prune(now_ns=2**62, max_age_s=HOUR, max_bytes=None) == 1
    assert ledger.marks("j") == {"t1": mark()}


def test_what_knows_less_of_a_turn_replaces_it_only_for_who_wrote_it(ledger):
    whole = entry(deliveries=[delivery(), delivery()])
    part = entry(reply="Of what was sent again.", deliveries=[delivery()])
    ledger.write_all([whole])
    assert ledger.write_all([part]) == [False]
    assert list(ledger.turns()) == [turn_record(whole)]
    more = entry(reply="Now complete.", deliveries=[delivery(), delivery(), delivery()])
    assert ledger.write_all([more]) == [False]
    assert list(ledger.turns()) == [turn_record(more)]
    assert ledger.write_all([part], revised={part.turn.turn_id}) == [False]
    assert list(ledger.turns()) == [turn_record(part)]
