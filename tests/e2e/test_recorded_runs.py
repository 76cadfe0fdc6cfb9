"""Real telemetry of real instrumentation libraries, against what the model was really sent.

`expected.json` of each run says what its telemetry makes visible: reply, request and conversation
id are found there and null with a reason elsewhere, and the tool result that the harness cut has
one of the states it allows, with its kept characters.
"""

import json

import pytest

from collector.assembly.settings import TurnsConfig
from collector.ledger.record import turn_record
from collector.pipeline import default_pipeline
from collector.receivers import file
from recorded import SHARED, shared

# The run's agents hand over before the invoices are fetched: its telemetry has no such call.
NO_SUCH_CALL = ("google_adk-2.13.0-semconv-handoff",)


def runs():
    found = sorted((SHARED / "data" / "dialects").glob("*/expected.json"))
    return [path.parent.name for path in found] or ["(absent)"]


class Silent:
    def received(self, receiver, signal, dialect, count):
        pass

    def dropped(self, reason, count):
        # Log records outside any trace are joined by their session once their dialects are built.
        assert reason in ("duplicate", "no_trace_id"), reason


@pytest.mark.parametrize("name", runs())
def test_run(name):
    folder = shared("data", "dialects", name)
    expected = json.loads((folder / "expected.json").read_text())
    pipeline = default_pipeline(TurnsConfig(), clock=lambda: 0.0, observer=Silent())
    for batch in file.read(folder):
        pipeline.consume(batch)
    turns = []
    for closing in pipeline.due(final="quiet"):
        turns += [turn_record(entry) for entry in pipeline.finish(closing)[1]]
    visible = expected["visible"]
    for what, words in (("reply", "reply_contains"), ("request", "requester_message_contains")):
        found = any(expected[words] in (turn[what] or "") for turn in turns)
        assert found == visible[what], what
        missing = [turn for turn in turns if turn[what] is None]
        assert all(turn[f"{what}_missing"] for turn in missing), "null has a reason"
    assert {bool(turn["conversation_id"]) for turn in turns} == {visible["session"]}
    cut = expected["cut_tool"]
    if cut is None:  # runs with other tools
        return
    states = [cut["state"]] if isinstance(cut["state"], str) else cut["state"]
    pairs = [p for turn in turns for p in turn["tool_results"] if p["tool"] == cut["tool"]]
    assert pairs or name in NO_SUCH_CALL
    for pair in pairs:
        assert pair["state"] in states
        assert pair["state"] in ("intact", "cut") or pair["reason"]
        if cut["kept_characters"] is not None:
            assert pair["kept_characters"] == cut["kept_characters"]
