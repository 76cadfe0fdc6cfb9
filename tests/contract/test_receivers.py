"""What every receiver of requests owes its senders and its process."""

import asyncio
import gzip
import logging

import grpc
import grpc.aio
import httpx
import pytest
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from collector import in_flight
from collector.errors import ConfigError, Permanent, Retryable
from collector.in_flight import InFlight
from collector.receivers.otlp_grpc import OtlpGrpc, OtlpGrpcConfig
from collector.receivers.otlp_http import OtlpHttp, OtlpHttpConfig
from exports import Recorder, logs, serving, traces

RESPONSES = {"traces": ExportTraceServiceResponse, "logs": ExportLogsServiceResponse}
MIB = 1 << 20


class Http:
    """An exporter over HTTP. Outcomes are named as gRPC names them, whatever the transport."""

    name = "otlp_http"
    receiver = OtlpHttp
    outcomes = {  # noqa: RUF012 - a table
        200: "OK",
        400: "INVALID_ARGUMENT",
        413: "RESOURCE_EXHAUSTED",
        429: "RESOURCE_EXHAUSTED",
        500: "INTERNAL",
        503: "UNAVAILABLE",
    }

    def __init__(self, port):
        self.client = httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=30)

    async def close(self):
        await self.client.aclose()

    @staticmethod
    def settings(endpoint="127.0.0.1:0", limit=64 * MIB):
        return OtlpHttpConfig(endpoint=endpoint, max_body_bytes=limit, max_inflated_bytes=limit)

    async def send(self, body, signal="traces", *, compressed=False):
        """Return outcome, response or Status, and seconds to wait before trying again."""
        headers = {"content-type": "application/x-protobuf"}
        if compressed:
            body = gzip.compress(body)
            headers["content-encoding"] = "gzip"
        answer = await self.client.post(f"/v1/{signal}", content=body, headers=headers)
        assert answer.headers["content-type"] == "application/x-protobuf"
        message = RESPONSES[signal] if answer.status_code == 200 else Status
        wait = answer.headers.get("retry-after")
        return (
            self.outcomes[answer.status_code],
            message.FromString(answer.content),
            wait and float(wait),
        )


class Grpc:
    """An exporter over gRPC."""

    name = "otlp_grpc"
    receiver = OtlpGrpc

    def __init__(self, port):
        # A channel of its own for every exporter, as separate processes have.
        options = [("grpc.use_local_subchannel_pool", 1)]
        self.channel = grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=options)

    async def close(self):
        await self.channel.close()

    @staticmethod
    def settings(endpoint="127.0.0.1:0", limit=64 * MIB):
        return OtlpGrpcConfig(endpoint=endpoint, max_message_bytes=limit)

    async def send(self, body, signal="traces", *, compressed=False):
        service = {"traces": "trace.v1.TraceService", "logs": "logs.v1.LogsService"}[signal]
        call = self.channel.unary_unary(f"/opentelemetry.proto.collector.{service}/Export")
        compression = grpc.Compression.Gzip if compressed else None
        try:
            answer = await call(body, compression=compression)
        except grpc.aio.AioRpcError as error:
            details = dict(error.trailing_metadata()).get("grpc-status-details-bin", b"")
            status = Status.FromString(details)
            wait = None
            for detail in status.details:
                info = RetryInfo()
                assert detail.Unpack(info)
                wait = info.retry_delay.ToTimedelta().total_seconds()
            return error.code().name, status, wait
        return "OK", RESPONSES[signal].FromString(answer), None


@pytest.fixture(params=[Http, Grpc], ids=lambda transport: transport.name)
def transport(request):
    return request.param


def exchange(transport, scenario, recorder=None, **settings):
    """Run `scenario(exporter, recorder)` against a receiver that is really listening."""
    recorder = recorder or Recorder()

    async def run():
        async with serving(transport.receiver, transport.settings(**settings), recorder) as server:
            exporter = transport(server.port)
            try:
                return await scenario(exporter, recorder)
            finally:
                await exporter.close()

    return asyncio.run(run())


def send_all(transport, *requests, recorder=None, **settings):
    """Send one request after the other; return the outcomes and the recorder."""

    async def scenario(exporter, recorder):
        return [await exporter.send(**request) for request in requests], recorder

    return exchange(transport, scenario, recorder, **settings)


GOOD = {"body": traces(4).SerializeToString()}


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize(("signal", "request_of"), [("traces", traces), ("logs", logs)])
def test_a_good_request(transport, signal, request_of, compressed):
    body = request_of(3).SerializeToString()
    request = {"body": body, "signal": signal, "compressed": compressed}
    [(outcome, response, _)], recorder = send_all(transport, request)
    assert outcome == "OK"
    assert not response.HasField("partial_success")
    (batch,) = recorder.batches
    assert (batch.signal, batch.receiver, batch.body) == (signal, transport.name, body)
    assert len(batch.records) == 3
    assert recorder.accepted_by == {(transport.name, signal): 3}
    assert not recorder.refused_by


