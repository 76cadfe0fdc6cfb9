"""What HTTP allows senders to do, and what it obliges the receiver to answer."""

import asyncio
import contextlib
import gzip
import json
import zlib

import httpx
import pytest
from google.rpc.status_pb2 import Status

from collector import connection, receiver
from collector.receivers.otlp_http import OtlpHttp, OtlpHttpConfig
from exports import Recorder, json_span, json_traces, serving, traces

BODY = traces(4).SerializeToString()
PROTOBUF = {"content-type": "application/x-protobuf"}
JSON = {"content-type": "application/json"}
MIB = 1 << 20


def serve(scenario, recorder=None, **settings):
    """Run `scenario(client, recorder)`; return what it returns."""
    recorder = recorder or Recorder()

    async def run():
        config = OtlpHttpConfig(endpoint="127.0.0.1:0", **settings)
        async with (
            serving(OtlpHttp, config, recorder) as server,
            httpx.AsyncClient(base_url=f"http://127.0.0.1:{server.port}") as client,
        ):
            return await scenario(client, recorder)

    return asyncio.run(run())


def post(path="/v1/traces", method="POST", recorder=None, settings=None, **sent):
    async def scenario(client, recorder):
        answer = await client.request(method, path, **sent)
        # Whatever came before, the server lives and takes the next one.
        after = await client.post("/v1/traces", content=BODY, headers=PROTOBUF)
        assert after.status_code == 200
        recorder.accepted_by["otlp_http", "traces"] -= 4
        return answer, recorder

    return serve(scenario, recorder, **(settings or {}))


def raw(data, recorder=None, **settings):
    """Send bytes as they are; return all that is answered until the server closes."""

    async def scenario(client, recorder):
        reader, writer = await asyncio.open_connection("127.0.0.1", client.base_url.port)
        for piece in data if isinstance(data, list) else [data]:
            writer.write(piece)
            await writer.drain()
        answer = await reader.read()
        writer.close()
        await writer.wait_closed()
        return answer, recorder

    return serve(scenario, recorder, **settings)


@pytest.mark.parametrize(
    "content_type",
    ["application/json", "Application/JSON; charset=utf-8", "application/json;charset=UTF-8"],
)
def test_json_is_answered_in_json(content_type):
    headers = {"content-type": content_type}
    answer, recorder = post(content=json_traces(json_span()), headers=headers)
    assert (answer.status_code, answer.json()) == (200, {})
    assert answer.headers["content-type"] == "application/json"
    assert recorder.accepted_by["otlp_http", "traces"] == 1


def test_a_partial_success_in_json_counts_in_text():
    """64-bit integers are texts in proto3 JSON."""
    answer, _ = post(content=json_traces(json_span(), {"traceId": "x"}), headers=JSON)
    partial = answer.json()["partialSuccess"]
    assert partial["rejectedSpans"] == "1"
    assert "traceId is 'x', expected 32 hex digits" in partial["errorMessage"]


def test_a_partial_success_of_logs_has_its_own_name():
    body = b'{"resourceLogs": [{"scopeLogs": [{"logRecords": [5, {}]}]}]}'
    answer, _ = post("/v1/logs", content=body, headers=JSON)
    assert answer.json()["partialSuccess"]["rejectedLogRecords"] == "1"


