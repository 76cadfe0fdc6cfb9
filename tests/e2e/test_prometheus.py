"""A real Prometheus scrapes the running sidecar while real SDKs send over gRPC and HTTP."""

import contextlib
import json
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request

import pytest
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcSpans
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpSpans
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from collector.telemetry import BY_NAME

pytestmark = pytest.mark.server

TURNS = 6  # for each transport
INVOICES = json.dumps(
    [{"number": n, "customer": f"c{n}", "due": f"2026-12-{n:02}"} for n in range(1, 29)]
)
DELIVERED = INVOICES[:400]  # as a harness that slices
CONFIG = """\
receivers:
  otlp:
    grpc: {{endpoint: 127.0.0.1:0}}
    http: {{endpoint: 127.0.0.1:0}}
storage: {{directory: {folder}/data}}
turns: {{quiet_period: 1s, settle: 200ms, deadline: 20s}}
service: {{admin: {{endpoint: 127.0.0.1:0}}}}
"""
SCRAPING = """\
global: {{scrape_interval: 1s}}
scrape_configs:
  - job_name: tellback
    static_configs: [{{targets: ["127.0.0.1:{port}"]}}]
"""


@contextlib.contextmanager
def process(command, **options):
    with subprocess.Popen(command, text=True, **options) as started:
        try:
            yield started
        finally:
            started.terminate()
            try:
                started.wait(30)
            except subprocess.TimeoutExpired:
                started.kill()
                raise


@pytest.fixture
def sidecar(tmp_path):
    """The ports of a running `tellback run`: gRPC, HTTP, admin."""
    config = tmp_path / "tellback.yaml"
    config.write_text(CONFIG.format(folder=tmp_path))
    command = [sys.executable, "-m", "collector", "run", "--config", str(config)]
    with process(command, stderr=subprocess.PIPE) as running:
        lines = []
        for line in running.stderr:
            lines.append(line)
            found = re.search(r"gRPC (\d+), OTLP/HTTP (\d+), metrics and page (\d+)", line)
            if found:
                break
        else:
            pytest.fail("the sidecar did not start:\n" + "".join(lines))
        # Its log must be read on, or it would block on a full pipe.
        reading = threading.Thread(target=lambda: lines.extend(running.stderr))
        reading.start()
        yield [int(port) for port in found.groups()]
        running.terminate()
        reading.join(30)
    assert "Traceback" not in "".join(lines)


@pytest.fixture
def prometheus(program, tmp_path, sidecar):
    """The address of a real Prometheus that scrapes the sidecar every second."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    config = tmp_path / "prometheus.yml"
    config.write_text(SCRAPING.format(port=sidecar[2]))
    command = [
        program("prometheus"),
        f"--config.file={config}",
        f"--storage.tsdb.path={tmp_path}/tsdb",
        f"--web.listen-address=127.0.0.1:{port}",
        "--enable-feature=exemplar-storage",
    ]
    with process(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        yield f"http://127.0.0.1:{port}"


def get(url):
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read()


def until(condition, what):
    """Ask a real server until it says so; there is nothing that would tell us."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            found = condition()
            if found:
                return found
        time.sleep(0.1)
    pytest.fail(f"no {what} within a minute")


def query(address, expression):
    url = f"{address}/api/v1/query?{urllib.parse.urlencode({'query': expression})}"
    return json.loads(get(url))["data"]["result"]


def number(address, expression):
    found = query(address, expression)
    return float(found[0]["value"][1]) if found else None


def said(role, *parts, **more):
    return {"role": role, "parts": list(parts), **more}


def text(content):
    return {"type": "text", "content": content}


def send(exporter, service):
    """Send turns as an instrumented agent would: a model call, a tool, a second model call."""
    provider = TracerProvider(
        resource=Resource({"service.name": service, "service.version": "1.4"})
    )
    provider.add_span_processor(BatchSpanProcessor(exporter))
    tracer = provider.get_tracer("opentelemetry.util.genai")
    question = said("user", text("Which invoices are due in December?"))
    call = {"type": "tool_call", "id": "call_1", "name": "fetch_invoices", "arguments": {}}
    asked = said("assistant", call, finish_reason="tool_call")
    result = said("tool", {"type": "tool_call_response", "id": "call_1", "response": DELIVERED})
    reply = said("assistant", text("All of them are due in December."), finish_reason="stop")
    for turn in range(TURNS):
        with tracer.start_as_current_span(f"invoke_agent {service}") as agent:
            agent.set_attributes(
                {
                    "gen_ai.operation.name": "invoke_agent",
                    "gen_ai.agent.name": service,
                    "gen_ai.conversation.id": f"{service}-{turn}",
                }
            )
            _model(tracer, [question], [asked])
            with tracer.start_as_current_span("execute_tool fetch_invoices") as tool:
                tool.set_attributes(
                    {
                        "gen_ai.operation.name": "execute_tool",
                        "gen_ai.tool.name": "fetch_invoices",
                        "gen_ai.tool.call.id": "call_1",
                        "gen_ai.tool.call.result": INVOICES,
                    }
                )
            _model(tracer, [question, asked, result], [reply])
    provider.shutdown()


