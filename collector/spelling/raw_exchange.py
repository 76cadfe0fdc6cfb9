"""A model call's request and answer as tracing SDKs dump them: the arguments, and what came back.

Langfuse, LangSmith and MLflow write one value for each side, in the shape of whatever was traced: a
provider's client, LangChain, or a decorated function.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from collector.content import compact, decode, literal, messages, redacted, tool_names
from collector.spelling.envelope import arguments_in, encoded, request_in
from collector.spelling.named_roles import answered_by_name
from scorers.turn import Message, Part

_LISTS = ("messages", "contents")
_PROMPTS = ("prompt", "prompts", "input")
_ANSWERS = ("generations", "choices", "message", "messages")
_OFFERED = ("tools", "functions")


class Request(NamedTuple):
    """What a model was sent: the messages and the names of the tools offered; None if unknown."""

    messages: tuple[Message, ...] | None = None
    tools: tuple[str, ...] | None = None


def request_of(value: Any) -> Request:
    """Return what a raw request holds. Its last piece is flagged where its end is missing."""
    if redacted(value):
        return Request()
    value, cut = encoded(value)
    if isinstance(value, dict):
        found = _of_arguments(value)
    elif isinstance(value, list):
        found = _of_list(value)
    else:
        found = Request(messages(value))
    said = found.messages or None
    if said and cut and _ends_in_messages(value):
        said = _flagged(said)
    return Request(said, found.tools)


def answer_of(value: Any) -> tuple[Message, ...] | None:
    """Return what a raw answer holds: messages, or a text; None where there is none."""
    if redacted(value):
        return None
    decoded, cut = encoded(value)
    found: tuple[Message, ...] | None
    if isinstance(decoded, dict):
        found = _of_answer(decoded)
    elif isinstance(decoded, list):
        found = messages(decoded, role="assistant")
    else:
        found = messages(decoded, role="assistant")
    spoken = tuple(message for message in found or () if message.role == "assistant")
    if not spoken and isinstance(decoded, dict | list) and decoded:
        # A function that returns an object: the model's words as somebody made them up.
        words = value if isinstance(value, str) else compact(decoded)
        spoken = (Message("assistant", (Part("text", words),)),)
    return _flagged(spoken) if spoken and cut else spoken or None


def arguments_of(value: Any) -> str | None:
    """Return a tool call's arguments as text. LangChain hands them to callbacks as Python's repr.

    LangSmith puts that under `input`.
    """
    decoded = decode(value)
    if isinstance(decoded, dict) and set(decoded) == {"input"}:
        given = decoded["input"]
        value = given if isinstance(given, str) and given.startswith("{") else value
    arguments = arguments_in(value)
    if arguments is not None and arguments.startswith("{'"):
        try:
            return compact(literal(arguments))
        except ValueError:
            return arguments
    return arguments


def response_metadata(value: Any) -> dict[str, Any]:
    """Return what LangChain's dump of an answer says about it: `model_name`, `id` and others."""
    answer = decode(value)
    generations = answer.get("generations") if isinstance(answer, dict) else None
    while isinstance(generations, list) and generations:
        generations = generations[0]
    for key in ("message", "kwargs", "response_metadata"):
        generations = generations.get(key) if isinstance(generations, dict) else None
    return generations if isinstance(generations, dict) else {}


def _ends_in_messages(value: Any) -> bool:
    """Say whether the missing end is that of the messages: other arguments may stand behind."""
    if not isinstance(value, dict):
        return not (isinstance(value, list) and value and _tool(value[-1]))
    key = next(reversed(value), None)
    return key in (*_LISTS, *_PROMPTS, "args", "kwargs")


def _of_arguments(value: dict[str, Any]) -> Request:
    tools = next((found for key in _OFFERED if (found := tool_names(value.get(key)))), None)
    kwargs = value.get("kwargs")
    if isinstance(kwargs, dict) and not any(key in value for key in _LISTS):
        inner = _of_arguments(kwargs)
        return inner if inner.messages else Request(request_in(value), tools)
    if any(value.get(key) for key in _LISTS):
        said = value.get("messages")
        if isinstance(said, list) and len(said) == 1 and isinstance(said[0], list):
            value = {**value, "messages": said[0]}  # LangChain sends a batch of one
        if isinstance(value.get("messages"), list):
            inner = _of_list(value["messages"])
            system = value.get("system")
            first = messages([{"role": "system", "content": system}]) if system else None
            every = (*(first or ()), *(inner.messages or ()))
            return Request(every or None, tools or inner.tools)
        return Request(messages(value), tools)
    system = value.get("instructions") or value.get("system")
    for key in _PROMPTS:
        given = decode(value.get(key))
        if isinstance(given, list) and len(given) == 1 and isinstance(given[0], str):
            given = given[0]
        if given:
            said = [{"role": "user", "content": given}] if isinstance(given, str) else given
            before = [{"role": "system", "content": system}] if system else []
            return Request(messages([*before, *said]) if isinstance(said, list) else None, tools)
    return Request(request_in(value), tools)


def _of_list(items: list[Any]) -> Request:
    """Langfuse's LangChain callback adds the tools to the messages, as ones of role tool."""
    definitions = [tool for item in items if (tool := _tool(item))]
    said = messages([_spoken(item) for item in items if not _tool(item)])
    if said:
        said = answered_by_name(said)
    return Request(said, tool_names(definitions) if definitions else None)


def _spoken(item: Any) -> Any:
    """Return a message; of those without a role only a tool's without a name is so written."""
    nameless = isinstance(item, dict) and set(item) == {"content", "additional_kwargs"}
    return {"role": "tool", **item} if nameless else item


def _tool(item: Any) -> dict[str, Any] | None:
    """Return the definition of a tool that stands in the place of a message, else None."""
    if not isinstance(item, dict) or item.get("role") != "tool" or item.get("tool_call_id"):
        return None
    content = item.get("content")
    return content if isinstance(content, dict) else None


def _of_answer(value: dict[str, Any]) -> tuple[Message, ...] | None:
    if isinstance(value.get("output"), list) and "role" not in value:  # the Responses API
        return messages(value["output"], role="assistant")
    if isinstance(value.get("candidates"), list):  # Gemini
        said = [item.get("content") for item in value["candidates"] if isinstance(item, dict)]
        return messages(said, role="assistant")
    speaks = isinstance(value.get("role"), str) or "tool_calls" in value or value.get("lc") == 1
    typed = isinstance(value.get("type"), str) and ("content" in value or "call_id" in value)
    if speaks or typed or any(key in value for key in _ANSWERS):
        return messages(_flat(value), role="assistant")
    inner = decode(value.get("output", value.get("outputs"))) if len(value) == 1 else None
    if isinstance(inner, dict):
        return _of_answer(inner)
    if isinstance(inner, str | list):
        return messages(inner, role="assistant")
    content = value.get("content")
    return messages({"role": "assistant", "content": content}) if content else None


def _flat(value: dict[str, Any]) -> Any:
    """Take a message that stands alone under its key out of what stands beside it."""
    inner = decode(value.get("message"))
    return inner if isinstance(inner, dict) and "choices" not in value else value


def _flagged(said: tuple[Message, ...]) -> tuple[Message, ...]:
    *whole, last = said
    parts = tuple(replace(part, cut_by_capture=True) for part in last.parts)
    return (*whole, replace(last, parts=parts))
