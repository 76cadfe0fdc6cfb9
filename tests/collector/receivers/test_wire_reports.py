"""What broke receivers like ours, by public report: `source` in each case's expected.json."""

import asyncio
import json
from pathlib import Path

import httpx
import pytest

from collector.receivers.otlp_http import OtlpHttp, OtlpHttpConfig
from exports import Recorder, serving

REPORTS = Path(__file__).parents[2] / "golden" / "reports"
CASES = sorted(
    path.parent
    for path in REPORTS.glob("*/expected.json")
    if json.loads(path.read_text())["kind"] == "wire"
)
TYPES = {".json": "application/json", ".pb": "application/x-protobuf"}


def headers_of(path, request):
    given = request.get(path.name, request)
    headers = {"content-type": given.get("content_type") or TYPES[path.suffix]}
    if "content_encoding" in given:
        headers["content-encoding"] = given["content_encoding"]
    return headers


async def chunks(body):
    for start in range(0, len(body), 700):
        yield body[start : start + 700]


def post_all(case, expected):
    """POST every file of a case; return the statuses and what was kept."""
    recorder = Recorder()
    request = expected.get("request", {})

    async def run():
        answers = []
        # The limit that the bomb's case asks for; every other body is far below.
        config = OtlpHttpConfig(endpoint="127.0.0.1:0", max_inflated_bytes=16 << 20)
        async with (
            serving(OtlpHttp, config, recorder) as server,
            httpx.AsyncClient(base_url=f"http://127.0.0.1:{server.port}") as client,
        ):
            for path in sorted(case.glob("0*")):
                body = path.read_bytes()
                content = chunks(body) if request.get("transfer_encoding") else body
                headers = headers_of(path, request)
                answers.append(await client.post("/v1/traces", content=content, headers=headers))
        return answers

    return asyncio.run(run()), recorder


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_report(case):
    expected = json.loads((case / "expected.json").read_text())
    expect = expected["expect"]
    answers, recorder = post_all(case, expected)
    statuses = [answer.status_code for answer in answers]
    kept = {(span.trace_id, span.span_id) for span in recorder.records}
    if "next_request_http_status" in expect:
        assert statuses[0] in expect["http_status_any_of"]
        assert statuses[1:] == [expect["next_request_http_status"]]
        return
    # Of alternatives, the first is the one that keeps the spans.
    expect = expect | expect.get("any_of", [{}])[0]
    assert set(statuses) == {expect["http_status"]}
    assert len(kept) == expect["spans_kept"]
    for answer in answers:
        assert answer.headers["content-type"] == answer.request.headers["content-type"]
    for span in recorder.records:
        json.dumps([span.name, span.attributes], default=str, ensure_ascii=False).encode()
        assert span.attributes
        assert span.resource.text("service.name") == "desk-bot"
