"""Totals add up what was seen, and say nothing about what was not."""

import json

from entries import delivery, entry, score, unseen

from collector.ledger import Ledger, Totals, totals, turn_record
from collector.ledger.totals import MOST_NAMES, OTHERS
from scorers.delivery.pair import State

NOTHING = dict.fromkeys(["entered", "left", "lost", "unobservable", "findings"])


def of(*entries):
    added = Totals()
    for one in entries:
        added.add(one)
    return added.as_dict(spans=3, log_records=0)


def test_nothing_measured_is_null_and_not_zero():
    result = of()
    assert (result["spans"], result["log_records"], result["turns"]) == (3, 0, 0)
    for share in ("observable_share", "char_survival", "field_survival"):
        assert result[share] is None
    for stage in ("retain", "transfer", "persist"):
        assert result["stages"][stage] == NOTHING
    assert result["yield"] == {"automatic": None, "configured": None}


def test_every_state_is_counted_once_and_each_stage_adds_up():
    whole = delivery(state=State.intact, strategy=None, kept_characters=100, fields={})
    found = of(
        entry(
            deliveries=[
                whole,
                delivery(),
                delivery(state=State.dropped, kept_characters=0, fields=None),
                delivery(state=State.spilled, kept_characters=20, fields=None),
                unseen(State.unread),
                unseen(State.unobservable),
                unseen(State.lower_bound),
            ]
        )
    )
    assert set(found["tool_results_by_state"].values()) == {1}
    deliver = found["stages"]["deliver"]
    assert deliver == {
        "entered": 7,
        "left": 2,  # intact, and unread: nothing was withheld from it
        "lost": 3,
        "unobservable": 2,
        "findings": None,
    }
    act = found["stages"]["act"]
    assert (act["entered"], act["left"], act["lost"]) == (6, 5, 1)
    # Four of the six that met a model call, or should have, were seen on both sides.
    assert found["observable_share"] == 4 / 6
    assert found["char_survival"] == (100 + 40 + 0 + 20) / 400


def test_unobservable_results_are_in_no_survival():
    found = of(entry(deliveries=[unseen(State.unobservable), unseen(State.lower_bound)]))
    assert found["observable_share"] == 0.0
    assert found["char_survival"] is None
    assert found["field_survival"] is None


def test_the_observable_share_of_each_agent_and_dialect():
    seen = delivery(dialect="openinference")
    hidden = unseen(State.unobservable, dialect="gen_ai", reason="content_off")
    bound = unseen(State.lower_bound, dialect="gen_ai", reason="no_tool_span; 3 lines removed")
    found = of(
        entry(deliveries=[seen, seen, hidden, bound], agent="desk"),
        entry("turn-2", deliveries=[hidden, unseen(State.unread, dialect="gen_ai")], agent=None),
    )
    counts = {"results": 2, "observed": 0, "lower_bound": 1, "unobservable": 1}
    assert found["observable_share_by"] == [
        {"agent": "desk", "dialect": "gen_ai", **counts, "observable_share": 0.0,
         "unobservable_by_reason": {"content_off": 1}},
        {"agent": "desk", "dialect": "openinference", "results": 2, "observed": 2,
         "lower_bound": 0, "unobservable": 0, "observable_share": 1.0,
         "unobservable_by_reason": {}},
        {"agent": "unknown", "dialect": "gen_ai", **counts, "lower_bound": 0,
         "observable_share": 0.0, "unobservable_by_reason": {"content_off": 1}},
    ]  # fmt: skip
    unread = of(entry(deliveries=[unseen(State.unread, dialect="gen_ai")]))
    assert unread["observable_share_by"][0]["observable_share"] is None


def test_a_stored_turn_keeps_the_dialect_of_each_result(tmp_path):
    ledger = Ledger(f"sqlite:///{tmp_path}/ledger.db")
    ledger.open()
    one = entry(deliveries=[delivery(dialect="openinference"), unseen(State.unobservable)])
    ledger.write(one)
    [record] = ledger.turns(limit=5)
    assert [pair["dialect"] for pair in record["tool_results"]] == ["openinference", None]
    assert totals([record])["observable_share_by"] == of(one)["observable_share_by"]
    ledger.close()


def test_fields_add_up_by_tool():
    found = of(
        entry("a"),
        entry("b", deliveries=[delivery(fields={"due_date": (3, 4)}), delivery(tool="other")]),
    )
    assert found["field_survival"] == {
        "fetch_invoices": {"number": [2, 2], "due_date": [3, 6]},
        "other": {"number": [2, 2], "due_date": [0, 2]},
    }


def test_a_map_with_countless_keys_stays_bounded():
    fields = {f"customer_{number}": (1, 1) for number in range(MOST_NAMES + 500)}
    survival = of(entry(deliveries=[delivery(fields=fields)]))["field_survival"]["fetch_invoices"]
    assert len(survival) == MOST_NAMES + 1
    assert survival[OTHERS] == [500, 500]


def test_replies_are_counted_by_what_they_lack():
    found = of(
        entry("a", request=None, request_missing="content_off"),
        entry("b", reply="", states={"lexical_reader": "filtered"}),
        entry("c", reply=None, reply_missing="unfinished", states={"lexical_reader": "unfinished"}),
        entry("d"),
    )
    assert (found["turns"], found["turns_without_request"], found["empty_replies"]) == (4, 1, 1)
    assert found["reply_states"] == {
        "lexical_reader": {"filtered": 1, "scored": 2, "unfinished": 1}
    }


def test_stored_turns_add_up_to_the_same_even_without_their_texts():
    entries = [
        entry("a", deliveries=[delivery(), unseen(State.unread)]),
        entry("b", reply="", request=None, request_missing="content_off", scores=[score()]),
    ]
    ledger = Ledger("sqlite://", keep_text=False)
    ledger.open()
    for one in entries:
        ledger.write(one)
    assert totals(ledger.turns(), spans=3, log_records=0) == of(*entries)
    ledger.close()


def test_the_record_has_the_interfaces_keys_and_is_json():
    record = turn_record(entry())
    # design: interface, `replay --output json`
    promised = (
        "turn_id trace_ids conversation_id agent agent_version model dialects request reply "
        "tool_turns model_calls tool_errors input_tokens output_tokens closed_by stopped "
        "tool_results scores"
    )
    assert set(promised.split()) <= set(record)
    assert set(record["scores"][0]) >= {
        "scorer", "outcome", "label", "value", "explanation", "evidence"
    }  # fmt: skip
    assert json.loads(json.dumps(record, allow_nan=False)) == record
