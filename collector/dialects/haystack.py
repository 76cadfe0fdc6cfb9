"""Haystack's own tracer (`haystack.*`): pipelines, components, and agents of version 2 and 3.

Values are JSON where Haystack could write them so, and Python's repr of its objects elsewhere.
In version 2 an agent's model and its tools are components (`haystack.component.run`); in version 3
they are steps (`haystack.agent.step.llm`, `haystack.agent.step.tool`).

The tool invoker of version 2 hands on what `outputs_to_string` made of a tool's result. Where a
tool has such a handler, nobody recorded what the tool produced; where the span shows that it has
none, or does not show the tools, what the invoker handed on stands for it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from collector.content import capture_of, decode, usage_of
from collector.dialect import AnyOperation, Shape, origin
from collector.span import Record, Span
from collector.spelling import convention
from collector.spelling.convention import string
from collector.spelling.envelope import reply_in, request_in
from collector.spelling.haystack_values import (
    delivered,
    entries,
    failed_calls,
    handled_by,
    offered,
    opened,
    replies_in,
    said_in,
)
from scorers.turn import AgentInvocation, Inference, Message, ToolExecution, Usage

_COMPONENT, _PIPELINE = "haystack.component.run", "haystack.pipeline.run"
_AGENT, _STEP = "haystack.agent.run", "haystack.agent.step"
_MODEL, _TOOL = "haystack.agent.step.llm", "haystack.agent.step.tool"
_STARTUP = "haystack.tracing.auto_enable"
_NAMES = (_COMPONENT, _PIPELINE, _AGENT, _STEP, _MODEL, _TOOL, _STARTUP)
_INPUT, _OUTPUT = "haystack.component.input", "haystack.component.output"
# Version 2.10's asynchronous pipeline wrote the second.
_OUTPUTS = (_OUTPUT, "haystack.component.outputs")
Messages = tuple[Message, ...] | None


@dataclass(frozen=True, slots=True)
class Haystack:
    """Spans of Haystack's tracer, whatever the application calls its scope."""

    name: str = "haystack"

    def fits(self, shape: Shape) -> bool:
        """Spans with keys of Haystack's, and those without any: steps whose content is off."""
        if shape.event is not None:
            return False
        return not shape.keys or any(key.startswith("haystack.") for key in shape.keys)

    def claims(self, record: Record) -> bool:
        """Claim the spans that Haystack's tracer names."""
        if not isinstance(record, Span) or record.name not in _NAMES:
            return False
        return not record.attributes or any(
            key.startswith("haystack.") for key in record.attributes
        )

    def operations(self, record: Record) -> Iterable[AnyOperation]:
        """Yield the model call, tool calls, agent or pipeline of a span."""
        if not isinstance(record, Span):
            return
        if record.name == _COMPONENT:
            yield from self._component(record)
        elif record.name == _MODEL:
            yield self._inference(record, f"{_MODEL}.input", (f"{_MODEL}.output",))
        elif record.name == _TOOL:
            yield self._tool(record)
        elif record.name == _AGENT:
            yield self._agent(record, "haystack.agent.input", "haystack.agent.output")
        elif record.name == _PIPELINE and record.parent_id is None:
            yield self._pipeline(record)  # an inner one is a part of something, not a run

    def _component(self, span: Span) -> Iterable[AnyOperation]:
        attributes = span.attributes
        kind = string(attributes, "haystack.component.type") or ""
        gives = decode(attributes.get("haystack.component.output_spec"))
        gives = gives if isinstance(gives, dict) else {}
        if kind == "Agent":
            found = self._agent(span, _INPUT, _OUTPUT)
            yield replace(found, agent=string(attributes, "haystack.component.name"))
        elif kind == "ToolInvoker":
            yield from self._invoked(span)
        elif "replies" in gives or kind.endswith("Generator"):
            yield self._inference(span, _INPUT, _OUTPUTS)

    def _inference(self, span: Span, sent: str, answered: tuple[str, ...]) -> Inference:
        attributes = span.attributes
        given, cut = opened(attributes.get(sent))
        answer = entries(convention.first(attributes, answered))
        said = delivered(given)
        made, meta = replies_in(answer)
        capture = capture_of(
            span,
            (sent, *answered),
            hidden=convention.why_hidden(span, missing=sent not in attributes),
        )
        if cut in ("messages", "prompt") or (said is None and not capture.hidden):
            capture = replace(capture, broken=(*capture.broken, sent))
        stated = meta.get("usage")
        finish = meta.get("finish_reason")
        return Inference(
            **origin(span, self.name) | {"capture": capture},
            model=string(meta, "model"),
            response_id=string(meta, "id"),
            input=said,
            output=made,
            tools=offered(given),
            usage=usage_of(stated) if isinstance(stated, dict) else Usage(),
            finish_reasons=(finish,) if isinstance(finish, str) and finish else (),
        )

    def _tool(self, span: Span) -> ToolExecution:
        attributes = span.attributes
        result = attributes.get(f"{_TOOL}.output")
        failed = attributes.get("haystack.tool.error") is True
        capture = capture_of(
            span,
            texts={"output": result},
            hidden=convention.why_hidden(span, missing=result is None),
        )
        arguments = attributes.get(f"{_TOOL}.input")
        found = convention.tool_execution(span, self.name, arguments, result, capture)
        named = string(attributes, "haystack.tool.name") or ""
        return replace(found, tool=named, failed=failed or found.failed)

    def _invoked(self, span: Span) -> Iterable[ToolExecution]:
        """Yield a tool call for each result of a tool invoker; those of parallel calls get ids of
        their own, inside the invoker's span."""
        attributes = span.attributes
        answer = entries(convention.first(attributes, _OUTPUTS)) or {}
        handled = handled_by(entries(attributes.get(_INPUT)))
        results = [
            part
            for message in said_in(answer.get("tool_messages")) or ()
            for part in message.of_kind("tool_result")
        ]
        asked = {
            part.id: part
            for message in said_in((entries(attributes.get(_INPUT)) or {}).get("messages")) or ()
            for part in message.of_kind("tool_call")
        }
        failed = failed_calls(answer.get("tool_messages"))
        capture = capture_of(span, _OUTPUTS)
        for number, part in enumerate(results):
            shared = origin(span, self.name)
            if len(results) > 1:
                shared |= {"span_id": _id(span, number), "parent_id": span.span_id}
            call = asked.get(part.id)
            hidden = "processed" if handled.get(part.name) else capture.hidden
            yield ToolExecution(
                **shared | {"capture": replace(capture, hidden=hidden)},
                tool=part.name or "",
                call_id=part.id,
                arguments=call.text if call is not None and call.text else None,
                result=None if hidden == "processed" else part.text,
                failed=part.id in failed or span.status == 2,
            )

    def _agent(self, span: Span, sent: str, answered: str) -> AgentInvocation:
        attributes = span.attributes
        given = entries(attributes.get(sent)) or {}
        answer = entries(attributes.get(answered)) or {}
        reply = (said_in(answer.get("messages")) or ())[-1:]
        ends = bool(reply) and reply[0].role == "assistant" and not reply[0].of_kind("tool_call")
        hidden = convention.why_hidden(span, missing=sent not in attributes)
        return AgentInvocation(
            **origin(span, self.name)
            | {"capture": capture_of(span, (sent, answered), hidden=hidden)},
            input=said_in(given.get("messages")),
            output=reply if ends else None,
        )

    def _pipeline(self, span: Span) -> AgentInvocation:
        asked = span.attributes.get("haystack.pipeline.input_data")
        given = entries(asked) or {}
        said = None
        for inputs in map(decode, given.values()):
            if said is None and isinstance(inputs, Mapping):
                said = said_in(inputs.get("messages")) or request_in(dict(inputs))
        answer = entries(span.attributes.get("haystack.pipeline.output_data")) or {}
        return AgentInvocation(
            **origin(span, self.name),
            kind="workflow",
            input=said,
            output=_answer(answer),
        )


def _answer(outputs: dict[str, Any]) -> Messages:
    """Return the reply of a pipeline: that of the only component whose output is one."""
    found = []
    for output in map(decode, outputs.values()):
        if not isinstance(output, dict):
            continue
        replies, _ = replies_in(output)
        if replies is None and output.get("messages"):
            replies = (said_in(output["messages"]) or ())[-1:] or None
        if replies is None and (answers := output.get("answers")):
            replies = reply_in(answers)
        if replies:
            found.append(replies[-1:])
    return found[0] if len(found) == 1 else None


def _id(span: Span, number: int) -> str:
    # In the order of the calls, which have one time.
    return f"{hashlib.sha256(span.span_id.encode()).hexdigest()[:12]}{number % 65_536:04x}"
