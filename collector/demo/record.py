"""Records the demo's one made-up run: an agent whose reply points at what only the agent has seen.

The other runs in `data/` are recordings of real instrumentation libraries. This one is written with
the real OpenTelemetry SDK and its OTLP encoder, in the GenAI semantic conventions, with fixed ids
and times, so that `python -m collector.demo.record` writes the same bytes every time.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.trace import Tracer, set_span_in_context

FILE = Path(__file__).parent / "data" / "made-up-import-analyst" / "001-traces.pb"
AGENT = "import-analyst"
MODEL = "fake-model-1"
START_NS = 1_796_056_300_000_000_000
SYSTEM = "You analyse failed nightly imports. Keep an index of your notes."
REQUEST = (
    "The nightly customer import has failed three times this week. What is the cause, and what "
    "should I change?"
)
REPLY = (
    "All three failures come from W3, see the index. Run Q7-B confirms it, and H2-LATE is ruled "
    "out. Please apply W3 to the loader, then repeat Q7-B."
)
CALLS = (
    (
        "search_notes",
        {"query": "nightly import failure"},
        {
            "index": [
                {"entry": "W1", "note": "disk usage below 60 % on all three nights"},
                {"entry": "W2", "note": "hypothesis H2-LATE: the export arrives after 02:00"},
                {"entry": "W3", "note": "column customer_ref became optional; the loader stops"},
            ]
        },
    ),
    (
        "run_check",
        {"name": "Q7-B", "entry": "W3"},
        {"run": "Q7-B", "rows_read": 18231, "stopped_at_row": 4417, "reason": "customer_ref empty"},
    ),
)


class _Counted(IdGenerator):
    """Ids that are the same in every recording, and look like what they are."""

    def __init__(self) -> None:
        self._ids = itertools.count(1)

    def generate_span_id(self) -> int:
        return 0xDE30_0000_0000_0000 + next(self._ids)

    def generate_trace_id(self) -> int:
        return 0xDE30_0000_0000_0000_0000_0000_0000_0000 + next(self._ids)


def record() -> bytes:
    """Return the run as the body of an OTLP request: one agent, three model calls, two tools."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider(
        resource=Resource(
            {
                "service.name": "import-bot",
                "service.version": "0.3.0",
                "deployment.environment.name": "demo",
            }
        ),
        id_generator=_Counted(),
        shutdown_on_exit=False,
    )
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    _run(provider.get_tracer("import.agent", "0.3.0"))
    body = encode_spans(exporter.get_finished_spans()).SerializeToString(deterministic=True)
    provider.shutdown()
    return bytes(body)


def _run(tracer: Tracer) -> None:
    times = itertools.count(START_NS, 50_000_000)
    agent = tracer.start_span(
        f"invoke_agent {AGENT}",
        start_time=next(times),
        attributes={
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": AGENT,
            "gen_ai.agent.version": "0.3.0",
            "gen_ai.conversation.id": "demo-import",
        },
    )
    context = set_span_in_context(agent)

    def child(name: str, attributes: dict[str, Any]) -> None:
        span = tracer.start_span(name, context, start_time=next(times), attributes=attributes)
        span.end(next(times))

    messages = [_message("system", _text(SYSTEM)), _message("user", _text(REQUEST))]
    for number, (tool, arguments, result) in enumerate(CALLS, 1):
        call = {
            "type": "tool_call",
            "id": f"call_{number}",
            "name": tool,
            "arguments": arguments,
        }
        asked = _message("assistant", call, finish_reason="tool_call")
        child(f"chat {MODEL}", _inference(messages, asked))
        text = json.dumps(result)
        child(
            f"execute_tool {tool}",
            {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": tool,
                "gen_ai.tool.call.id": f"call_{number}",
                "gen_ai.tool.type": "function",
                "gen_ai.tool.call.arguments": json.dumps(arguments),
                "gen_ai.tool.call.result": text,
            },
        )
        part = {"type": "tool_call_response", "id": f"call_{number}", "response": text}
        messages = [*messages, asked, _message("tool", part)]
    reply = _message("assistant", _text(REPLY), finish_reason="stop")
    child(f"chat {MODEL}", _inference(messages, reply))
    agent.end(next(times))


def _inference(messages: list[dict[str, Any]], answer: dict[str, Any]) -> dict[str, Any]:
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": MODEL,
        "gen_ai.response.finish_reasons": [answer["finish_reason"]],
        "gen_ai.input.messages": json.dumps(messages),
        "gen_ai.output.messages": json.dumps([answer]),
    }


def _message(role: str, part: dict[str, Any], **more: str) -> dict[str, Any]:
    return {"role": role, "parts": [part], **more}


def _text(content: str) -> dict[str, Any]:
    return {"type": "text", "content": content}


if __name__ == "__main__":
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_bytes(record())