def test_an_empty_request_is_fine_and_nothing_is_handed_on(transport):
    [(outcome, _, _)], recorder = send_all(transport, {"body": b""})
    assert outcome == "OK"
    assert not recorder.batches


def test_a_malformed_request_is_refused_for_good_and_the_next_is_served(transport):
    bad = {"body": GOOD["body"][:-5]}
    [(outcome, status, wait), (after, _, _)], recorder = send_all(transport, bad, GOOD)
    assert (outcome, after, wait) == ("INVALID_ARGUMENT", "OK", None)
    assert status.code == 3  # google.rpc.Code.INVALID_ARGUMENT
    assert "ExportTraceServiceRequest" in status.message
    assert recorder.refused_by == {(transport.name, "traces", "malformed"): 1}


def test_refused_spans_are_reported_and_their_neighbours_are_kept(transport):
    request = traces(5)
    spans = request.resource_spans[0].scope_spans[0].spans
    spans[1].trace_id = b"short"
    spans[3].span_id = bytes(8)
    [(outcome, response, _)], recorder = send_all(transport, {"body": request.SerializeToString()})
    assert outcome == "OK"
    assert response.partial_success.rejected_spans == 2
    assert "trace id has 5 bytes, expected 16" in response.partial_success.error_message
    assert [span.name for span in recorder.records] == ["chat 0", "chat 2", "chat 4"]
    assert recorder.accepted_by == {(transport.name, "traces"): 3}
    assert recorder.refused_by == {(transport.name, "traces", "invalid_id"): 2}


@pytest.mark.parametrize("compressed", [False, True])
def test_a_request_beyond_the_limit_is_refused_for_good(transport, compressed):
    big = {"body": bytes([0x9A, 6, 0]) * MIB, "compressed": compressed}
    [(outcome, _, wait), (after, _, _)], recorder = send_all(transport, big, GOOD, limit=MIB)
    # Without retry information RESOURCE_EXHAUSTED is permanent, says OTLP.
    assert (outcome, after, wait) == ("RESOURCE_EXHAUSTED", "OK", None)
    assert recorder.refused_by == {(transport.name, "traces", "too_large"): 1}


def test_the_default_limit_takes_512_spans_of_100_kb(transport):
    body = traces(512, text="x" * 100_000).SerializeToString()
    [(outcome, _, _)], recorder = send_all(transport, {"body": body})
    assert outcome == "OK"
    assert len(recorder.records) == 512


def test_an_attribute_of_20_mb_and_10_000_spans(transport):
    one = {"body": traces(text="x" * 20_000_000).SerializeToString()}
    many = {"body": traces(10_000).SerializeToString()}
    outcomes, recorder = send_all(transport, one, many)
    assert [outcome for outcome, _, _ in outcomes] == ["OK", "OK"]
    assert len(recorder.records) == 10_001


@pytest.mark.parametrize(
    ("error", "outcome", "wait", "reason"),
    [
        (Retryable("full", retry_after=3), "RESOURCE_EXHAUSTED", 3, "pressure"),
        (Retryable("no disk", reason="storage"), "UNAVAILABLE", 1, "storage"),
        (Permanent("not wanted", reason="unwanted"), "INVALID_ARGUMENT", None, "unwanted"),
    ],
)
def test_what_the_consumer_raises_reaches_the_sender(transport, error, outcome, wait, reason):
    [(found, status, waited)], recorder = send_all(transport, GOOD, recorder=Recorder(fails=error))
    assert (found, waited, status.message) == (outcome, wait, str(error))
    assert recorder.refused_by == {(transport.name, "traces", reason): 4}
    assert not recorder.accepted_by


def test_an_unforeseen_error_is_counted_and_logged_without_content(transport, caplog):
    recorder = Recorder(fails=KeyError("secret"))
    with caplog.at_level(logging.ERROR, logger="collector"):
        [(outcome, status, _), _], _ = send_all(transport, GOOD, GOOD, recorder=recorder)
    assert outcome == "INTERNAL"
    assert recorder.refused_by == {(transport.name, "traces", "internal"): 8}
    assert "KeyError at" in caplog.text
    assert "secret" not in caplog.text + status.message


