"""Turns go in once, whole or not at all, and come out as they went in."""

import json
import sqlite3
import threading

import pytest
from entries import delivery, entry, score, unseen
from hypothesis import given, settings
from hypothesis import strategies as st

from collector.ledger import Ledger, turn_record
from scorers.delivery.pair import State

ANY_TEXT = st.text(st.characters(codec=None), max_size=40)  # lone surrogates and NUL included
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=12,
)


def test_a_turn_comes_out_as_it_went_in(ledger):
    written = entry(deliveries=[delivery(), unseen(State.unobservable), unseen(State.unread)])
    assert ledger.write(written) is True
    assert list(ledger.turns()) == [turn_record(written)]


@given(reply=ANY_TEXT | st.none(), name=ANY_TEXT, evidence=st.dictionaries(ANY_TEXT, ANY_JSON))
@settings(max_examples=60, deadline=None)
def test_whatever_a_turn_holds_comes_out_as_valid_json(reply, name, evidence):
    ledger = Ledger("sqlite://")
    ledger.open()
    written = entry(
        reply=reply,
        reply_missing="no_output" if reply is None else None,
        deliveries=[delivery(tool=name, call_id=name, fields={name: (0, 1)}, reason=name)],
        scores=[score(evidence=evidence, label=name, reason=name, explanation=name)],
    )
    ledger.write(written)
    (record,) = ledger.turns()
    assert record == turn_record(written)
    json.dumps(record, allow_nan=False).encode("utf-8")
    ledger.close()


def test_numbers_no_column_holds_are_unknown_not_a_crash(ledger):
    ledger.write(entry(input_tokens=10**400, started_ns=2**64 - 1, ended_ns=2**63 - 1))
    (record,) = ledger.turns()
    assert (record["input_tokens"], record["started_ns"]) == (None, None)
    assert record["ended_ns"] == 2**63 - 1


def test_the_same_turn_again_changes_nothing(ledger, tmp_path):
    assert [ledger.write(entry()) for _ in range(3)] == [True, False, False]
    assert _rows(tmp_path, "select revision from turns") == [(1,)]


def test_a_changed_turn_replaces_itself(ledger, tmp_path):
    ledger.write(entry(deliveries=[delivery(), delivery()]))
    changed = entry(reply="Now complete.", deliveries=[delivery()], scores=[])
    assert ledger.write(changed) is False
    assert list(ledger.turns()) == [turn_record(changed)]
    assert _rows(tmp_path, "select revision from turns") == [(2,)]
    assert _rows(tmp_path, "select count(*) from tool_results") == [(1,)]
    assert _rows(tmp_path, "select count(*) from scores") == [(0,)]


def test_a_turn_that_breaks_half_way_leaves_nothing(ledger, tmp_path, monkeypatch):
    def broken(*_):
        raise RuntimeError("power cut")

    monkeypatch.setattr("collector.ledger.writer._insert_parts", broken)
    with pytest.raises(RuntimeError):
        ledger.write(entry())
    assert list(ledger.turns()) == []


def test_many_threads_write_and_read_at_once(ledger):
    def work(worker):
        for number in range(20):
            ledger.write(entry(f"turn-{worker}-{number}"))
            ledger.write(entry("shared", reply=f"{worker}-{number}"))
            assert sum(1 for _ in ledger.turns(limit=5)) > 0

    failures = []

    def guarded(worker):
        try:
            work(worker)
        except BaseException as error:  # noqa: BLE001 - carried to the test's own thread
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(worker,)) for worker in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert sum(1 for _ in ledger.turns()) == 4 * 20 + 1


def test_two_processes_share_a_ledger(ledger, tmp_path):
    other = Ledger(f"sqlite:///{tmp_path}/ledger.db")
    other.open()
    assert ledger.write(entry("a")) is True
    assert other.write(entry("a")) is False
    assert other.write(entry("b")) is True
    assert [record["turn_id"] for record in ledger.turns()] == ["a", "b"]
    other.close()


def test_turns_are_paged_by_number_size_and_time(ledger, monkeypatch):
    monkeypatch.setattr("collector.ledger.queries.PAGE_TURNS", 3)
    monkeypatch.setattr("collector.ledger.queries.PAGE_BYTES", 5_000)
    for number in range(8):
        ledger.write(entry(f"t{number}", reply="x" * 2_000, ended_ns=number))
    names = [record["turn_id"] for record in ledger.turns()]
    assert names == [f"t{number}" for number in range(8)]
    assert [r["turn_id"] for r in ledger.turns(since_ns=5)] == ["t5", "t6", "t7"]
    assert [r["turn_id"] for r in ledger.turns(since_ns=2, limit=4)] == ["t2", "t3", "t4", "t5"]
    assert list(ledger.turns(limit=0)) == []
    newest = list(ledger.newest(limit=2))
    assert [record["turn_id"] for _, record in newest] == ["t7", "t6"]
    after = ledger.newest(limit=9, before=newest[-1][0])
    assert [record["turn_id"] for _, record in after][:2] == ["t5", "t4"]


def test_a_reader_that_stops_half_way_holds_up_nobody(ledger):
    for number in range(5):
        ledger.write(entry(f"t{number}"))
    reading = ledger.turns()
    next(reading)
    assert ledger.write(entry("later")) is True
    assert ledger.prune(now_ns=2**62, max_age_s=1, max_bytes=None) == 6


def test_the_delivery_measure_does_not_store_tool_results_twice(ledger, tmp_path):
    result = delivery(fields={f"field_{number}": (0, 1) for number in range(200)})
    measure = score(scorer="delivery", label=None, evidence={"tool_results": [result.as_pair()]})
    written = entry(deliveries=[result], scores=[measure])
    ledger.write(written)
    assert list(ledger.turns()) == [turn_record(written)]
    assert "field_7" not in str(_rows(tmp_path, "select evidence from scores"))
    assert "field_7" not in str(_rows(tmp_path, "select content from texts"))


def _rows(folder, query):
    connection = sqlite3.connect(folder / "ledger.db")
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()
