"""Output tools: calls by which a model hands in its final answer, as Pydantic AI offers them.

The call is the reply to the requester, and the result that the framework files behind it
("Final result processed.") tells the model nothing. As calls among calls they would leave the
conversation without an answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from collector.content import compact, decode, text
from scorers.turn import Message, Part

DEFAULT: Mapping[str, str | None] = {"final_result": None}
_ACCEPTED = ("Final result processed", "Output tool not used", "Result tool not used")


def offered(parameters: Any) -> Mapping[str, str | None]:
    """Return the output tools that a request's parameters name, each with the key in which its
    arguments hold the answer, None where they are the answer."""
    stated = decode(parameters)
    # Early versions call the output the result.
    for key in ("output_tools", "result_tools"):
        listed = stated.get(key) if isinstance(stated, dict) else None
        if isinstance(listed, list):
            return {
                tool["name"]: _key(tool.get("outer_typed_dict_key"))
                for tool in listed
                if isinstance(tool, dict) and isinstance(tool.get("name"), str)
            }
    return DEFAULT


def answered(said: tuple[Message, ...], tools: Mapping[str, str | None]) -> tuple[Message, ...]:
    """Return the messages with accepted answers as texts, and without the results behind them."""
    results = [
        part
        for message in said
        for part in message.of_kind("tool_result")
        if part.id and part.name in tools and part.text.startswith(_ACCEPTED)
    ]
    if not results:
        return said
    accepted = {part.id for part in results}
    kept = {id(part) for part in results}
    found: list[Message] = []
    for message in said:
        parts = tuple(
            _answer(part, tools) if part.kind == "tool_call" and part.id in accepted else part
            for part in message.parts
            if id(part) not in kept
        )
        if parts or not message.parts:
            found.append(replace(message, parts=parts))
    return tuple(found)


def _answer(call: Part, tools: Mapping[str, str | None]) -> Part:
    given = decode(call.text)
    key = tools.get(call.name or "")
    if isinstance(given, dict):
        given = given[key] if key and key in given else compact(given)
    return Part("text", text(given))


def _key(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
