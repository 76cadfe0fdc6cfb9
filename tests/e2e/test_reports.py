"""Faults that were reported of systems like ours: each is sent to a live receiver, and read from
its files. What the words of `expected.json` mean is written at the checks below."""

import asyncio
import json
from pathlib import Path

import httptools
import pytest

from collector.assembly.settings import TurnsConfig
from collector.errors import Permanent
from collector.ledger.record import turn_record
from collector.ledger.totals import Totals
from collector.pipeline import default_pipeline
from collector.receivers import file
from collector.receivers.otlp_http import OtlpHttp, OtlpHttpConfig
from exports import Recorder, serving

CASES = sorted((Path(__file__).parents[1] / "golden" / "reports").glob("*/expected.json"))


class Silent:
    def received(self, receiver, signal, dialect, count):
        pass

    def dropped(self, reason, count):
        pass


def new_pipeline():
    return default_pipeline(TurnsConfig(), clock=lambda: 0.0, observer=Silent())


def finish(pipeline):
    """Close every turn and return the document that `replay` would print."""
    totals, turns = Totals(), []
    for closing in pipeline.due(final="quiet"):
        closed, entries = pipeline.finish(closing)
        pipeline.done(closed)
        for entry in entries:
            totals.add(entry)
            turns.append(turn_record(entry))
    counted = totals.as_dict(spans=pipeline.spans, log_records=pipeline.log_records)
    return {"turns": turns, "totals": counted}


def bodies(folder):
    return [path for path in sorted(folder.iterdir()) if path.name[0].isdigit()]