def test_a_hundred_exporters_at_once(transport):
    recorder = Recorder()

    async def twice(port):
        exporter = transport(port)
        try:
            return [(await exporter.send(**GOOD))[0] for _ in range(2)]
        finally:
            await exporter.close()

    async def run():
        async with (
            serving(transport.receiver, transport.settings(), recorder) as server,
            asyncio.TaskGroup() as group,
        ):
            tasks = [group.create_task(twice(server.port)) for _ in range(100)]
        return [outcome for task in tasks for outcome in task.result()]

    assert asyncio.run(run()) == ["OK"] * 200
    assert recorder.accepted_by == {(transport.name, "traces"): 800}


def test_too_many_bytes_in_flight_may_be_sent_again(transport, monkeypatch):
    monkeypatch.setattr(in_flight, "_WAIT_SECONDS", 0.2)
    recorder = Recorder()

    async def run():
        held, go = asyncio.Event(), asyncio.Event()

        async def consume(batch):
            held.set()
            await go.wait()
            await recorder.consume(batch)

        bound = InFlight(MIB)
        big = {"body": traces(text="x" * 700_000).SerializeToString()}
        settings = transport.settings(limit=MIB)
        async with (
            serving(transport.receiver, settings, recorder, consume, bound) as server,
            serving(OtlpHttp, Http.settings(limit=MIB), recorder, consume, bound) as other,
            asyncio.TaskGroup() as group,
        ):
            exporter, first = transport(server.port), Http(other.port)
            # The bound is one for all receivers: what holds the bytes came by HTTP.
            holds = group.create_task(first.send(**big))
            await held.wait()
            refused = await exporter.send(**big)
            waits = group.create_task(exporter.send(**big))
            await asyncio.sleep(0.05)
            go.set()
            outcomes = [(await holds)[0], refused, (await waits)[0]]
            await exporter.close()
            await first.close()
        return outcomes

    held, (outcome, _, wait), waited = asyncio.run(run())
    assert (held, outcome, waited) == ("OK", "RESOURCE_EXHAUSTED", "OK")
    assert wait >= 1
    assert recorder.refused_by == {(transport.name, "traces", "pressure"): 1}


def test_requests_under_way_are_answered_before_the_shutdown_ends(transport):
    recorder = Recorder()

    async def run():
        held, go = asyncio.Event(), asyncio.Event()

        async def consume(batch):
            held.set()
            await go.wait()
            await recorder.consume(batch)

        server = transport.receiver(transport.settings(), consume, recorder)
        await server.start()
        exporter = transport(server.port)
        async with asyncio.TaskGroup() as group:
            sent = group.create_task(exporter.send(**GOOD))
            await held.wait()
            down = group.create_task(server.shutdown(20))
            await asyncio.sleep(0)
            go.set()
        await exporter.close()
        assert down.done()
        return sent.result()[0]

    assert asyncio.run(run()) == "OK"
    assert len(recorder.records) == 4


def test_a_request_that_outlasts_the_deadline_may_be_sent_again(transport):
    recorder = Recorder()

    async def run():
        held = asyncio.Event()

        async def consume(_):
            held.set()
            await asyncio.Event().wait()

        server = transport.receiver(transport.settings(), consume, recorder)
        await server.start()
        exporter = transport(server.port)
        async with asyncio.TaskGroup() as group:
            sent = group.create_task(exporter.send(**GOOD))
            await held.wait()
            await server.shutdown(0.2)
        await exporter.close()
        return sent.result()[0]

    # Both are retryable in OTLP.
    assert asyncio.run(run()) in {"UNAVAILABLE", "CANCELLED"}
    assert not recorder.accepted_by
    assert sum(recorder.refused_by.values()) == 1


def test_a_receiver_opens_nothing_before_it_is_started_and_is_shut_down_at_any_time(transport):
    async def run():
        recorder = Recorder()
        server = transport.receiver(transport.settings(), recorder.consume, recorder)
        assert server.port == 0
        await server.shutdown(1)
        await server.start()
        assert server.port > 0
        await server.shutdown(1)
        await server.shutdown(1)
        with pytest.raises(OSError, match=r"refused|111"):
            await asyncio.open_connection("127.0.0.1", server.port)

    asyncio.run(run())


def test_a_port_in_use_is_a_configuration_error_that_names_it(transport):
    async def run():
        recorder = Recorder()
        async with serving(transport.receiver, transport.settings(), recorder) as server:
            endpoint = f"127.0.0.1:{server.port}"
            other = transport.receiver(transport.settings(endpoint), recorder.consume, recorder)
            with pytest.raises(ConfigError, match=endpoint):
                await other.start()
            await other.shutdown(1)

    asyncio.run(run())


@pytest.mark.parametrize("key", ["max_bytes", "port"])
def test_unknown_settings_are_errors(transport, key):
    with pytest.raises(ValueError, match=key):
        type(transport.settings())(**{key: 1})
