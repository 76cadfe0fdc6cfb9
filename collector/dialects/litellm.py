"""LiteLLM's OpenTelemetry callback: its own spans, and what it writes on other people's.

A call is a span `litellm_request` (`chat {model}` with the newer conventions) whose messages leave
tool calls out, with a child `raw_gen_ai_request` that repeats what was sent and answered, as
Python's repr under `llm.{provider}.*`. Inside a span of the application there is no request span:
its attributes go onto that span, one call over the other, and only the children tell the calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from collector.content import capture_of, compact, decode, literal
from collector.dialect import AnyOperation, Shape, origin
from collector.span import Record, Span
from collector.spelling import convention, conventional
from collector.spelling.convention import reasons_in, string
from collector.spelling.exchange import messages_in, response_id, usage_in
from collector.spelling.flat_messages import openllmetry, read
from collector.spelling.flattened import entries
from scorers.turn import AgentInvocation, Inference, Message, Part

_SCOPE = "litellm"
# The tracer may be renamed: what LiteLLM alone writes tells its spans as well.
_MARKS = ("litellm.call_id", "litellm.provider.model")
# A span of Traceloop's says more about itself than the call that was written on it.
_FOREIGN = "traceloop.span.kind"
_PREFIX = "llm."
_SENT = (
    "messages", "system", "input", "instructions", "contents", "systemInstruction",
    "system_instruction", "prompt",
)  # fmt: skip
_CONVERSATION = ("metadata.session_id", "metadata.requester_metadata.session_id")
_FUNCTION = "gen_ai.completion"
# The second is what Python 3.11 made of the first: the name of a constant for its value.
_PROMPTS = ("gen_ai.prompt", "SpanAttributes.LLM_PROMPTS")
_COMPLETIONS = (_FUNCTION, "SpanAttributes.LLM_COMPLETIONS")
# Named as LiteLLM's functions are, where they are not named by the conventions.
_CALLS = (*convention.CALLS, "acompletion", "aresponses", "atext_completion")
_KIND = "llm.request.type"


@dataclass(frozen=True, slots=True)
class LiteLLM:
    """Reads LiteLLM's spans, and other spans that it wrote a call on."""

    name: str = "litellm"

    def fits(self, shape: Shape) -> bool:
        """Spans in LiteLLM's scope that tell of a call, and others with its marks."""
        if shape.event is not None:
            return shape.scope == _SCOPE and conventional.fits(shape)
        if any(mark in shape.keys for mark in _MARKS):
            return True
        return shape.scope == _SCOPE and (
            conventional.fits(shape) or any(key.startswith(_PREFIX) for key in shape.keys)
        )

    def claims(self, record: Record) -> bool:
        """Say whether the record holds a call as LiteLLM writes it."""
        if any(mark in record.attributes for mark in _MARKS):
            return isinstance(record, Span) and _FOREIGN not in record.attributes
        if record.scope.name != _SCOPE:
            return False
        if conventional.claims(record) or _KIND in record.attributes:
            return True
        return isinstance(record, Span) and _is_raw(record)

    def operations(self, record: Record) -> Iterable[AnyOperation]:
        """Yield the model call of a record; the run of the span that LiteLLM wrote upon."""
        if not isinstance(record, Span):
            yield from conventional.operations(record, self.name)
        elif _is_raw(record):
            yield _raw_call(record, self.name)
        elif _is_agents(record):
            yield _run(record, self.name)
        elif (convention.operation_of(record) or "chat") in _CALLS:
            yield _call(record, self.name)
        else:
            yield from conventional.operations(record, self.name)


def _is_raw(span: Span) -> bool:
    if any(mark in span.attributes for mark in (*_MARKS, *convention.STATING, _KIND)):
        return False
    return any(key.startswith(_PREFIX) and key.count(".") > 1 for key in span.attributes)


def _is_agents(span: Span) -> bool:
    """Say whether a call was written on an agent's span: it is around its calls, and no call."""
    if span.scope.name == _SCOPE:
        return False
    return "gen_ai.agent.name" in span.attributes or span.name.startswith(convention.AGENT)


def _call(span: Span, dialect: str) -> Inference:
    attributes = span.attributes
    given, made = convention.read(span)
    if given is None and made is None:
        given = _numbered(span, _PROMPTS)
        made = _numbered(span, _COMPLETIONS)
    call = conventional.model_call(span, dialect, (given, _with_functions(made, attributes)))
    return replace(call, conversation_id=call.conversation_id or string(attributes, *_CONVERSATION))


def _numbered(span: Span, prefixes: tuple[str, ...]) -> tuple[Message, ...] | None:
    """Read messages in OpenLLMetry's spelling, as all were up to about 1.70."""
    found = (entries(span.attributes, prefix) for prefix in prefixes)
    return read(next(filter(None, found), []), openllmetry, dropped=span.dropped)


def _with_functions(
    made: tuple[Message, ...] | None, attributes: Mapping[str, Any]
) -> tuple[Message, ...] | None:
    """Add the tool calls of the answer, whose names and arguments stand in attributes."""
    if not made or made[0].text or any(message.of_kind("tool_call") for message in made):
        return made  # on other people's spans they may be those of an earlier call
    calls = tuple(
        Part("tool_call", _text(fields.get("function_call.arguments")), name=name)
        for _, fields in entries(attributes, _FUNCTION)
        if (name := string(fields, "function_call.name"))
    )
    if not calls:
        return made
    said = tuple(part for part in made[0].parts if part.kind != "text")
    return (replace(made[0], parts=(*said, *calls)), *made[1:])


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else compact(value)


def _raw_call(span: Span, dialect: str) -> Inference:
    """Read `llm.{provider}.*`: the fields of the request and, beside them, of the answer."""
    request: dict[str, Any] = {}
    answer: dict[str, Any] = {}
    provider = None
    texts = {key: value for key, value in span.attributes.items() if key.startswith(_PREFIX)}
    broken: list[str] = []
    for key, value in texts.items():
        found, _, field = key.removeprefix(_PREFIX).partition(".")
        if field:
            provider = provider or found
            decoded = _value(value)
            if decoded is None:
                broken.append(key)
            (request if field in _SENT else answer)[field] = decoded
    made = messages_in(answer, "assistant")
    model = answer.get("model")
    return Inference(
        **origin(span, dialect)
        | {"capture": replace(capture_of(span, texts=texts), broken=tuple(broken))},
        provider=provider,
        model=model if isinstance(model, str) else None,
        response_id=response_id(answer),
        input=messages_in(request, "user") if request else None,
        output=made,
        usage=usage_in(answer),
        finish_reasons=reasons_in(made),
    )


def _value(value: Any) -> Any:
    """Return a field's value: JSON, or Python's repr; None where its end is missing."""
    decoded = decode(value)
    if isinstance(decoded, str) and decoded[:1] in ("[", "{"):
        try:
            return literal(decoded)
        except ValueError:
            return None
    return decoded


def _run(span: Span, dialect: str) -> AgentInvocation:
    """Return an agent's run; the call that was written last upon it names request and reply."""
    call = _call(span, dialect)
    fields = {
        key: getattr(call, key)
        for key in AgentInvocation.__dataclass_fields__
        if key not in ("kind", "input", "output")
    }
    ended = not any(message.of_kind("tool_call") for message in call.output or ())
    return AgentInvocation(**fields, input=call.input, output=call.output if ended else None)
