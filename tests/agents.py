"""One agent, written in several dialects' shapes, under an SDK's limits: for tests of capture.

A run is what an agent did: a request, tools in order with what they produced and what the model was
given of it, a reply. `records` writes it as spans and logs of one shape; `limited` cuts these as an
SDK with OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT does.
"""

import hashlib
import json
from dataclasses import dataclass, field, replace

from collector.assembly.settings import TurnsConfig
from collector.ledger.record import turn_record
from collector.otlp import Batch
from collector.pipeline import default_pipeline
from collector.span import Event, LogRecord, Resource, Scope, Span

BASE = 1_796_050_000_000_000_000
SECOND = 1_000_000_000
SYSTEM = "You are the billing desk of a company. Answer from the books, and name invoices in full."
RESOURCE = Resource({"service.name": "desk-bot"})


@dataclass
class Step:
    """One tool call."""

    tool: str
    produced: str
    delivered: str | None
    arguments: str = "{}"


@dataclass
class Run:
    steps: list
    request: str = "What does ACME Corp owe us, and which open invoice is the oldest?"
    reply: str = "ACME Corp owes 4,120.00 EUR; the oldest open invoice is INV-2003."
    system: str = SYSTEM
    history: list = field(default_factory=list)
    name: str = "run"


class Records:
    """Spans of one trace; `chat` and `tool` are what the shapes differ in."""

    scope = "opentelemetry.util.genai"

    def __init__(self, run):
        self.run = run
        self.trace = hashlib.sha256(run.name.encode()).hexdigest()[:32]
        self.made = []
        self.count = 0
        self.now = BASE

    def span(self, name, attributes, events=(), scope=None, seconds=1):
        self.count += 1
        self.made.append(
            Span(
                trace_id=self.trace,
                span_id=f"{self.count:016x}",
                parent_id="f" * 16,
                name=name,
                start_ns=self.now,
                end_ns=self.now + seconds * SECOND,
                attributes={k: v for k, v in attributes.items() if v is not None},
                events=tuple(events),
                resource=RESOURCE,
                scope=Scope(scope or self.scope),
            )
        )
        self.now += (seconds + 1) * SECOND
        return self.made[-1]

    def write(self):
        """Return the records; the root comes last, as exporters send it."""
        given = [("system", self.run.system, None)]
        given += [(role, text, None) for role, text in self.run.history]
        given.append(("user", self.run.request, None))
        for number, step in enumerate(self.run.steps):
            call = (f"call_{number}", step.tool, step.arguments)
            self.chat(given, ("assistant", None, call))
            self.tool(step, call[0])
            given = [*given, ("assistant", None, call)]
            if step.delivered is not None:
                given = [*given, ("tool", step.delivered, call)]
        self.chat(given, ("assistant", self.run.reply, None))
        self.made.append(
            Span(
                trace_id=self.trace,
                span_id="f" * 16,
                name="invoke_agent desk",
                start_ns=BASE - SECOND,
                end_ns=self.now,
                attributes=self.root(),
                resource=RESOURCE,
                scope=Scope(self.scope),
            )
        )
        return self.made

    def root(self):
        return {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "desk"}

    def tool(self, step, call_id):
        self.span(
            f"execute_tool {step.tool}",
            {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": step.tool,
                "gen_ai.tool.call.id": call_id,
                "gen_ai.tool.call.arguments": step.arguments,
                "gen_ai.tool.call.result": step.produced,
            },
        )


class JsonList(Records):
    """The current GenAI conventions: messages as JSON in one attribute."""

    def chat(self, given, said):
        self.span(
            "chat lab-1",
            {
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": "openai",
                "gen_ai.request.model": "lab-1",
                "gen_ai.input.messages": json.dumps([self._message(*one) for one in given]),
                "gen_ai.output.messages": json.dumps([self._message(*said)]),
            },
        )

    def _message(self, role, text, call):
        if role == "tool":
            part = {"type": "tool_call_response", "id": call[0], "response": text}
        elif call is not None:
            part = {"type": "tool_call", "id": call[0], "name": call[1], "arguments": call[2]}
        else:
            part = {"type": "text", "content": text}
        finish = {} if role != "assistant" else {"finish_reason": "tool_call" if call else "stop"}
        return {"role": role, "parts": [part], **finish}


