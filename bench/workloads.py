"""Seeded OTLP requests: what deployed agents send, in the shapes that cost differently.

Every batch of one workload has trace ids and texts of its own, so that nothing is a duplicate.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

START_NS = 1_790_000_000_000_000_000
WORDS = 4_000
NON_ASCII = 0.04  # share of words, as measured on real agents' results
DELIVERED = ("whole", "head", "middle", "cleared")
SHARES = (55, 25, 12, 8)
TOOLS = ("search_orders", "read_file", "query_database", "fetch_page")
ACCENTED = "äöüßéèñçøåжщ漢字語"

Message = dict[str, Any]


class Text:
    """Words that a seed makes."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self._words = [self._word() for _ in range(WORDS)]

    def _word(self) -> str:
        word = "".join(self.chance.choices("abcdefghijklmnoprstuvw", k=self.chance.randint(2, 10)))
        accented = self.chance.random() < NON_ASCII
        return word + self.chance.choice(ACCENTED) if accented else word

    def prose(self, size: int) -> str:
        """Return about `size` characters of words."""
        return " ".join(self.chance.choices(self._words, k=size // 7 + 1))

    def records(self, size: int) -> str:
        """Return about `size` characters of JSON records, as APIs and databases return them."""
        rows: list[dict[str, Any]] = []
        written = 0
        while written < size:
            row = {
                "id": self.chance.randrange(10**8),
                "name": self.prose(20),
                "note": self.prose(90),
                "amount": self.chance.randrange(10**6) / 100,
            }
            written += len(json.dumps(row, ensure_ascii=False))
            rows.append(row)
        return json.dumps(rows, ensure_ascii=False)


@dataclass
class Trace:
    """Builds the spans of one trace."""

    text: Text
    at_ns: int

    def __post_init__(self) -> None:
        self.trace_id = self.text.chance.randbytes(16)
        self.conversation = self.text.chance.randbytes(8).hex()

    def span(
        self, name: str, attributes: dict[str, Any], *, parent: bytes = b"", took_ms: int = 200
    ) -> Span:
        """Return the next span; time goes on by how long it took."""
        span = Span(
            trace_id=self.trace_id,
            span_id=self.text.chance.randbytes(8),
            parent_span_id=parent,
            name=name,
            kind=Span.SPAN_KIND_CLIENT,
            start_time_unix_nano=self.at_ns,
            end_time_unix_nano=self.at_ns + took_ms * 1_000_000,
        )
        self.at_ns += (took_ms + 1) * 1_000_000
        for key, value in attributes.items():
            _put(span.attributes.add(), key, value)
        return span

    def chat(self, given: list[Message], made: Message, parent: bytes = b"") -> Span:
        """Return a model call."""
        reason = made["finish_reason"]
        return self.span(
            "chat gpt-5",
            {
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": "openai",
                "gen_ai.request.model": "gpt-5",
                "gen_ai.response.model": "gpt-5-2026-05-01",
                "gen_ai.response.id": self.text.chance.randbytes(12).hex(),
                "gen_ai.conversation.id": self.conversation,
                "gen_ai.agent.name": "support",
                "gen_ai.usage.input_tokens": 1_234,
                "gen_ai.usage.output_tokens": 56,
                "gen_ai.response.finish_reasons": [reason],
                "gen_ai.input.messages": json.dumps(given, ensure_ascii=False),
                "gen_ai.output.messages": json.dumps([made], ensure_ascii=False),
            },
            parent=parent,
            took_ms=900,
        )

    def tool(self, name: str, call_id: str, result: str, parent: bytes = b"") -> Span:
        """Return a tool call."""
        return self.span(
            f"execute_tool {name}",
            {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": name,
                "gen_ai.tool.type": "function",
                "gen_ai.tool.call.id": call_id,
                "gen_ai.conversation.id": self.conversation,
                "gen_ai.agent.name": "support",
                "gen_ai.tool.call.arguments": json.dumps({"query": self.text.prose(30)}),
                "gen_ai.tool.call.result": result,
            },
            parent=parent,
        )


def _put(pair: KeyValue, key: str, value: Any) -> None:
    pair.key = key
    if isinstance(value, int):
        pair.value.int_value = value
    elif isinstance(value, list):
        for item in value:
            pair.value.array_value.values.add().string_value = item
    else:
        pair.value.string_value = value


def said(role: str, text: str) -> Message:
    """Return a message of text."""
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def answer(text: str) -> Message:
    """Return a reply."""
    return {**said("assistant", text), "finish_reason": "stop"}


def called(name: str, call_id: str, query: str) -> Message:
    """Return an answer that asks for a tool."""
    part = {"type": "tool_call", "id": call_id, "name": name, "arguments": {"query": query}}
    return {"role": "assistant", "parts": [part], "finish_reason": "tool_calls"}


def responded(call_id: str, result: str) -> Message:
    """Return a tool's message."""
    part = {"type": "tool_call_response", "id": call_id, "response": result}
    return {"role": "tool", "parts": [part]}


def delivered(text: Text, result: str) -> str:
    """Return what a harness makes of a result: all of it, or cut in one of the usual ways."""
    how = text.chance.choices(DELIVERED, SHARES)[0]
    third = len(result) // 3
    if how == "head":
        return result[:third] + f"\n... [truncated {len(result) - third} chars]"
    if how == "middle":
        return result[:third] + "\n[... middle omitted ...]\n" + result[-third:]
    return "[Old tool result content cleared]" if how == "cleared" else result


def run(text: Text, at_ns: int, *, calls: int, sizes: tuple[int, int]) -> list[Span]:
    """Return one agent run: `calls` model calls, a tool between each two, and the agent's span."""
    trace = Trace(text, at_ns)
    agent = trace.span(
        "invoke_agent support",
        {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": "support",
            "gen_ai.conversation.id": trace.conversation,
        },
    )
    history = [said("system", text.prose(800)), said("user", text.prose(120))]
    spans = []
    for number in range(calls - 1):
        name = TOOLS[number % len(TOOLS)]
        call_id = "call_" + text.chance.randbytes(9).hex()
        asked = called(name, call_id, text.prose(30))
        spans.append(trace.chat(history, asked, agent.span_id))
        size = text.chance.randint(*sizes)
        result = text.records(size) if text.chance.random() < 0.5 else text.prose(size)
        spans.append(trace.tool(name, call_id, result, agent.span_id))
        asked = {key: value for key, value in asked.items() if key != "finish_reason"}
        history = [*history, asked, responded(call_id, delivered(text, result))]
    spans.append(trace.chat(history, answer(text.prose(300)), agent.span_id))
    agent.end_time_unix_nano = trace.at_ns
    return [*spans, agent]


def chat(text: Text, at_ns: int, size: int) -> list[Span]:
    """Return one model call by itself, with about `size` bytes of earlier messages."""
    trace = Trace(text, at_ns)
    turns = max(2, size // 2_000)
    given = [said(("user", "assistant")[n % 2], text.prose(size // turns)) for n in range(turns)]
    if given[-1]["role"] != "user":
        given.append(said("user", text.prose(100)))
    return [trace.chat(given, answer(text.prose(300)))]


def tool(text: Text, at_ns: int, size: int) -> list[Span]:
    """Return one tool call by itself, whose result has about `size` bytes."""
    trace = Trace(text, at_ns)
    return [trace.tool("read_file", "call_1", text.prose(size))]


def plain(text: Text, at_ns: int) -> list[Span]:
    """Return one span of something else: a request, a query."""
    trace = Trace(text, at_ns)
    attributes = {f"app.attribute.{n}": text.prose(90) for n in range(9)}
    return [trace.span("GET /orders", attributes | {"http.response.status_code": 200})]


def request(spans: list[Span]) -> bytes:
    """Return an export request of one process."""
    message = ExportTraceServiceRequest()
    group = message.resource_spans.add()
    _put(group.resource.attributes.add(), "service.name", "support-agent")
    _put(group.resource.attributes.add(), "deployment.environment.name", "production")
    part = group.scope_spans.add()
    part.scope.name = "opentelemetry.instrumentation.openai_v2"
    part.spans.extend(spans)
    return message.SerializeToString()


@dataclass(frozen=True)
class Workload:
    """How a batch of 100 spans is made up: `calls` is 0 where a trace is one span."""

    kind: str
    size: tuple[int, int]
    calls: int = 0
    spans: int = 100

    def batches(self, count: int, seed: int = 1) -> Iterator[bytes]:
        """Yield `count` requests."""
        text = Text(seed)
        at_ns = START_NS
        for _ in range(count):
            spans: list[Span] = []
            while len(spans) < self.spans:
                at_ns += 10_000_000_000
                spans += self._trace(text, at_ns)
            yield request(spans)

    def _trace(self, text: Text, at_ns: int) -> list[Span]:
        if self.kind == "agent":
            return run(text, at_ns, calls=self.calls, sizes=self.size)
        if self.kind == "plain":
            return plain(text, at_ns)
        return (chat if self.kind == "chat" else tool)(text, at_ns, self.size[0])


WORKLOADS = {
    "plain": Workload("plain", (0, 0)),
    "chat 4 KB": Workload("chat", (4_000, 4_000)),
    "chat 20 KB": Workload("chat", (20_000, 20_000)),
    "chat 100 KB": Workload("chat", (100_000, 100_000)),
    "tool 6 KB": Workload("tool", (6_000, 6_000)),
    "tool 20 KB": Workload("tool", (20_000, 20_000)),
    "tool 60 KB": Workload("tool", (60_000, 60_000)),
    "agent, small results": Workload("agent", (500, 2_000), calls=5),
    "agent": Workload("agent", (6_000, 24_000), calls=5),
    "agent, large results": Workload("agent", (20_000, 60_000), calls=5),
}
