"""A small language for traces in OTLP/JSON, as libraries of the GenAI conventions send them.

A test writes down what an agent did; what Tellback must find in it is then known by construction.
Times are Unix nanoseconds; a trace's `now` is where its next span starts. `running` feeds traces to
the real pipeline.
"""

import contextlib
import hashlib
import json
import random

BASE = 1_796_050_000_000_000_000
MS = 1_000_000
SECOND = 1000 * MS
MINUTE = 60 * SECOND
SCOPE = "opentelemetry.util.genai"


def user(text):
    return {"role": "user", "parts": [{"type": "text", "content": text}]}


def system(text):
    return {"role": "system", "parts": [{"type": "text", "content": text}]}


def assistant(text=None, *calls):
    said = [] if text is None else [{"type": "text", "content": text}]
    finish = "tool_call" if calls else "stop"
    return {"role": "assistant", "parts": [*said, *calls], "finish_reason": finish}


def call(call_id, name, arguments):
    part = {"type": "tool_call", "name": name, "arguments": arguments}
    return part if call_id is None else {**part, "id": call_id}


def tool(*results):
    """One message that delivers results, each `(call id or None, text)`."""
    parts = []
    for call_id, text in results:
        part = {"type": "tool_call_response", "response": text}
        parts.append(part if call_id is None else {**part, "id": call_id})
    return {"role": "tool", "parts": parts}


def as_text(value):
    """Return a value as an attribute holds it; text and None stay as they are."""
    return value if value is None or isinstance(value, str) else json.dumps(value)


def attribute(key, value):
    kind = {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}
    return {"key": key, "value": kind}


class Trace:
    """One trace. Spans last 80 ms and start 100 ms apart, unless told otherwise."""

    def __init__(self, name, at=0):
        self.name = name
        self.now = BASE + at
        self.spans = []
        self._id = hashlib.sha256(name.encode()).hexdigest()[:32]
        self._count = 0

    def span_id(self):
        self._count += 1
        return hashlib.sha256(f"{self.name}/{self._count}".encode()).hexdigest()[:16]

    def span(
        self, name, attributes, parent=None, *, span_id=None, start=None, end=None, error=None
    ):
        if start is None:
            start = self.now
            self.now += 100 * MS
        given = {**attributes, "error.type": error}
        span = {
            "traceId": self._id,
            "spanId": span_id or self.span_id(),
            "name": name,
            "kind": 3,
            "startTimeUnixNano": str(start),
            "endTimeUnixNano": str(start + 80 * MS if end is None else end),
            "attributes": [attribute(k, v) for k, v in given.items() if v is not None],
        }
        if parent:
            span["parentSpanId"] = parent
        if error:
            span["status"] = {"code": 2, "message": error}
        self.spans.append(span)

    def chat(self, given, said, parent=None, *, tokens=(100, 20), conversation=None, **place):
        """A model call: the messages it was given (None where not captured), and what it said."""
        attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "openai",
            "gen_ai.request.model": "lab-model-1",
            "gen_ai.input.messages": as_text(given),
            "gen_ai.output.messages": json.dumps([said]),
            "gen_ai.usage.input_tokens": tokens[0],
            "gen_ai.usage.output_tokens": tokens[1],
            "gen_ai.conversation.id": conversation,
        }
        self.span("chat lab-model-1", attributes, parent, **place)

    def execute(self, name, call_id, arguments, result, parent=None, **place):
        """A tool that runs, and what it produced."""
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.call.id": call_id,
            "gen_ai.tool.call.arguments": as_text(arguments),
            "gen_ai.tool.call.result": as_text(result),
        }
        self.span(f"execute_tool {name}", attributes, parent, **place)

    @contextlib.contextmanager
    def around(self, name, attributes=None, parent=None):
        """A span around what happens inside; yields its id. It is sent last, as libraries do."""
        span_id = self.span_id()
        start = self.now
        self.now += MS
        yield span_id
        self.span(name, attributes or {}, parent, span_id=span_id, start=start, end=self.now)

    def agent(
        self, name="desk", parent=None, *, given=None, said=None, conversation=None, kind="agent"
    ):
        """The span of an agent (or workflow) around what happens inside; see `around`."""
        attributes = {
            "gen_ai.operation.name": f"invoke_{kind}",
            "gen_ai.agent.name": name,
            "gen_ai.conversation.id": conversation,
            "gen_ai.input.messages": None if given is None else json.dumps([user(given)]),
            "gen_ai.output.messages": None if said is None else json.dumps([assistant(said)]),
        }
        return self.around(f"invoke_{kind} {name}", attributes, parent)


def spans_of(*traces):
    return [span for trace in traces for span in trace.spans]


def request(spans, scope=SCOPE, resource=None):
    """Return the bytes of one export request."""
    named = resource or {"service.name": "desk-bot"}
    resource = {"attributes": [attribute(key, value) for key, value in named.items()]}
    group = {"resource": resource, "scopeSpans": [{"scope": {"name": scope}, "spans": spans}]}
    return json.dumps({"resourceSpans": [group]}).encode()


def arrangements(spans, count=12):
    """Yield the same spans as requests: backwards, shuffled, split, and every third time twice."""
    for seed in range(count):
        chance = random.Random(seed)
        sent = spans * (2 if seed % 3 == 2 else 1)
        chance.shuffle(sent)
        if seed == 0:
            sent = spans[::-1]
        size = chance.choice([1, 2, 3, len(sent)])
        yield [sent[start::size] for start in range(size)]