def _model(tracer, given, answered):
    with tracer.start_as_current_span("chat lab-model-1") as span:
        span.set_attributes(
            {
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": "lab",
                "gen_ai.request.model": "lab-model-1",
                "gen_ai.input.messages": json.dumps(given),
                "gen_ai.output.messages": json.dumps(answered),
            }
        )


def test_prometheus_reads_what_two_sdks_sent(sidecar, prometheus, program):
    grpc, http, admin = sidecar
    senders = [
        threading.Thread(target=send, args=(exporter, service))
        for service, exporter in (
            ("desk-grpc", GrpcSpans(endpoint=f"127.0.0.1:{grpc}", insecure=True)),
            ("desk-http", HttpSpans(endpoint=f"http://127.0.0.1:{http}/v1/traces")),
        )
    ]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    observed = "sum(tellback_replies_observed_total)"
    until(lambda: number(prometheus, observed) == 2 * TURNS, "all replies")

    received = "sum by (receiver) (tellback_spans_received_total)"
    counts = {one["metric"]["receiver"]: one["value"][1] for one in query(prometheus, received)}
    assert counts == {"otlp_grpc": str(4 * TURNS), "otlp_http": str(4 * TURNS)}
    labels = 'agent="desk-http", tool="fetch_invoices"'
    assert number(prometheus, f'tellback_tool_results_total{{{labels}, state="cut"}}') == TURNS
    produced = f'tellback_tool_result_characters_total{{{labels}, side="produced"}}'
    assert number(prometheus, produced) == TURNS * len(INVOICES)
    delivered = f'tellback_tool_result_characters_total{{{labels}, side="delivered"}}'
    assert 0 < number(prometheus, delivered) <= TURNS * len(DELIVERED)
    # Every reply has one end with every scorer, or is pending.
    ends = "sum by (scorer) (tellback_reply_states_total)"
    balance = f"{ends} + on (scorer) tellback_replies_pending"
    assert {one["value"][1] for one in query(prometheus, balance)} == {str(2 * TURNS)}
    assert number(prometheus, "sum(tellback_ledger_writes_total{outcome='new'})") == 2 * TURNS

    # Exemplars lead from a number to a trace.
    span = urllib.parse.urlencode(
        {
            "query": "tellback_tool_results_total",
            "start": time.time() - 600,
            "end": time.time() + 60,
        }
    )
    exemplars = json.loads(get(f"{prometheus}/api/v1/query_exemplars?{span}"))["data"]
    traces = {each["labels"]["trace_id"] for one in exemplars for each in one["exemplars"]}
    assert traces
    assert all(re.fullmatch("[0-9a-f]{32}", trace) for trace in traces)

    # Prometheus knows each metric's help and type from us, and scraping never failed.
    metadata = json.loads(get(f"{prometheus}/api/v1/metadata"))["data"]
    known = {name for name in metadata if name.startswith("tellback_")}
    assert known
    families = {each.family for each in BY_NAME.values()} | set(BY_NAME)
    assert known <= families
    assert number(prometheus, "min_over_time(up[1m])") == 1
    exposition = get(f"http://127.0.0.1:{admin}/metrics")
    checked = subprocess.run(
        [program("promtool"), "check", "metrics"],
        input=exposition,
        capture_output=True,
        check=False,
    )
    assert (checked.returncode, checked.stderr) == (0, b"")

    # And each is in the ledger, with the numbers the metrics add up.
    page = json.loads(get(f"http://127.0.0.1:{admin}/api/turns?limit=1000"))
    assert len(page["turns"]) == 2 * TURNS
    assert {pair["state"] for turn in page["turns"] for pair in turn["tool_results"]} == {"cut"}
