"""Telemetry of libraries and versions beyond the shared runs, against what the model was sent.

Each run is the billing agent of the shared runs with a scripted model: two turns, three tools in
the first, and `fetch_invoices` cut to its first 1,500 characters before the model sees it. The
facts in `expected.json` come from the requests and answers of the model's API, recorded beside the
telemetry, and from what the library is known to leave out: turns, model calls and tokens of each
turn, whether the whole result was sent, and which sides of it the telemetry shows.
"""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from collector.assembly.settings import TurnsConfig
from collector.ledger.record import turn_record
from collector.pipeline import default_pipeline
from collector.receivers import file

FOLDER = Path(__file__).parents[1] / "golden" / "dialects"
RUNS = sorted(path.parent for path in FOLDER.glob("*/*/expected.json"))
# "any": the library makes an id up for each conversation.
ANY = "any"


class Silent:
    def received(self, *counted):
        pass

    def dropped(self, reason, count):
        # Semantic Kernel's own log lines stand outside any trace.
        assert reason in ("duplicate", "no_trace_id"), reason


def entries(folder):
    pipeline = default_pipeline(TurnsConfig(), clock=lambda: 0.0, observer=Silent())
    for batch in file.read(folder):
        pipeline.consume(batch)
    found = []
    for closing in pipeline.due(final="quiet"):
        found += pipeline.finish(closing)[1]
    return sorted(found, key=lambda entry: entry.turn.started_ns)


def test_there_are_runs():
    assert RUNS


@pytest.fixture(params=RUNS, ids=lambda path: f"{path.parent.name}/{path.name}", scope="module")
def run(request):
    """Return what is expected of a run, and its turns."""
    expected = json.loads((request.param / "expected.json").read_text(encoding="utf-8"))
    return expected, entries(request.param), request.param.parent.name


def test_turns_and_who_speaks(run):
    expected, found, dialect = run
    assert len(found) == len(expected["requests"])
    # One agent answers in most runs; after a hand-off, the one that it was handed to.
    agents = expected["agent"]
    agents = agents if isinstance(agents, list) else [agents] * len(found)
    told = zip(found, expected["requests"], expected["replies"], agents, strict=True)
    for entry, request, reply, agent in told:
        turn = entry.turn
        for text, said, missing in (
            (request, turn.request, turn.request_missing),
            (reply, turn.reply, turn.reply_missing),
        ):
            if text is None:  # the telemetry does not hold it, and says why
                assert said is None
                assert missing
                assert missing == expected.get("reason", missing)
            else:
                assert text in said
        assert turn.agent == agent
        assert dialect in turn.dialects
        if expected["conversation_id"] == ANY:
            assert turn.conversation_id
        else:
            assert turn.conversation_id == expected["conversation_id"]


def test_calls_and_tokens_are_counted_once(run):
    expected, found, _ = run
    for entry, calls, tokens in zip(
        found, expected["model_calls"], expected["tokens"], strict=True
    ):
        assert entry.turn.model_calls == calls
        spent = [entry.turn.input_tokens, entry.turn.output_tokens]
        assert spent == (tokens or [None, None])


def test_what_became_of_the_tool_result(run):
    expected, found, _ = run
    records = [turn_record(entry) for entry in found]
    results = [one for record in records for one in record["tool_results"]]
    # Neither the harness nor the telemetry lost a whole result in any of these runs.
    assert not [one for one in results if one["state"] in ("dropped", "unread")]
    assert all(one["state"] in ("intact", "cut") or one["reason"] for one in results)
    cut = expected["cut_tool"]
    about = [one for one in results if cut and one["tool"].endswith(cut["tool"])]
    if cut is None:
        assert not about
        return
    [one] = about
    assert (one["state"], one["kept_characters"]) == (cut["state"], cut["kept_characters"])
    assert (one["reason"] or "").startswith(cut.get("reason", ""))
    assert (one["produced_characters"] is not None) == cut["produced"]
    assert (one["delivered_characters"] is not None) == cut["delivered"]
    if one["state"] == "intact":
        # What a model middleware cuts after the call was recorded, no telemetry shows.
        below = expected.get("cut_below_the_instrumentation", False)
        assert expected["model_was_sent_the_whole_result"] or below
    others = [one for one in results if one not in about and one["delivered_characters"]]
    assert all(one["state"] in ("intact", "unobservable") for one in others)


def test_no_tools_text_is_the_requesters(run):
    _, found, _ = run
    for entry in found:
        asked = [said.text for said in entry.turn.requester.dialog if said.role == "user"]
        for result in entry.turn.tool_results:
            for side in (result.produced or "", result.delivered or ""):
                pieces = [side[at:to] for at, to in pairwise(range(0, len(side), 40))]
                assert not [piece for piece in pieces if any(piece in text for text in asked)]