async def post(port, path, body, headers, *, chunked=False):
    """Send one request over a plain connection, so that the framing is ours to choose."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    framing = {"transfer-encoding": "chunked"} if chunked else {"content-length": len(body)}
    head = "".join(f"{k}: {v}\r\n" for k, v in {**headers, **framing, "host": "x"}.items())
    writer.write(f"POST {path} HTTP/1.1\r\n{head}connection: close\r\n\r\n".encode())
    if chunked:
        for at in range(0, len(body), 700):
            piece = body[at : at + 700]
            writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        body = b"0\r\n\r\n"
    writer.write(body)
    answer = await reader.read()
    writer.close()

    class Answer:
        content = b""

        def on_body(self, piece):
            self.content += piece

    told = Answer()
    parser = httptools.HttpResponseParser(told)
    parser.feed_data(answer)
    return parser.get_status_code(), told.content


async def send_all(folder, case, pipeline):
    recorder = Recorder()

    async def consume(batch):
        pipeline.consume(batch)

    statuses = []
    settings = OtlpHttpConfig(endpoint="127.0.0.1:0", max_inflated_bytes=16 << 20)
    async with serving(OtlpHttp, settings, recorder, consume) as server:
        for path in bodies(folder):
            asked = case.get("request", {})
            asked = asked.get(path.name, asked)
            kind = "application/json" if path.suffix == ".json" else "application/x-protobuf"
            headers = {"content-type": asked.get("content_type", kind)}
            if asked.get("content_encoding"):
                headers["content-encoding"] = asked["content_encoding"]
            target = "/v1/logs" if "-logs." in path.name else "/v1/traces"
            chunked = asked.get("transfer_encoding") == "chunked"
            status, _ = await post(server.port, target, path.read_bytes(), headers, chunked=chunked)
            statuses.append(status)
    return statuses


def holds(expect, document, statuses):
    """Return what of an expectation does not hold."""
    turns, totals = document["turns"], document["totals"]
    wrong = []
    opened = next((t for t in turns if t["request"]), turns[0] if turns else None)

    def check(what, *, ok):
        if not ok:
            wrong.append(f"{what}: {expect.get(what)!r}")

    replies = [turn["reply"] or "" for turn in turns]
    requests = [turn["request"] or "" for turn in turns]
    results = [pair for turn in turns for pair in turn["tool_results"]]
    simple = {
        "http_status": lambda v: all(status == v for status in statuses),
        "http_status_any_of": lambda v: not statuses or statuses[0] in v,
        "next_request_http_status": lambda v: not statuses or statuses[-1] == v,
        "spans_kept": lambda v: totals["spans"] == v,
        "turns": lambda v: len(turns) == v,
        "turns_with_request": lambda v: sum(t["request"] is not None for t in turns) == v,
        "turns_without_request": lambda v: totals["turns_without_request"] == v,
        "request_contains": lambda v: v in requests[turns.index(opened)],
        "request_not_contains": lambda v: v not in requests[turns.index(opened)],
        "no_request_contains": lambda v: not any(v in text for text in requests),
        "requests": lambda v: sorted(requests) == sorted(v),
        "replies": lambda v: sorted(replies) == sorted(v),
        "request_equals": lambda v: requests[turns.index(opened)] == v,
        "reply_contains": lambda v: any(v in text for text in replies),
        "reply_not_contains": lambda v: not any(v in text for text in replies),
        "reply_equals": lambda v: replies[turns.index(opened)] == v,
        "reply_not_equals": lambda v: v not in replies,
        "reply_json": lambda v: json.loads(replies[0]) == v,
        "conversation_id": lambda v: opened["conversation_id"] == v,
        "agent": lambda v: opened["agent"] == v,
        "input_tokens": lambda v: opened["input_tokens"] == v,
        "input_tokens_any_of": lambda v: opened["input_tokens"] in v,
        "output_tokens": lambda v: opened["output_tokens"] == v,
        "model_calls": lambda v: opened["model_calls"] == v,
        "tool_errors": lambda v: opened["tool_errors"] == v,
        "tool_results_count": lambda v: len(results) == v,
        "tool_results": lambda v: all(any(matches(want, r) for r in results) for want in v),
        "tool_results_contains": lambda v: any(matches(v, r) for r in results),
        "tool_results_states": lambda v: [r["state"] for r in results] == v,
        "tool_results_not": lambda v: not any(r["state"] in v["state"] for r in results),
        "empty_replies": lambda v: totals["empty_replies"] == v,
        "scored_replies": lambda v: scored(turns) == v,
        "scored_replies_max": lambda v: scored(turns) <= v,
        "replies_sampled": lambda v: scored(turns) == v,
        "any_of": lambda v: any(not holds(one, document, statuses) for one in v),
    }
    for what, value in expect.items():
        if what in simple:
            check(what, ok=simple[what](value))
    return wrong


def scored(turns):
    return sum(turn["states"]["lexical_reader"] == "scored" for turn in turns)


def matches(want, pair):
    if pair["tool"] != want["tool"]:
        return False
    if "call_id" in want and pair["call_id"] != want["call_id"]:
        return False
    if "state" in want and pair["state"] != want["state"]:
        return False
    if "state_any_of" in want and pair["state"] not in want["state_any_of"]:
        return False
    return pair["state"] not in want.get("state_not", ())


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.parent.name)
def test_sent_to_a_live_receiver(path):
    case = json.loads(path.read_text())
    pipeline = new_pipeline()
    statuses = asyncio.run(send_all(path.parent, case, pipeline))
    document = finish(pipeline)
    json.dumps(document, allow_nan=False).encode("utf-8")
    if "http_status" not in case["expect"] and "any_of" not in case["expect"]:
        case["expect"].setdefault("http_status_any_of", [200])
    assert holds(case["expect"], document, statuses) == []
    assert all(status < 429 for status in statuses), "a retry would be refused for ever"


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.parent.name)
def test_read_from_files(path):
    case = json.loads(path.read_text())
    pipeline = new_pipeline()
    for body in bodies(path.parent):
        try:
            batches = list(file.read(body))
        except Permanent as error:
            told = str(error) if case.get("malformed_on_purpose") else ""
            if body.name not in told:
                raise
            continue
        for batch in batches:
            pipeline.consume(batch)
    assert holds(case["expect"], finish(pipeline), []) == []


def test_the_checks_can_fail():
    """Every kind of expectation, turned round, is found wrong."""
    folder = next(path.parent for path in CASES if path.parent.name.startswith("22-"))
    pipeline = new_pipeline()
    for body in bodies(folder):
        for batch in file.read(body):
            pipeline.consume(batch)
    document = finish(pipeline)
    wrong = {
        "spans_kept": 7,
        "turns": 2,
        "model_calls": 4,
        "input_tokens": 400,
        "reply_contains": "32 parcels",
        "request_equals": "x",
        "conversation_id": "y",
        "tool_results": [{"tool": "parcels", "state": "cut"}],
        "tool_results_count": 3,
    }
    assert len(holds(wrong, document, [200])) == len(wrong)


def test_copies_sent_after_the_turn_was_closed():
    """Report 19 asks for it: post the copy after the first, and again after the turn closed."""
    folder = next(path.parent for path in CASES if path.parent.name.startswith("19-"))
    pipeline = new_pipeline()
    batches = [batch for body in bodies(folder) for batch in file.read(body)]
    for batch in batches:
        pipeline.consume(batch)
    assert len(finish(pipeline)["turns"]) == 1
    for batch in batches:
        pipeline.consume(batch)
    assert finish(pipeline)["turns"] == []
