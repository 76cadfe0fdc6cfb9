"""Who speaks: the names that providers and frameworks give to the four roles."""

from __future__ import annotations

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
