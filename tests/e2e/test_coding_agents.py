"""Coding agents as they record themselves, against what their (scripted) model was sent.

Each run asks for the oldest invoice, lets the agent print a short record and a file of 92 KB with
its own shell tool, and most ask again in a second process that resumes the session. The harness
cuts the file's text before the model reads it; what of that shows differs from agent to agent.
Calls and tokens are those that the model's API counted, cached input included.
"""

from pathlib import Path

import pytest

from collector.assembly.settings import TurnsConfig
from collector.ledger.record import turn_record
from collector.pipeline import default_pipeline
from collector.receivers import file

FOLDER = Path(__file__).parents[1] / "golden" / "dialects"
FIRST, AGAIN = "What does ACME Corp owe us right now", "And is that really the oldest one?"
OLDEST, SEEN = "so please chase that one first", "I told you the oldest one I could see"

# Turns, each: request, reply (or why there is none), model calls, tokens.
# The long result: its state, words of the reason, produced and delivered characters, those kept.
RUNS = {
    "claude_code/claude_code-2.1.332-default": (
        [("content_off", "content_off", 3, (9333, 120))],
        ("unobservable", "content_off", None, None, None),
    ),
    "claude_code/claude_code-2.1.332-detailed": (
        [(FIRST, OLDEST, 3, (67516, 120)), (AGAIN, SEEN, 1, (23173, 40))],
        ("cut", None, 29595, 2372, 2000),
    ),
    "claude_code/claude_code-2.1.332-tools": (
        [(FIRST, OLDEST, 3, (67508, 120)), (AGAIN, SEEN, 1, (23169, 40))],
        ("lower_bound", "30000 bytes were produced and at most 2278", 29595, None, None),
    ),
    "claude_code/claude_code-2.1.148-everything": (
        [(FIRST, OLDEST, 3, (79973, 120)), (AGAIN, SEEN, 1, (27273, 40))],
        ("cut", None, 29595, 2288, 2000),
    ),
    # Three calls in the turn, two of its sub-agent, and one when that was done.
    "claude_code/claude_code-2.1.332-subagent": (
        [(FIRST, OLDEST, 6, (114270, 240))],
        ("cut", None, 29595, 4254, 2000),
    ),
    # Titles and topics are asked for too, and the version tells nothing apart.
    "claude_code/claude_code-2.0.42-logs": (
        [(FIRST, "output_not_recorded", 8, (85587, 320)), (AGAIN, "output_not_recorded", 1, None)],
        ("unobservable", "not_recorded", None, None, None),
    ),
    "codex/codex-0.171.0": (
        [(FIRST, "output_not_recorded", 3, (19256, 120))],
        ("lower_bound", "23473 tokens were produced and at most 8556", None, None, None),
    ),
    "codex/codex-0.171.0-max-tokens": (
        [
            (FIRST, "output_not_recorded", 3, (31763, 120)),
            (AGAIN, "output_not_recorded", 1, (11082, 40)),
        ],
        ("lower_bound", "23433 tokens were produced and at most 300", None, None, None),
    ),
    "codex/codex-0.133.0": (
        [
            (FIRST, "output_not_recorded", 3, (39601, 120)),
            (AGAIN, "output_not_recorded", 1, (15377, 40)),
        ],
        ("lower_bound", "23433 tokens were produced and at most 15286", None, None, None),
    ),
    "gemini_cli/gemini_cli-0.61.0": (
        [(FIRST, OLDEST, 3, (13154, 120))],
        ("lower_bound", "52283 characters removed", None, 40261, None),
    ),
    "gemini_cli/gemini_cli-0.61.0-no-prompts": (
        [
            ("content_off", "content_off", 3, (48215, 120)),
            ("content_off", "content_off", 1, (36581, 40)),
        ],
        ("lower_bound", "92547 characters were produced and at most 40273", 92547, 40273, None),
    ),
    "gemini_cli/gemini_cli-0.39.0": (
        [(FIRST, OLDEST, 3, (44962, 120))],
        ("lower_bound", "52510 characters removed", None, 40261, None),
    ),
    # One call more than the turn's own three: the title's.
    "vercel_ai/opencode-1.18.33": (
        [(FIRST, OLDEST, 4, (39609, 160)), (AGAIN, SEEN, 1, (23345, 40))],
        ("lower_bound", "cut_before_recording", None, 50662, None),
    ),
}
LONG = "invoices.json"


