"""Independent senders: the OpenTelemetry SDK's own exporters, and rotel in front of us."""

import asyncio
import importlib.util
import socket
import subprocess
import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from opentelemetry._logs import LogRecord
from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter as GrpcLogs
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcSpans
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter as HttpLogs
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpSpans
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor

from collector.errors import Retryable
from collector.receivers.otlp_grpc import OtlpGrpc, OtlpGrpcConfig
from collector.receivers.otlp_http import OtlpHttp, OtlpHttpConfig
from exports import Recorder


class Receivers:
    """Both receivers in an event loop of their own, as the exporters block."""

    def __init__(self):
        self.recorder = Recorder()
        self.arrived = threading.Condition()
        self.retries = 0
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.thread.start()
        self.servers = [
            OtlpHttp(OtlpHttpConfig(endpoint="127.0.0.1:0"), self.consume, self.recorder),
            OtlpGrpc(OtlpGrpcConfig(endpoint="127.0.0.1:0"), self.consume, self.recorder),
        ]
        for server in self.servers:
            self.run(server.start())
        self.http, self.grpc = (server.port for server in self.servers)

    async def consume(self, batch):
        if self.retries:
            self.retries -= 1
            raise Retryable("later", retry_after=1)
        await self.recorder.consume(batch)
        with self.arrived:
            self.arrived.notify_all()

    def run(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(30)

    def wait_for(self, count):
        with self.arrived:
            assert self.arrived.wait_for(lambda: len(self.recorder.records) >= count, 30)
        return self.recorder.records

    def close(self):
        for server in self.servers:
            self.run(server.shutdown(5))
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()


@pytest.fixture
def receivers():
    found = Receivers()
    yield found
    found.close()


def span_exporter(transport, receivers):
    if transport == "grpc":
        return GrpcSpans(endpoint=f"127.0.0.1:{receivers.grpc}", insecure=True)
    url = f"http://127.0.0.1:{receivers.http}/v1/traces"
    return HttpSpans(endpoint=url, compression=Compression.Gzip)


def tracing(exporter, processor=SimpleSpanProcessor, **options):
    provider = TracerProvider(resource=Resource({"service.name": "desk-bot"}))
    provider.add_span_processor(processor(exporter, **options))
    return provider


@pytest.mark.parametrize("transport", ["grpc", "http"])
def test_spans_of_the_sdk(receivers, transport):
    provider = tracing(span_exporter(transport, receivers))
    tracer = provider.get_tracer("opentelemetry.util.genai", "1.3")
    with tracer.start_as_current_span("invoke_agent desk") as parent:
        parent.add_event("gen_ai.choice", {"index": 0})
        with tracer.start_as_current_span("chat lab-model-1") as child:
            child.set_attribute("gen_ai.usage.input_tokens", 100)
            child.set_attribute("gen_ai.response.finish_reasons", ["stop"])
            child.set_attribute("temperature", 0.5)
            child.set_attribute("text", "drei Säcke ✓")
    provider.shutdown()
    chat, agent = receivers.wait_for(2)
    assert (chat.name, agent.name) == ("chat lab-model-1", "invoke_agent desk")
    assert chat.trace_id == agent.trace_id == f"{parent.get_span_context().trace_id:032x}"
    assert chat.parent_id == agent.span_id
    assert agent.parent_id is None
    assert chat.attributes == {
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.response.finish_reasons": ["stop"],
        "temperature": 0.5,
        "text": "drei Säcke ✓",
    }
    assert agent.events[0].name == "gen_ai.choice"
    assert chat.resource.text("service.name") == "desk-bot"
    assert (chat.scope.name, chat.scope.version) == ("opentelemetry.util.genai", "1.3")
    assert chat.end_ns >= chat.start_ns > 1_700_000_000_000_000_000


@pytest.mark.parametrize("transport", ["grpc", "http"])
def test_log_records_of_the_sdk(receivers, transport):
    if transport == "grpc":
        exporter = GrpcLogs(endpoint=f"127.0.0.1:{receivers.grpc}", insecure=True)
    else:
        exporter = HttpLogs(endpoint=f"http://127.0.0.1:{receivers.http}/v1/logs")
    provider = LoggerProvider()
    provider.add_log_record_processor(SimpleLogRecordProcessor(exporter))
    body = {"message": {"role": "assistant", "content": "12 bags"}}
    provider.get_logger("genai").emit(LogRecord(event_name="gen_ai.choice", body=body))
    provider.shutdown()
    (record,) = receivers.wait_for(1)
    assert (record.event_name, record.body) == ("gen_ai.choice", body)


@pytest.mark.parametrize("transport", ["grpc", "http"])
def test_the_sdk_sends_again_what_was_refused_for_now(receivers, transport):
    receivers.retries = 1
    provider = tracing(span_exporter(transport, receivers), BatchSpanProcessor)
    provider.get_tracer("t").start_span("chat").end()
    assert provider.force_flush()
    provider.shutdown()
    (span,) = receivers.wait_for(1)
    assert span.name == "chat"
    assert sum(receivers.recorder.refused_by.values()) == 1


@pytest.mark.parametrize("transport", ["grpc", "http"])
def test_many_sdks_at_once(receivers, transport):
    def export(number):
        provider = tracing(span_exporter(transport, receivers), BatchSpanProcessor)
        tracer = provider.get_tracer("t")
        for index in range(50):
            tracer.start_span(f"{number}-{index}").end()
        provider.shutdown()

    threads = [threading.Thread(target=export, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    names = {span.name for span in receivers.wait_for(1000)}
    assert len(names) == 1000


@pytest.fixture
def rotel(receivers):
    """An OTLP agent written in Rust, forwarding to us; its own OTLP/HTTP address."""
    spec = importlib.util.find_spec("rotel")
    if spec is None or spec.origin is None:
        pytest.skip("rotel is not installed (make setup installs it)")
    http, grpc = free_port(), free_port()
    command = [
        *(Path(spec.origin).with_name("rotel-agent"), "start"),
        *("--otlp-http-endpoint", f"127.0.0.1:{http}"),
        *("--otlp-grpc-endpoint", f"127.0.0.1:{grpc}"),
        *("--exporter", "otlp", "--batch-timeout", "50ms"),
        *("--otlp-exporter-endpoint", f"http://127.0.0.1:{receivers.http}"),
        *("--otlp-exporter-protocol", "http"),
    ]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as agent:
        until_listening(http, agent)
        yield f"http://127.0.0.1:{http}"
        agent.terminate()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


def until_listening(port, process):
    for _ in range(500):
        assert process.poll() is None, "rotel ended"
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5)
        except urllib.error.HTTPError:
            return
        except OSError:
            threading.Event().wait(0.02)
    pytest.fail("rotel doesn't listen")


def test_spans_through_rotel(receivers, rotel):
    provider = tracing(HttpSpans(endpoint=f"{rotel}/v1/traces"))
    tracer = provider.get_tracer("opentelemetry.util.genai")
    with tracer.start_as_current_span("chat lab-model-1") as sent:
        sent.set_attribute("text", "drei Säcke ✓")
    provider.shutdown()
    (span,) = receivers.wait_for(1)
    assert span.trace_id == f"{sent.get_span_context().trace_id:032x}"
    assert span.attributes["text"] == "drei Säcke ✓"
    assert receivers.recorder.batches[0].receiver == "otlp_http"
