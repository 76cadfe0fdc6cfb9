"""Real releases of real instrumentation libraries, against the running sidecar.

Each library of `versions.toml` instruments the billing agent, whose model is scripted, in an
environment of its own, and exports to a `tellback run` over OTLP. What the model was sent stands in
the record of the scripted model: this is the truth, and no number of it is written down here.

    make live                      all of them
    make live ONLY=pydantic-ai     those whose name holds this
"""

import time

import pytest

from live import environments, running
from live.script import TOOLS

pytestmark = [pytest.mark.live, pytest.mark.timeout(900)]


def say(text):
    print(text, flush=True)  # noqa: T201 - an installation takes long: who waits wants to see it


@pytest.fixture(scope="module", params=environments.libraries(), ids=lambda library: library.name)
def live(request, tmp_path_factory):
    library = request.param
    folder = tmp_path_factory.mktemp(library.name)
    began = time.monotonic()
    if not environments.installed(library):
        say(f"\n{library.name}: installing {' '.join(library.packages)}")
    try:
        done = running.run(library, folder)
    except (environments.InstallError, running.AgentError) as failure:
        pytest.fail(f"{library.name}: {failure}", pytrace=False)
    say(f"\n{library.name}: {time.monotonic() - began:.0f} s, wire and logs in {folder}")
    return done


def test_the_model_was_sent_a_cut_result(live):
    """Otherwise nothing below means what it says."""
    [first, second] = live.sent
    assert first.results.keys() == TOOLS.keys()
    assert not second.results
    for tool, sent in first.results.items():
        whole = len(TOOLS[tool]["result"])
        assert sent == (whole if tool != "fetch_invoices" else 1500)
    assert first.reply
    assert second.reply


def test_turns_with_request_and_reply(live):
    assert len(live.turns) == len(live.sent)
    first, second = live.turns
    asked, followed = live.sent
    said = {
        "request": (first, "request", asked.request),
        "reply": (first, "reply", asked.reply),
        "follow_up": (second, "request", followed.request),
        "follow_up_reply": (second, "reply", followed.reply),
    }
    for name, (turn, what, text) in said.items():
        if name in live.library.unseen:
            assert turn[what] is None
            assert turn[f"{what}_missing"]
        else:
            assert text in turn[what]


def test_who_spoke_and_in_which_conversation(live):
    library = live.library
    for turn in live.turns:
        assert library.dialect in turn["dialects"]
        assert bool(turn["conversation_id"]) == library.session
        if library.agent:
            assert turn["agent"] == library.agent
    assert len({turn["conversation_id"] for turn in live.turns}) == 1


def test_model_calls_and_tokens_are_counted_once(live):
    counted = [
        (turn["model_calls"], turn["input_tokens"], turn["output_tokens"]) for turn in live.turns
    ]
    assert counted == [
        (sent.model_calls, sent.input_tokens, sent.output_tokens) for sent in live.sent
    ]


def test_what_became_of_each_tool_result(live):
    for turn, sent in zip(live.turns, live.sent, strict=True):
        found = {}
        for result in turn["tool_results"]:
            [tool] = [name for name in TOOLS if result["tool"].endswith(name)]
            assert tool not in found, "once"
            found[tool] = result
        assert found.keys() == sent.results.keys()
        missing = live.library.missing
        for tool, delivered in sent.results.items():
            why = missing.get(tool) if isinstance(missing, dict) else missing
            check_result(found[tool], len(TOOLS[tool]["result"]), delivered, why)


def check_result(result, produced, delivered, missing):
    if missing:
        assert (result["state"], result["reason"]) == ("unobservable", missing)
        assert result["kept_characters"] is None
        return
    assert result["state"] == ("intact" if delivered == produced else "cut")
    assert result["kept_characters"] == delivered
    assert result["produced_characters"] == produced
    # Some frameworks put words of their own, or the results of one step, around it.
    assert result["delivered_characters"] >= delivered


def test_nothing_was_refused_or_left_out(live):
    received = live.metrics["tellback_spans_received_total"]
    by_dialect = {dict(labels)["dialect"]: count for labels, count in received.items() if count}
    assert by_dialect[live.library.dialect]
    # A reason has no series before the first refusal for it.
    refused = [name for name in live.metrics if name.endswith("_refused_total")]
    assert not {name: live.metrics[name] for name in refused}
    dropped = live.metrics.get("tellback_spans_dropped_total", {})
    left_out = {dict(labels)["reason"] for labels, count in dropped.items() if count}
    assert left_out <= set(live.library.left_out)