class Strict:
    def received(self, receiver, signal, dialect, count):
        pass

    def dropped(self, reason, count):
        raise AssertionError(f"{count} {reason}")


class Counting(Strict):
    """Codex's own client logs a line outside any session."""

    def dropped(self, reason, count):
        assert (reason, count) == ("no_trace_id", 1)


def entries(folder, batches=None):
    observer = Counting() if folder.parent.name == "codex" else Strict()
    pipeline = default_pipeline(TurnsConfig(), clock=lambda: 0.0, observer=observer)
    for batch in batches or file.read(folder):
        pipeline.consume(batch)
    found = []
    for closing in pipeline.due(final="quiet"):
        found += pipeline.finish(closing)[1]
    return sorted(found, key=lambda entry: entry.turn.started_ns)


@pytest.fixture(params=RUNS, scope="module")
def run(request):
    turns, long = RUNS[request.param]
    return turns, long, entries(FOLDER / request.param)


def test_turns_are_those_of_the_requester(run):
    expected, _, found = run
    assert len(found) == len(expected)
    for entry, (request, reply, _, _) in zip(found, expected, strict=True):
        turn = entry.turn
        assert request in (turn.request or turn.request_missing)
        assert reply in (turn.reply or turn.reply_missing)
        assert turn.agent in ("claude-code", "codex_exec", "gemini-cli", "opencode")
    assert len({entry.turn.conversation_id for entry in found}) == 1
    assert found[0].turn.conversation_id


def test_calls_and_tokens_are_counted_once(run):
    expected, _, found = run
    for entry, (_, _, calls, tokens) in zip(found, expected, strict=True):
        assert entry.turn.model_calls == calls
        if tokens is not None:
            assert (entry.turn.input_tokens, entry.turn.output_tokens) == tokens


def test_what_became_of_the_long_result(run):
    _, (state, reason, produced, delivered, kept), found = run
    pairs = [pair for entry in found for pair in turn_record(entry)["tool_results"]]
    shells = [pair for pair in pairs if pair["tool"] not in ("Agent", "unknown")]
    short, long = shells
    assert short["state"] in ("intact", "unobservable")
    assert long["state"] == state
    assert reason is None or reason in long["reason"]
    assert long["produced_characters"] == produced
    assert long["delivered_characters"] == delivered
    assert long["kept_characters"] == kept


def test_nothing_that_the_instrumentation_hid_counts_as_the_harnesss_cut(run):
    _, _, found = run
    for entry in found:
        for pair in turn_record(entry)["tool_results"]:
            assert pair["state"] not in ("dropped", "unread")
            if pair["state"] == "cut":
                assert pair["produced_characters"] is not None
                assert pair["delivered_characters"] is not None


@pytest.mark.parametrize("name", [name for name in RUNS if "no-prompts" not in name])
def test_the_order_of_requests_does_not_matter(name):
    folder = FOLDER / name
    batches = list(file.read(folder))
    forth, back = entries(folder, batches), entries(folder, batches[::-1])
    assert [turn_record(entry) for entry in forth] == [turn_record(entry) for entry in back]


def test_events_without_trace_ids_show_what_was_delivered():
    folder = FOLDER.parent / "reports" / "71-log-events-without-trace-ids"
    first, _ = entries(folder)
    [result] = first.turn.tool_results
    assert (result.produced, result.delivered) == (None, "17 open")
    assert (result.call_id, result.tool, result.delivered_size) == ("toolu_1", "Bash", 7)


def test_a_call_of_titles_alone_is_no_turn():
    """`opencode run` ends before it has sent more than the call for a title."""
    folder = FOLDER / "vercel_ai" / "opencode-1.18.33"
    batches = list(file.read(folder))[:1]
    assert [r.name for r in batches[0].records if r.name.endswith("doStream")]
    assert entries(folder, batches) == []