class Flattened(Records):
    """OpenInference: an attribute for each field of each message."""

    scope = "openinference.instrumentation.openai"
    raw = False

    def chat(self, given, said):
        attributes = {"openinference.span.kind": "LLM", "llm.model_name": "lab-1"}
        if self.raw:
            attributes["input.value"] = json.dumps({"messages": [self._raw(*one) for one in given]})
            attributes["input.mime_type"] = "application/json"
        for prefix, messages in (("llm.input_messages", given), ("llm.output_messages", [said])):
            for index, one in enumerate(messages):
                attributes |= self._message(f"{prefix}.{index}.message.", *one)
        self.span("ChatCompletion", attributes)

    def _raw(self, role, text, call):
        if role == "tool":
            return {"role": role, "content": text, "tool_call_id": call[0]}
        if call is None:
            return {"role": role, "content": text}
        function = {"name": call[1], "arguments": call[2]}
        calls = [{"id": call[0], "type": "function", "function": function}]
        return {"role": role, "content": None, "tool_calls": calls}

    def _message(self, start, role, text, call):
        fields = {f"{start}role": role}
        if text is not None:
            fields[f"{start}content"] = text
        if role == "tool":
            fields[f"{start}tool_call_id"] = call[0]
        elif call is not None:
            inner = f"{start}tool_calls.0.tool_call."
            fields |= {
                f"{inner}id": call[0],
                f"{inner}function.name": call[1],
                f"{inner}function.arguments": call[2],
            }
        return fields

    def tool(self, step, call_id):
        self.span(
            step.tool,
            {
                "openinference.span.kind": "TOOL",
                "tool.name": step.tool,
                "tool_call.id": call_id,
                "input.value": step.arguments,
                "input.mime_type": "application/json",
                "output.value": step.produced,
            },
        )

    def root(self):
        return {"openinference.span.kind": "AGENT", "agent.name": "desk"}


class FlattenedRaw(Flattened):
    """OpenInference with the whole request beside the messages."""

    raw = True


class FlattenedBlocks(Flattened):
    """OpenInference with each line of a tool's message as a content block of its own."""

    def _message(self, start, role, text, call):
        if role != "tool":
            return super()._message(start, role, text, call)
        fields = {f"{start}role": role, f"{start}tool_call_id": call[0]}
        for number, line in enumerate(text.split("\n")):
            block = f"{start}contents.{number}.message_content."
            fields |= {f"{block}type": "text", f"{block}text": line}
        return fields


class Indexed(Records):
    """OpenLLMetry before version 0.50: `gen_ai.prompt.{i}`."""

    scope = "opentelemetry.instrumentation.openai.v1"

    def chat(self, given, said):
        attributes = {"gen_ai.request.model": "lab-1", "llm.request.type": "chat"}
        for prefix, messages in (("gen_ai.prompt", given), ("gen_ai.completion", [said])):
            for index, (role, text, call) in enumerate(messages):
                start = f"{prefix}.{index}."
                attributes[f"{start}role"] = role
                if text is not None:
                    attributes[f"{start}content"] = text
                if role == "tool":
                    attributes[f"{start}tool_call_id"] = call[0]
                elif call is not None:
                    names = ("id", "name", "arguments")
                    attributes |= {
                        f"{start}tool_calls.0.{key}": value
                        for key, value in zip(names, call, strict=True)
                    }
        self.span("openai.chat", attributes)

    def tool(self, step, call_id):
        self.span(
            f"{step.tool}.tool",
            {
                "traceloop.span.kind": "tool",
                "traceloop.entity.name": step.tool,
                "traceloop.entity.input": json.dumps({"args": [], "kwargs": {}}),
                "traceloop.entity.output": json.dumps(step.produced),
                "gen_ai.tool.call.id": call_id,
            },
            scope="traceloop.tracer",
        )


class SpanEvents(Records):
    """Strands: messages as events of the span, their content as JSON blocks."""

    scope = "strands.telemetry.tracer"

    def chat(self, given, said):
        events = [Event(f"gen_ai.{role}.message", 0, {"content": json.dumps(self._blocks(*one))})
                  for one in given for role in [one[0]]]  # fmt: skip
        finish = "tool_use" if said[2] else "end_turn"
        answer = {"finish_reason": finish, "message": json.dumps(self._blocks(*said))}
        events.append(Event("gen_ai.choice", 0, answer))
        self.span("chat", {"gen_ai.operation.name": "chat", "gen_ai.request.model": "lab-1"},
                  events)  # fmt: skip

    def _blocks(self, role, text, call):
        if role == "tool":
            inner = {"toolUseId": call[0], "status": "success", "content": [{"text": text}]}
            return [{"toolResult": inner}]
        if call is not None:
            return [{"toolUse": {"toolUseId": call[0], "name": call[1], "input": {}}}]
        return [{"text": text}]

    def tool(self, step, call_id):
        result = {"message": json.dumps([{"text": step.produced}]), "id": call_id}
        self.span(
            f"execute_tool {step.tool}",
            {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": step.tool,
                "gen_ai.tool.call.id": call_id,
            },
            [
                Event("gen_ai.tool.message", 0, {"role": "tool", "content": "{}", "id": call_id}),
                Event("gen_ai.choice", 0, result),
            ],
        )


