"""Who speaks: the names that providers and frameworks give to the four roles."""

from __future__ import annotations

from typing import Any

ROLES = {
    "human": "user",
    "ai": "assistant",
    "aimessagechunk": "assistant",
    "model": "assistant",
    "bot": "assistant",
    "developer": "system",
    "function": "tool",
    "tool_result": "tool",
    "toolmessage": "tool",
    "humanmessage": "user",
    "aimessage": "assistant",
    "systemmessage": "system",
}
KNOWN_ROLES = ("system", "user", "assistant", "tool")


def constructed(item: dict[str, Any]) -> str | None:
    """Return who speaks by the class of a message that LangChain.js dumped, else None."""
    path = item.get("id")
    named = path[-1] if isinstance(path, list) and path and "kwargs" in item else None
    return ROLES.get(named.lower()) if isinstance(named, str) else None
