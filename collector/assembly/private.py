"""The private context of a turn: what only the agent has seen, in the order it saw it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from collector.assembly.harness_text import requester_words
from scorers.turn import Inference, Message, PrivateItem, PrivateKind, ToolExecution

_PART_KINDS: dict[str, PrivateKind] = {
    "tool_call": "tool_call",
    "tool_result": "tool_result",
    "reasoning": "assistant_thought",
}


def private_context(
    calls: Sequence[Inference], tools: Sequence[ToolExecution], requester: frozenset[str]
) -> tuple[PrivateItem, ...]:
    """Collect what the model calls and tools of a turn held beside what the requester knows.

    `requester` holds the texts of the requester context and the reply: they are left out.
    Each text appears once, however often the calls repeat it.
    """
    seen: set[tuple[PrivateKind, str]] = set()
    items: list[PrivateItem] = []

    def add(kind: PrivateKind, text: str, name: str = "") -> None:
        if text.strip() and (kind, text) not in seen:
            seen.add((kind, text))
            items.append(PrivateItem(kind, text, name))

    for call in calls:
        for message in call.input or ():
            for kind, text, name in _pieces(message, requester):
                add(kind, text, name)
        for message in call.output or ():
            for kind, text, name in _pieces(message, requester):
                add(kind, text, name)
    for tool in tools:
        if tool.arguments:
            add("tool_call", tool.arguments, tool.tool)
        if tool.result:
            add("tool_result", tool.result, tool.tool)
    return tuple(items)


def _pieces(message: Message, requester: frozenset[str]) -> Iterable[tuple[PrivateKind, str, str]]:
    for part in message.parts:
        kind = _PART_KINDS.get(part.kind)
        if kind is not None:
            yield kind, part.text, part.name or ""
        elif part.kind == "text" and part.text.strip() not in requester:
            if message.role in ("system", "developer"):
                yield "system", part.text, ""
            elif message.role == "assistant":
                yield "assistant_thought", part.text, ""
            elif message.role == "user" and requester_words(part.text) not in requester:
                yield "summary", part.text, ""
