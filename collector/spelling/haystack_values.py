"""What components of Haystack were given and gave: JSON, or Python's repr of its objects.

Messages have had three spellings: `{"_role": …, "_content": […]}`, `{"role": …, "content": […]}`,
and `ChatMessage(_role=<ChatRole.USER: 'user'>, …)`.
"""

from __future__ import annotations

from typing import Any

from collector.content import decode, messages
from collector.content.pyobject import object_message, read_entries
from collector.spelling.convention import string
from scorers.turn import Message, Part

Messages = tuple[Message, ...] | None


def entries(value: Any) -> dict[str, Any] | None:
    """Return the entries of a component's input or output, None where there are none."""
    return opened(value)[0]


def opened(value: Any) -> tuple[dict[str, Any] | None, str | None]:
    """Return the entries, and the name of the one that breaks off."""
    decoded = decode(value)
    if isinstance(decoded, dict):
        return decoded, None
    if not isinstance(decoded, str) or not decoded:
        return None, None
    found, cut = read_entries(decoded)
    return (found, cut) if found or cut else (None, None)


def said_in(listed: Any) -> Messages:
    """Return Haystack's messages, in its JSON of any version or as reprs."""
    if isinstance(listed, str) and listed:
        return (Message("user", (Part("text", listed),)),)
    if not isinstance(listed, list):
        return None
    spelled = [object_message(item) if isinstance(item, dict) else item for item in listed]
    return messages(spelled) or None


def delivered(given: dict[str, Any] | None) -> Messages:
    """Return the messages that a generator was given: a list, or a prompt."""
    if given is None:
        return None
    said = said_in(given.get("messages"))
    prompt = given.get("prompt")
    if said is None and isinstance(prompt, str) and prompt:
        said = (Message("user", (Part("text", prompt),)),)
    system = given.get("system_prompt")
    if said is not None and isinstance(system, str) and system:
        return (Message("system", (Part("text", system),)), *said)
    return said


def replies_in(answer: dict[str, Any] | None) -> tuple[Messages, dict[str, Any]]:
    """Return what the model answered, and what its component knows about the answer."""
    replies = (answer or {}).get("replies")
    listed = replies if isinstance(replies, list) else []
    metas = (answer or {}).get("meta")
    for meta in (
        *(item.get(key) for item in listed if isinstance(item, dict) for key in ("meta", "_meta")),
        *(metas if isinstance(metas, list) else ()),
    ):
        if isinstance(meta, dict):
            break
    else:
        meta = {}
    spelled = [object_message(item) if isinstance(item, dict) else item for item in listed]
    return messages(spelled, role="assistant") or None, meta


def offered(given: dict[str, Any] | None) -> tuple[str, ...] | None:
    """Return the names of the tools that a generator was given; None where it shows none."""
    tools = (given or {}).get("tools")
    if not isinstance(tools, list):
        return None
    return tuple([name for tool in tools if (name := _named(tool))])


def _named(tool: Any) -> str | None:
    if not isinstance(tool, dict):
        return None
    data = tool.get("data")  # as Haystack writes a tool as JSON
    return string(tool, "name") or (string(data, "name") if isinstance(data, dict) else None)


def handled_by(given: dict[str, Any] | None) -> dict[str | None, bool]:
    """Say for each tool that the invoker shows whether a handler makes its result shorter."""
    tools = (given or {}).get("tools")
    found: dict[str | None, bool] = {}
    for tool in tools if isinstance(tools, list) else ():
        name = _named(tool)
        if name:
            data = tool.get("data")
            stated = data if isinstance(data, dict) else tool
            found[name] = bool(stated.get("outputs_to_string"))
    return found


def failed_calls(listed: Any) -> set[Any]:
    """Return the ids of tool calls whose results are errors."""
    found: set[Any] = set()
    for item in listed if isinstance(listed, list) else ():
        content = item.get("content", item.get("_content")) if isinstance(item, dict) else None
        for block in content if isinstance(content, list) else ():
            result = block.get("tool_call_result", block) if isinstance(block, dict) else None
            if isinstance(result, dict) and result.get("error") is True:
                asked = result.get("origin")
                found.add(asked.get("id") if isinstance(asked, dict) else None)
    return found
