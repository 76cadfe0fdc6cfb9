"""The demo: its recordings, what it makes of turns, and how that looks."""

import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from rich.console import Console

from collector.demo import record
from collector.demo.presentation import Page, Sent, show
from collector.demo.recording import RECORDINGS
from collector.demo.sidecar import Sidecar, choose_ports
from collector.errors import UsageError
from collector.view.finding import failing_replies, is_judged, losses
from collector.view.profile import percent
from collector.view.words import plain

# The invoices that the billing agent's tool produced, and what its harness let through: the
# recordings' README.
PRODUCED, DELIVERED, INVOICES = 6441, 1500, 48
REPLY = "See W3 for the cause."


def pair(**changes):
    return {
        "tool": "fetch_invoices",
        "call_id": "c",
        "state": "cut",
        "strategy": "prefix_slice",
        "marker": False,
        "silent": True,
        "broken": True,
        "format": "json",
        "produced_characters": PRODUCED,
        "delivered_characters": DELIVERED,
        "kept_characters": DELIVERED,
        "fields": {"customer_id": [1, 1], "note": [0, 1], "memo": [11, 48]},
        "rows": [11, INVOICES],
        "reason": None,
    } | changes


def turn(*pairs, reply="So be it.", scores=()):
    return {
        "trace_ids": ["ab" * 16],
        "agent": "billing",
        "request": "Why?",
        "reply": reply,
        "tool_results": list(pairs),
        "scores": list(scores),
    }


def failed(**changes):
    gap = {
        "start": 4,
        "end": 6,
        "span": "W3",
        "category": "pointer",
        "question": "What is W3?",
        "origin": "tool_result",
    } | changes
    return {
        "scorer": "lexical_reader",
        "outcome": "scored",
        "label": "failed",
        "value": 1.0,
        "explanation": "W3 is unknown.",
        "evidence": {"failed": True, "gaps": [gap]},
    }


def page(turns):
    failing = failing_replies(turns)
    return Page(
        Sent([("lib 1", "OTLP/HTTP")], 1), len(turns), losses(turns), failing,
        sum(len(reply.trace_ids) for reply in failing), sum(map(is_judged, turns)),
        ['tellback_tool_results_total{tool="a"} 1.0'], [("metrics", "http://127.0.0.1:1/metrics")],
    )  # fmt: skip


def shown(turns, width=120, **options):
    file = io.StringIO()
    show(Console(file=file, width=width, **options), page(turns))
    return file.getvalue()


def test_recordings_are_otlp_and_use_both_transports():
    for recording in RECORDINGS:
        bodies = list(recording.bodies())
        assert bodies, recording.name
        assert all(ExportTraceServiceRequest.FromString(body).resource_spans for body in bodies)
    assert {recording.transport for recording in RECORDINGS} == {"OTLP/HTTP", "OTLP/gRPC"}


def test_the_made_up_run_is_what_its_script_writes():
    assert record.FILE.read_bytes() == record.record()


def test_results_that_met_the_same_end_are_one_line():
    found = losses([turn(pair()), turn(pair(), pair(tool="other", state="intact", strategy=None,
        silent=False, broken=False, fields={}, rows=None, kept_characters=10,
        produced_characters=10))])  # fmt: skip
    assert [(loss.tool, loss.results, loss.calls) for loss in found] == [
        ("fetch_invoices", 2, 2),
        ("other", 1, 1),
    ]
    cut = found[0]
    assert (cut.kept, cut.produced, cut.rows) == (2 * DELIVERED, 2 * PRODUCED, (22, 96))
    assert cut.missing == ["note"]
    assert cut.partial == {"memo": (22, 96)}
    assert cut.reply == "So be it."


def test_the_page_names_the_cut_result_how_much_arrived_and_what_did_not():
    text = shown([turn(pair())])
    for expected in ("fetch_invoices", "1,500 of 6,441", "23 %", "11 of 48", "note", "silent"):
        assert expected in text
    assert "was cut (prefix slice) in its one call" in text
    assert "So be it." in text


def test_what_was_not_seen_is_no_number():
    unseen = pair(state="unobservable", strategy=None, silent=False, broken=None, fields={},
                  rows=None, kept_characters=None, produced_characters=None,
                  delivered_characters=None, reason="content_off")  # fmt: skip
    (loss,) = losses([turn(unseen)])
    assert (loss.kept, loss.share, percent(loss)) == (None, None, "–")
    text = shown([turn(unseen)])
    assert "content_off" in text
    assert "0 of" not in text.partition("Replies that")[0]


@pytest.mark.parametrize(
    ("kept", "produced", "expected"),
    [(1, 1000, "< 1 %"), (0, 10, "0 %"), (9999, 10000, "99 %"), (10, 10, "100 %")],
)
def test_shares_are_never_rounded_to_all_or_nothing(kept, produced, expected):
    found = losses([turn(pair(kept_characters=kept, produced_characters=produced))])
    assert percent(found[0]) == expected


def test_failing_replies_name_their_spans_and_the_reason():
    text = shown([turn(reply=REPLY, scores=[failed()]), turn(reply=REPLY, scores=[failed()])])
    assert "2 of 2 judged replies" in text
    assert text.count(REPLY) == 1, "equal replies are shown once"
    assert text.count("ab" * 16) == 2
    assert "What is W3?; it stands only in tool result" in text
    assert "W3 is unknown." in text