class PlainEvents(Records):
    """The older conventions as span events whose content is the text itself."""

    scope = "azure.ai.inference"

    def chat(self, given, said):
        events = [self._event(*one) for one in given]
        _, text, call = said
        choice = {"finish_reason": "stop" if call is None else "tool_calls"}
        if call is None:
            choice["message"] = text
        else:
            choice |= {"tool_calls": json.dumps(self._calls(call)["tool_calls"])}
        events.append(Event("gen_ai.choice", 0, choice))
        self.span("chat lab-1", {"gen_ai.operation.name": "chat", "gen_ai.system": "openai"},
                  events)  # fmt: skip

    def _event(self, role, text, call):
        if role == "tool":
            fields = {"content": text, "id": call[0]}
        elif call is not None:
            fields = {"tool_calls": json.dumps(self._calls(call)["tool_calls"])}
        else:
            fields = {"content": text}
        return Event(f"gen_ai.{role}.message", 0, fields)

    def _calls(self, call):
        function = {"name": call[1], "arguments": call[2]}
        return {"tool_calls": [{"id": call[0], "type": "function", "function": function}]}


class LogEvents(Records):
    """The older conventions as log records whose body is a map."""

    scope = "opentelemetry.instrumentation.openai_v2"

    def chat(self, given, said):
        span = self.span(
            "chat lab-1",
            {"gen_ai.operation.name": "chat", "gen_ai.system": "openai",
             "gen_ai.request.model": "lab-1"},
        )  # fmt: skip
        role, text, call = said
        message = {"role": role} | ({"content": text} if call is None else self._calls(call))
        choice = {"index": 0, "finish_reason": "stop" if call is None else "tool_calls",
                  "message": message}  # fmt: skip
        bodies = [(f"gen_ai.{one[0]}.message", self._body(*one)) for one in given]
        for number, (name, body) in enumerate([*bodies, ("gen_ai.choice", choice)]):
            self.made.append(
                LogRecord(
                    trace_id=self.trace,
                    span_id=span.span_id,
                    time_ns=span.start_ns + number,
                    event_name=name,
                    body=body,
                    attributes={"gen_ai.system": "openai", "event.name": name},
                    resource=RESOURCE,
                    scope=Scope(self.scope),
                )
            )

    def _body(self, role, text, call):
        if role == "tool":
            return {"content": text, "id": call[0]}
        return self._calls(call) if call is not None else {"content": text}

    def _calls(self, call):
        function = {"name": call[1], "arguments": call[2]}
        return {"tool_calls": [{"id": call[0], "type": "function", "function": function}]}


class DetailsEvent(JsonList):
    """The current conventions, all of a call in one log record's attributes, as plain values."""

    def chat(self, given, said):
        span = self.span(
            "chat lab-1",
            {"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai",
             "gen_ai.request.model": "lab-1"},
        )  # fmt: skip
        self.made.append(
            LogRecord(
                trace_id=self.trace,
                span_id=span.span_id,
                time_ns=span.end_ns,
                event_name="gen_ai.client.inference.operation.details",
                attributes={
                    "gen_ai.operation.name": "chat",
                    "gen_ai.request.model": "lab-1",
                    "gen_ai.input.messages": [self._message(*one) for one in given],
                    "gen_ai.output.messages": [self._message(*said)],
                },
                resource=RESOURCE,
                scope=Scope(self.scope),
            )
        )


class Vercel(Records):
    """The AI SDK: JSON in every attribute, the tool's result as well."""

    scope = "ai"

    def chat(self, given, said):
        _, text, call = said
        answer = {"ai.response.finishReason": "tool-calls" if call else "stop"}
        if call is None:
            answer["ai.response.text"] = text
        else:
            asked = {"toolCallId": call[0], "toolName": call[1], "input": call[2]}
            answer["ai.response.toolCalls"] = json.dumps([{"type": "tool-call", **asked}])
        self.span(
            "ai.generateText.doGenerate",
            {
                "ai.operationId": "ai.generateText.doGenerate",
                "ai.model.id": "lab-1",
                "ai.prompt.messages": json.dumps([self._message(*one) for one in given]),
                **answer,
            },
        )

    def _message(self, role, text, call):
        if role == "tool":
            output = {"type": "text", "value": text}
            part = {"type": "tool-result", "toolCallId": call[0], "toolName": call[1]}
            return {"role": role, "content": [part | {"output": output}]}
        if call is not None:
            part = {"type": "tool-call", "toolCallId": call[0], "toolName": call[1], "input": {}}
            return {"role": role, "content": [part]}
        if role == "system":
            return {"role": role, "content": text}
        return {"role": role, "content": [{"type": "text", "text": text}]}

    def tool(self, step, call_id):
        self.span(
            "ai.toolCall",
            {
                "ai.operationId": "ai.toolCall",
                "ai.toolCall.name": step.tool,
                "ai.toolCall.id": call_id,
                "ai.toolCall.args": step.arguments,
                "ai.toolCall.result": json.dumps(step.produced),
            },
        )

    def root(self):
        return {"ai.operationId": "ai.generateText"}


