"""The messages of an OpenInference span: those listed, and those of the raw request and answer."""

from __future__ import annotations

from dataclasses import replace

from collector.content import messages
from collector.span import Span
from collector.spelling import convention
from collector.spelling.counterpart import fuller, lacks_ids, with_ids
from collector.spelling.exchange import messages_in
from collector.spelling.flat_messages import Items, openinference, read
from collector.spelling.observation import concluded, observed
from collector.spelling.trajectory import stepwise
from scorers.turn import Message

_DSPY = (".dspy", ".litellm")  # which calls the model for it
_ALL = ("pydantic_ai.all_messages", "all_messages_events")


def answered(span: Span, outgoing: Items) -> tuple[Message, ...] | None:
    """Return what the model answered, out of the list of its messages or the raw answer."""
    said = listed_in(span, outgoing) or ()
    if not said or lacks_ids(said):
        raw = messages_in(span.attributes.get("output.value"), "assistant") or ()
        said = with_ids(said, raw) or raw
    # Streamed answers leave their role out; a dumped request is no answer.
    made = tuple(
        replace(message, role="assistant")
        for message in said
        if message.role in ("assistant", "unknown")
    )
    if span.scope.name.endswith(_DSPY):
        made = stepwise(made)
    elif span.scope.name.endswith(".llama_index"):
        made = tuple(concluded(message) for message in made)
    return made or None


def delivered(span: Span, incoming: Items) -> tuple[Message, ...] | None:
    """Return what the model was sent, out of the list of messages and the raw request."""
    listed = listed_in(span, incoming) or ()
    complete = listed and not span.dropped and all(message.parts for message in listed)
    complete = complete and not lacks_ids(listed)
    raw = None if complete else messages_in(span.attributes.get("input.value"), "user")
    if raw and len(raw) > len(listed):
        # What the SDK refused or the instrumentation skipped may stand in the raw request.
        listed = raw
    elif raw and not span.dropped and len(raw) == len(listed):
        # Haystack's tool calls and results stand only in the raw request.
        pairs = zip(listed, raw, strict=True)
        listed = tuple(one if one.parts else other for one, other in pairs)
    listed = with_ids(listed, raw)
    # Results of parallel calls may have become one, or have been written over each other.
    listed = fuller(listed, raw or ())
    if convention.INPUT in span.attributes:
        listed = fuller(listed, convention.read(span)[0] or ())
    if span.scope.name.endswith(_DSPY):
        listed = stepwise(listed)
    return observed(listed) if listed else None


def conversation(span: Span) -> tuple[Message, ...] | None:
    """Return what a Pydantic AI agent was asked, and the dialog before it; else None.

    The processor's own `input.value` is the first request of the conversation, not the last one.
    """
    said = next((messages(span.attributes.get(key)) for key in _ALL if key in span.attributes), ())
    last = max((at for at, one in enumerate(said or ()) if one.role == "user"), default=-1)
    return said[: last + 1] or None if said else None


def listed_in(span: Span, items: Items) -> tuple[Message, ...] | None:
    """Return the messages of a flattened list, None where there is none."""
    return read(items, openinference, dropped=span.dropped)
