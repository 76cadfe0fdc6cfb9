"""A raw request to a model's API, or its raw answer, as an instrumentation dumped it."""

from __future__ import annotations

from typing import Any

from collector.content import decode, messages, redacted, usage_of
from scorers.turn import Message, Usage


def messages_in(value: Any, role: str) -> tuple[Message, ...] | None:
    """Return the messages of a request (role user) or an answer (role assistant); else None.

    A text is the prompt, or the answer. Reads chat requests of any provider, the Responses API,
    LangChain's and Haystack's dumps.
    """
    request = decode(value)
    if redacted(value) or request is None:
        return None
    if not isinstance(request, dict):
        return messages(request, role=role) or None
    items = request.get("input") if role == "user" else request.get("output")
    if isinstance(items, list):  # the Responses API
        system = request.get("instructions") if role == "user" else None
        return messages([{"role": "system", "content": system}, *items] if system else items)
    shapes = ("messages", "contents", "generations", "choices", "replies", "role")
    if not any(key in request for key in shapes):
        return None
    return messages(request.get("replies", request), role=role) or None


def response_id(value: Any) -> str | None:
    """Return the id that a model API gave its answer, None where the value is no answer."""
    answer = decode(value)
    found = answer.get("id") if isinstance(answer, dict) else None
    return found if isinstance(found, str) and found else None


def usage_in(value: Any) -> Usage:
    """Return the token counts of a raw answer; all None where the value is no answer."""
    answer = decode(value)
    stated = answer.get("usage") if isinstance(answer, dict) else None
    return usage_of(stated) if isinstance(stated, dict) else Usage()