def test_wrong_offsets_do_not_lose_the_span():
    (reply,) = failing_replies([turn(reply=REPLY, scores=[failed(start=900, end=902)])])
    assert (reply.gaps[0].start, reply.gaps[0].end) == (4, 6)


def test_what_is_not_scored_is_not_failing():
    undecided = failed() | {"outcome": "unscored", "evidence": None}
    assert failing_replies([turn(reply=REPLY, scores=[undecided]), turn(reply=None)]) == []


@pytest.mark.parametrize("width", [20, 40, 70, 80, 99, 100, 103, 110, 130, 200])
def test_every_width_shows_everything(width):
    lines = shown([turn(pair(), reply=REPLY, scores=[failed()])], width).splitlines()
    words = re.sub(r"\s+", "", "".join(lines))
    expected = ("fetch_invoices", "1,500of6,441", "note", "prefixslice", "nolongerparses", "11of48")
    assert [word for word in expected if word not in words] == []
    addresses = [line for line in lines if "tellback_" in line or "http" in line]
    assert all(len(line.rstrip()) <= width for line in lines if line not in addresses)


def test_no_colour_where_there_is_no_terminal():
    assert "\x1b" not in shown([turn(pair(), reply=REPLY, scores=[failed()])])
    coloured = shown([turn(pair())], force_terminal=True, color_system="standard")
    assert "\x1b[" in coloured


def test_telemetry_cannot_draw_on_the_terminal():
    hostile = "\x1b[2J[red]x[/red] \u202egnp.exe\x07\x9b"
    text = shown([turn(pair(tool=hostile), reply=hostile + REPLY, scores=[failed()])])
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(text)
    assert "[red]x[/red]" in text
    assert plain("a\tb\r\nc") == "a b\nc"


def test_nothing_at_all_is_a_page_too():
    text = shown([])
    assert "No tool results arrived" in text
    assert "0 of 0 judged replies" in text


def test_ports_are_the_documented_ones_or_free_ones():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        with pytest.raises(UsageError, match=f"DEMO_HTTP_PORT: port {port} is taken"):
            choose_ports({"DEMO_HTTP_PORT": port})
    ports = choose_ports({})
    assert len({ports.grpc, ports.http, ports.admin}) == 3


@pytest.mark.parametrize("written", ["x", "0", "70000", "-1", "9" * 5000])
def test_ports_that_are_none(written):
    with pytest.raises(UsageError, match="DEMO_GRPC_PORT: expected a port"):
        choose_ports({"DEMO_GRPC_PORT": written})


def test_the_whole_demo(tmp_path):
    """Against a real sidecar, on any free ports, with what a shell might carry along."""
    picture = tmp_path / "demo.svg"
    environ = os.environ | {"OTEL_LOG_LEVEL": "nonsense", "http_proxy": "http://127.0.0.1:9"}
    command = [sys.executable, "-m", "collector", "demo", "--output", "json", "--svg", str(picture)]
    found = subprocess.run(
        command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False, timeout=150
    )
    assert found.returncode == 0, found.stderr
    document = json.loads(found.stdout)
    cut = next(loss for loss in document["losses"] if loss["tool"] == "fetch_invoices")
    # Four recordings, one fetch_invoices each, 1,500 characters of each delivered: see the README.
    assert (cut["state"], cut["results"], cut["kept"]) == ("cut", 4, 4 * DELIVERED)
    assert cut["produced"] == 4 * PRODUCED
    assert "note" in cut["missing"]
    assert any(reply["agent"] == "import-analyst" for reply in document["failing"])
    assert len({turn["conversation_id"] for turn in document["turns"]}) == len(RECORDINGS)
    assert {turn["agent"] for turn in document["turns"]} == {"billing-assistant", "import-analyst"}
    assert len(document["turns"]) == document["sent"]["traces"]
    shown = {line.partition("{")[0] for line in document["metrics"]}
    assert len(shown) == 3, "one example of each metric, for each version of the agent"
    svg = picture.read_text(encoding="utf-8")
    assert "fetch_invoices" in svg.replace("&#160;", " ")
    assert ET.fromstring(svg).tag.endswith("svg")
    assert "url(http" not in svg, "a picture loads nothing"
    admin = dict(document["addresses"])["metrics"]
    port = int(re.search(r":(\d+)/", admin)[1])
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0, "the sidecar was stopped"


def test_a_sidecar_that_cannot_start_leaves_its_last_words(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ports = replace(choose_ports({}), http=taken.getsockname()[1])
        with (
            pytest.raises(UsageError, match=r"did not start\n(.|\n)*receivers\.otlp\.http"),
            Sidecar(tmp_path, ports),
        ):
            pass


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_kept_demo_ends_in_order(tmp_path, number):
    environ = os.environ | {"DEMO_KEEP": "1"}
    command = [sys.executable, "-m", "collector", "demo", "--output", "json"]
    output = tmp_path / "output.json"
    with (
        output.open("wb") as stdout,
        subprocess.Popen(
            command, cwd=tmp_path, env=environ, stdout=stdout, stderr=subprocess.PIPE, text=True
        ) as process,
    ):
        said = []
        for line in process.stderr:
            said.append(line)
            if "keeps running" in line:
                break
        port = int(re.search(r"metrics and page (\d+)", said[0])[1])
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", port)) == 0
        process.send_signal(number)
        assert process.wait(60) == 0
    assert json.loads(output.read_bytes())["turns"]
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0