@pytest.mark.parametrize(
    ("sent", "status", "reason"),
    [
        ({"path": "/v1/trace"}, 404, "unknown_path"),
        ({"path": "/"}, 404, "unknown_path"),
        ({"path": "/v1/metrics", "content": b"x"}, 404, "unsupported_signal"),
        ({"method": "GET"}, 405, "method"),
        ({"method": "PUT", "content": BODY}, 405, "method"),
        ({"headers": {}}, 415, "unsupported_media_type"),
        ({"headers": {"content-type": "text/plain"}}, 415, "unsupported_media_type"),
        ({"headers": PROTOBUF | {"content-encoding": "zstd"}}, 415, "unsupported_encoding"),
        ({"headers": PROTOBUF | {"content-encoding": "gzip, gzip"}}, 415, "unsupported_encoding"),
        ({"content": b"hello"}, 400, "malformed"),
        ({"headers": JSON, "content": b'{"resourceSpans": ['}, 400, "malformed"),
        ({"headers": JSON, "content": b"[1,2,3]"}, 400, "malformed"),
        ({"headers": JSON, "content": b"[" * 100_000}, 400, "malformed"),
        ({"headers": PROTOBUF | {"content-encoding": "gzip"}}, 400, "malformed"),
        (
            {
                "headers": PROTOBUF | {"content-encoding": "gzip"},
                "content": gzip.compress(BODY)[:-5],
            },
            400,
            "malformed",
        ),
        ({"content": bytes(2 * MIB)}, 413, "too_large"),
        (
            {
                "headers": PROTOBUF | {"content-encoding": "gzip"},
                "content": gzip.compress(bytes(2 * MIB)),
            },
            413,
            "too_large",
        ),
    ],
)
def test_refusals_have_a_status_a_reason_and_a_body_in_the_content_type(sent, status, reason):
    sent = {"content": BODY, "headers": PROTOBUF} | sent
    limits = {"max_body_bytes": MIB, "max_inflated_bytes": MIB}
    answer, recorder = post(settings=limits, **sent)
    assert answer.status_code == status
    ((_, _, counted),) = recorder.refused_by
    assert (counted, recorder.refused_by.total()) == (reason, 1)
    if sent["headers"].get("content-type") == PROTOBUF["content-type"]:
        assert answer.headers["content-type"] == PROTOBUF["content-type"]
        assert Status.FromString(answer.content).message
    else:
        assert answer.headers["content-type"] == "application/json"
        assert set(answer.json()) == {"code", "message"}
    assert (answer.headers.get("allow") == "POST") == (status == 405)
    assert "retry-after" not in answer.headers


@pytest.mark.parametrize(
    ("coding", "compress"),
    [
        ("gzip", gzip.compress),
        ("GZIP", gzip.compress),
        ("x-gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("identity", bytes),
        ("", bytes),
    ],
)
def test_content_codings(coding, compress):
    headers = PROTOBUF | {"content-encoding": coding}
    answer, recorder = post(content=compress(BODY), headers=headers)
    assert answer.status_code == 200
    assert recorder.batches[0].body == BODY


@pytest.mark.parametrize("headers", [PROTOBUF, PROTOBUF | {"content-encoding": "gzip"}])
def test_a_chunked_body_without_content_length(headers):
    body = gzip.compress(BODY) if "content-encoding" in headers else BODY

    async def pieces():
        for start in range(0, len(body), 100):
            yield body[start : start + 100]

    answer, recorder = post(content=pieces(), headers=headers)
    assert answer.request.headers["transfer-encoding"] == "chunked"
    assert answer.status_code == 200
    assert recorder.accepted_by["otlp_http", "traces"] == 4


def test_the_limit_holds_for_chunked_bodies_too():
    async def pieces():
        for _ in range(40):
            yield bytes(100_000)

    answer, _ = post(content=pieces(), headers=PROTOBUF, settings={"max_body_bytes": MIB})
    assert answer.status_code == 413


def test_what_was_refused_is_not_held_by_its_connection():
    async def pieces():
        for _ in range(40):
            yield bytes(100_000)

    async def run():
        config = OtlpHttpConfig(endpoint="127.0.0.1:0", max_body_bytes=MIB)
        async with (
            serving(OtlpHttp, config, Recorder()) as server,
            httpx.AsyncClient(base_url=f"http://127.0.0.1:{server.port}") as client,
        ):
            answer = await client.post("/v1/traces", content=pieces(), headers=PROTOBUF)
            (held,) = server._server.server_state.connections
            return answer.status_code, held._incoming._pieces

    assert asyncio.run(run()) == (413, [])


def test_an_oversize_body_is_refused_before_it_is_sent():
    head = b"POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-protobuf\r\n"
    head += b"content-length: 9000000000\r\nexpect: 100-continue\r\n\r\n"
    answer, _ = raw(head)
    assert answer.startswith(b"HTTP/1.1 413 ")


def test_an_offer_of_http2_is_not_taken_up_and_loses_no_body():
    """Java's HTTP client offers it on every plain connection."""
    offer = {"connection": "Upgrade, HTTP2-Settings", "upgrade": "h2c", "http2-settings": "AAMA"}
    answer, recorder = post(content=BODY, headers=PROTOBUF | offer)
    assert answer.status_code == 200
    assert recorder.accepted_by["otlp_http", "traces"] == 4


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01\x02\x00\x01\x00",  # TLS, sent to the wrong port
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",  # gRPC, likewise
        b"POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-length: -5\r\n\r\n",
        b"POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
        b"CONNECT example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n",  # this is no proxy
        b"POST http://[::1/v1/traces HTTP/1.1\r\nhost: x\r\n\r\n",
        b"POST /v1/tr\xff HTTP/1.1\r\nhost: x\r\n\r\n",
    ],
)
def test_what_is_no_http_1_is_refused_and_counted(data):
    answer, recorder = raw(data)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert recorder.refused_by == {("otlp_http", "unknown", "malformed"): 1}


