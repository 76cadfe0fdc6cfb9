"""Which model calls carry each other's messages on: one conversation with the model."""

from __future__ import annotations

from collections.abc import Sequence

from collector.assembly.material import Key, Tree, key_of
from collector.assembly.repetition import repeated
from collector.assembly.segment import answer_of, asks_for_tools
from scorers.turn import Inference

INSTRUCTORS = ("system", "developer")
Place = tuple[Key | None, Key | None]  # the tool call around a call, and its nearest agent


def chains(calls: Sequence[Inference], tree: Tree) -> list[list[Inference]]:
    """Chain calls (in order): by tool call ids, by an answer that the next call repeats, by the
    same opening; a call that shows no link goes on where its agent waits for tools. Linear."""
    if len(calls) == 1:
        return [list(calls)]
    builder = _Builder(tree)
    for call in calls:
        builder.add(call)
    return builder.chains


class _Builder:
    """Ids and answers are looked up at a call's own agent first: agents count ids anew."""

    def __init__(self, tree: Tree) -> None:
        self.chains: list[list[Inference]] = []
        self._tree = tree
        self._by_tool_call: dict[tuple[object, ...], int] = {}
        self._by_answer: dict[tuple[object, ...], int] = {}
        self._by_opening: dict[tuple[object, ...], int] = {}
        self._latest: dict[Place, int] = {}

    def add(self, call: Inference) -> None:
        place = self._place(call)
        at = self._continued(call, place)
        if at is None or not self._repeats(call, self.chains[at][-1], place):
            opening = (*place, *_opening(call))
            if at is None and call.input is not None:
                at = self._by_opening.get(opening)
            if at is None:
                at = self._waiting(call, place)
            if at is None:
                at = len(self.chains)
                self.chains.append([])
            self._by_opening.setdefault(opening, at)
        self.chains[at].append(call)
        self._latest[place] = at
        answer = answer_of(call)
        if answer is None:
            return
        for part in answer.parts:
            if part.kind == "tool_call" and part.id:
                self._by_tool_call[(*place, part.id)] = at
                self._by_tool_call[(place[0], part.id)] = at
        text = answer.text.strip()
        if text:
            self._by_answer[(*place, text)] = at
            self._by_answer[(place[0], text)] = at

    def _repeats(self, call: Inference, last: Inference, place: Place) -> bool:
        """Whether a call opens as the last one of its chain: then that is noted already."""
        given, before = call.input or (), last.input or ()
        size = repeated(given, before) if place == self._place(last) else 0
        opened = size > 0 and any(message.role == "user" and message.text for message in before)
        return opened and not any(message.role in INSTRUCTORS for message in given[size:])

    def _place(self, call: Inference) -> Place:
        tool = self._tree.tool_around(call)
        around = self._tree.agents_around(call)
        return (key_of(tool) if tool else None, key_of(around[0]) if around else None)

    def _continued(self, call: Inference, place: Place) -> int | None:
        if not self._by_tool_call and not self._by_answer:
            return None
        for own in (place, place[:1]):
            for message in reversed(call.input or ()):
                for part in message.parts:
                    if part.kind in ("tool_call", "tool_result") and part.id:
                        at = self._by_tool_call.get((*own, part.id))
                        if at is not None:
                            return at
                if message.role == "assistant" and message.text.strip():
                    at = self._by_answer.get((*own, message.text.strip()))
                    if at is not None:
                        return at
        return None

    def _waiting(self, call: Inference, place: Place) -> int | None:
        """Return the chain that a call without any link goes on with: the latest of its agent,
        where that waits for tools (the messages were compacted), or where the input is not seen."""
        at = self._latest.get(place)
        if at is None:
            return None
        last = self.chains[at][-1]
        if call.input is None or last.input is None:
            return at if call.model == last.model or asks_for_tools(last) else None
        compacted = asks_for_tools(last) and not call.capture.broken
        return at if compacted and _system(call) == _system(last) else None


def _system(call: Inference) -> str:
    return "\n".join(m.text for m in call.input or () if m.role in INSTRUCTORS)


def _opening(call: Inference) -> tuple[object, ...]:
    """What two calls of one thread share when nothing links them: prompt and first words."""
    first = next((m.text for m in call.input or () if m.role == "user" and m.text), "")
    return (hash(_system(call)), hash(first))