class GoogleAdk(Records):
    """ADK 1.x: the whole request and answer of a model call as JSON."""

    scope = "gcp.vertex.agent"

    def chat(self, given, said):
        contents = [self._content(*one) for one in given if one[0] != "system"]
        config = {"system_instruction": given[0][1]}
        self.span(
            "call_llm",
            {
                "gen_ai.request.model": "lab-1",
                "gcp.vertex.agent.llm_request": json.dumps(
                    {"model": "lab-1", "config": config, "contents": contents}
                ),
                "gcp.vertex.agent.llm_response": json.dumps({"content": self._content(*said)}),
            },
        )

    def _content(self, role, text, call):
        if role == "tool":
            response = {"id": call[0], "name": call[1], "response": {"result": text}}
            return {"role": "user", "parts": [{"function_response": response}]}
        said = "model" if role == "assistant" else "user"
        if call is not None:
            asked = {"id": call[0], "name": call[1], "args": {}}
            return {"role": said, "parts": [{"function_call": asked}]}
        return {"role": said, "parts": [{"text": text}]}

    def tool(self, step, call_id):
        self.span(
            f"execute_tool {step.tool}",
            {
                "gen_ai.tool.name": step.tool,
                "gen_ai.tool.call.id": call_id,
                "gcp.vertex.agent.tool_call_args": step.arguments,
                "gcp.vertex.agent.tool_response": json.dumps({"result": step.produced}),
            },
        )

    def root(self):
        return {}


SHAPES = {
    shape.__name__: shape
    for shape in (
        JsonList, Flattened, FlattenedRaw, FlattenedBlocks, Indexed, SpanEvents, PlainEvents,
        LogEvents, DetailsEvent, Vercel, GoogleAdk,
    )
}  # fmt: skip


def shortened(value, limit):
    """A value as an SDK's length limit leaves it, inside lists and maps too."""
    if isinstance(value, str):
        return value[:limit]
    if isinstance(value, list):
        return [shortened(item, limit) for item in value]
    if isinstance(value, dict):
        return {key: shortened(item, limit) for key, item in value.items()}
    return value


def limited(records, limit, *, bodies=False):
    """Records as an SDK with OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT exports them."""
    if limit is None:
        return list(records)
    found = []
    for record in records:
        cut = replace(record, attributes=shortened(dict(record.attributes), limit))
        if isinstance(cut, Span):
            events = [replace(e, attributes=shortened(e.attributes, limit)) for e in cut.events]
            cut = replace(cut, events=tuple(events))
        elif bodies:
            cut = replace(cut, body=shortened(cut.body, limit))
        found.append(cut)
    return found


def counted(records, most, *, newest):
    """Records as an SDK with a count limit exports them: Python drops the oldest keys and events,
    JavaScript (and Java, Go) refuses the newest."""
    found = []
    for record in records:
        if not isinstance(record, Span):
            found.append(record)
            continue
        items, events = list(record.attributes.items()), record.events
        kept = items[:most] if newest else items[-most:]
        left = events[:most] if newest else events[-most:]
        gone = len(items) - len(kept) + len(events) - len(left)
        found.append(replace(record, attributes=dict(kept), events=tuple(left), dropped=gone))
    return found


class Silent:
    def received(self, *counted):
        pass

    def dropped(self, reason, count):
        assert reason == "duplicate", reason


def turns(*batches):
    """Run records through the real pipeline, and return its turns as records."""
    pipeline = default_pipeline(TurnsConfig(), clock=lambda: 0.0, observer=Silent())
    for records in batches:
        for signal, kind in (("traces", Span), ("logs", LogRecord)):
            one = tuple(record for record in records if isinstance(record, kind))
            pipeline.consume(Batch(signal, one, 0, "", {}))
    closings = pipeline.due(final="quiet")
    return [turn_record(e) for closing in closings for e in pipeline.finish(closing)[1]]


def pairs(*batches):
    """The tool results of all turns, by tool."""
    return {pair["tool"]: pair for turn in turns(*batches) for pair in turn["tool_results"]}