def test_a_body_of_bad_chunks_is_counted_once():
    head = b"POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"

    async def scenario(client, recorder):
        reader, writer = await asyncio.open_connection("127.0.0.1", client.base_url.port)
        writer.write(head + b"transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n")
        answer = await reader.read()
        writer.close()
        return answer, recorder

    answer, recorder = serve(scenario)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert recorder.refused_by == {("otlp_http", "traces", "disconnected"): 1}


def test_a_head_without_end_is_cut_off_and_counted():
    data = [b"POST /v1/traces HTTP/1.1\r\n"] + [b"x: " + b"y" * 5000 + b"\r\n"] * 20
    answer, recorder = raw(data)
    assert answer.startswith(b"HTTP/1.1 431 ")
    assert recorder.refused_by == {("otlp_http", "unknown", "too_large"): 1}


@pytest.mark.parametrize(
    ("data", "status", "reason"),
    [
        # In one piece: whole by the time anybody looks at it.
        (b"POST /%s HTTP/1.1\r\n\r\n" % (b"x" * 10_000), 414, "too_large"),
        (b"POST /v1/traces HTTP/1.1\r\n" + b"x: y\r\n" * 101 + b"\r\n", 431, "too_large"),
        (b"POST / HTTP/1.1\r\nx: %s\r\n\r\n" % (b"y" * 40_000), 431, "too_large"),
    ],
)
def test_a_head_has_limits(data, status, reason):
    answer, recorder = raw(data)
    assert answer.startswith(b"HTTP/1.1 %d " % status)
    assert recorder.refused_by == {("otlp_http", "unknown", reason): 1}


def test_a_body_of_tiny_chunks_is_cut_off():
    head = b"POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
    answer, recorder = raw(head + b"transfer-encoding: chunked\r\n\r\n" + b"1\r\n \r\n" * 2000)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert recorder.refused_by == {("otlp_http", "traces", "disconnected"): 1}


@pytest.mark.parametrize(
    "endless",
    [b"2\r\n{}\r\n0\r\nx: ", b"2\r\n{}\r\n0\r\n", b"2;", b"0"],
    ids=["trailer", "trailer's name", "chunk extension", "chunk size"],
)
def test_what_stands_around_chunks_has_an_end(endless):
    """The parser keeps a header behind the body, however long it is: 100 MB took a second each."""
    head = b"POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"

    async def scenario(client, recorder):
        reader, writer = await asyncio.open_connection("127.0.0.1", client.base_url.port)
        writer.write(head + b"transfer-encoding: chunked\r\n\r\n" + endless)
        sent = 0
        with contextlib.suppress(ConnectionError):
            while sent < 64 * MIB and not reader.at_eof():
                writer.write(b"0" * MIB)
                sent += MIB
                await writer.drain()
                await asyncio.sleep(0)
        writer.close()
        return sent, recorder

    sent, recorder = serve(scenario)
    assert sent < 32 * MIB
    assert recorder.refused_by == {("otlp_http", "traces", "disconnected"): 1}


