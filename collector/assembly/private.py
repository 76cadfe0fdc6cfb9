"""The private context of a turn: what only the agent has seen, in the order it saw it."""

from __future__ import annotations

from collections.abc import Sequence

from collector.assembly.harness_text import requester_words
from collector.assembly.repetition import Messages, repeated
from scorers.turn import Inference, Message, PrivateItem, PrivateKind, ToolExecution

_PART_KINDS: dict[str, PrivateKind] = {
    "tool_call": "tool_call",
    "tool_result": "tool_result",
    "reasoning": "assistant_thought",
}

_SAID: dict[str, PrivateKind] = {
    "system": "system",
    "developer": "system",
    "assistant": "assistant_thought",
}
MOST_ALIKE = 8  # texts of one length that are compared one by one


def private_context(
    calls: Sequence[Inference],
    tools: Sequence[ToolExecution],
    told: Sequence[str],
    memory: Sequence[str] = (),
) -> tuple[PrivateItem, ...]:
    """Collect what the model calls and tools of a turn held beside what the requester knows.

    `told` are the texts of the requester context and the reply: they are left out. `memory` is what
    was remembered from before. Each text appears once, however often the calls repeat it.
    """
    collected = _Collected(told)
    for text in memory:
        collected.add("memory", text, "")
    read: Messages = ()
    for call in calls:
        given = call.input or ()
        for message in given[repeated(given, read) :]:
            collected.message(message)
        read = given
        for message in call.output or ():
            collected.message(message)
    for tool in tools:
        if tool.arguments:
            collected.add("tool_call", tool.arguments, tool.tool)
        if tool.result:
            collected.add("tool_result", tool.result, tool.tool)
    return tuple(collected.items)


class _Collected:
    """Items in order, each text of a kind once.

    Texts are not hashed: they are compared with those of the same length.
    """

    def __init__(self, told: Sequence[str]) -> None:
        self.items: list[PrivateItem] = []
        self._seen: dict[tuple[PrivateKind, int], list[str] | set[str]] = {}
        self._told = told
        self._known = {id(text) for text in told}
        self._stripped: frozenset[str] | None = None  # most texts are known, or none are asked for

    def add(self, kind: PrivateKind, text: str, name: str) -> None:
        if not text or text.isspace():
            return
        mark = (kind, len(text))
        alike = self._seen.setdefault(mark, [])
        if text in alike:
            return
        if isinstance(alike, list):
            alike.append(text)
            if len(alike) > MOST_ALIKE:
                self._seen[mark] = set(alike)
        else:
            alike.add(text)
        self.items.append(PrivateItem(kind, text, name))

    def message(self, message: Message) -> None:
        for part in message.parts:
            kind = _PART_KINDS.get(part.kind)
            if kind is not None:
                self.add(kind, part.text, part.name or "")
            elif part.kind == "text" and not self._is_told(part.text):
                said = _SAID.get(message.role)
                if said is not None:
                    self.add(said, part.text, "")
                elif message.role == "user" and not self._is_told(requester_words(part.text)):
                    self.add("summary", part.text, "")

    def _is_told(self, text: str) -> bool:
        if id(text) in self._known:
            return True
        if self._stripped is None:
            self._stripped = frozenset(text.strip() for text in self._told)
        return text.strip() in self._stripped