def test_many_honest_chunks_and_a_trailer_are_taken():
    body = BODY * 100
    head = b"POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-protobuf\r\n"
    head += b"connection: close\r\ntransfer-encoding: chunked\r\n\r\n"
    chunks = [body[start : start + 70] for start in range(0, len(body), 70)]
    data = b"".join(b"%x;name=value\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks)
    answer, recorder = raw([head, data, b"0\r\nx: y\r\n\r\n"])
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert recorder.accepted_by["otlp_http", "traces"] == 400


def test_requests_that_wait_for_no_answer_are_cut_off(caplog):
    answer, recorder = raw(b"GET /x HTTP/1.1\r\nhost: x\r\n\r\n" * 100)
    assert b"HTTP/1.1 429 " in answer
    assert b"retry-after: 1\r\n" in answer
    assert not caplog.records, "the first one was answered on a closed connection"
    assert recorder.refused_by["otlp_http", "unknown", "pipelined"] == 1


def test_a_connection_beyond_the_most_is_refused_where_all_are_busy(monkeypatch):
    monkeypatch.setattr("collector.receiver.MOST_CONNECTIONS", 2)
    half = b"POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"

    async def scenario(client, recorder):
        busy = []
        for _ in range(2):
            reader, writer = await asyncio.open_connection("127.0.0.1", client.base_url.port)
            writer.write(half + b"expect: 100-continue\r\ncontent-length: 9\r\n\r\n")
            assert await reader.readline() == b"HTTP/1.1 100 Continue\r\n"
            busy.append(writer)
        reader, writer = await asyncio.open_connection("127.0.0.1", client.base_url.port)
        answer = await reader.read()
        for each in (*busy, writer):
            each.close()
        return answer, dict(recorder.refused_by)

    answer, refused = serve(scenario)
    assert answer.startswith(b"HTTP/1.1 503 ")
    assert b"retry-after: 1\r\n" in answer
    assert refused == {("otlp_http", "unknown", "too_many_connections"): 1}


def test_a_slow_head_is_cut_off_and_counted(monkeypatch):
    monkeypatch.setattr(connection, "_HEAD_SECONDS", 0.05)
    answer, recorder = raw(b"POST /v1/traces HTTP/1.1\r\nhost:")
    assert answer == b""
    assert recorder.refused_by == {("otlp_http", "unknown", "slow_head"): 1}


def test_a_slow_body_may_be_sent_again(monkeypatch):
    monkeypatch.setattr(receiver, "_BODY_SECONDS", 0.05)
    head = b"POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
    head += b"connection: close\r\ncontent-length: 100\r\n\r\n{"
    answer, recorder = raw(head)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"retry-after: 1\r\n" in answer
    assert recorder.refused_by == {("otlp_http", "traces", "slow_body"): 1}


def test_a_sender_that_goes_away_is_counted():
    async def scenario(client, recorder):
        _, writer = await asyncio.open_connection("127.0.0.1", client.base_url.port)
        writer.write(b"POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n")
        writer.write(b"content-type: application/json\r\n\r\n{")
        await writer.drain()
        writer.close()
        await writer.wait_closed()
        async with asyncio.timeout(10):
            while not recorder.refused_by:  # noqa: ASYNC110 - no event marks the server's view
                await asyncio.sleep(0.005)
        return recorder.refused_by

    assert serve(scenario) == {("otlp_http", "traces", "disconnected"): 1}


def test_answers_say_nothing_about_the_server():
    answer, _ = post(content=BODY, headers=PROTOBUF)
    assert set(answer.headers) == {"content-type", "content-length"}
    assert json.loads(post(path="/x", content=b"")[0].content)["code"] == 5  # NOT_FOUND
