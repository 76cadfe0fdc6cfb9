"""What a program may say about its turn in attributes, whatever library instruments it.

Many libraries have no place for a conversation id, an agent's version, or files that came with a
request (docs/attributes.md). An attribute on any span of the turn, or on the resource, fills it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from collector.content import decode, redacted, text
from collector.span import Record, Resource
from scorers.turn import File, Operation, ToolExecution
from scorers.value import value

# What stands before the others overrides what a library says; the others fill what it leaves out.
CONVERSATION = (
    "tellback.conversation.id", "gen_ai.conversation.id", "session.id",
    # The Vercel AI SDK 7 writes the caller's context on the spans of its steps only.
    "ai.settings.context.sessionId", "ai.settings.context.conversationId",
    "ai.settings.context.threadId", "ai.settings.context.chatId",
)  # fmt: skip
VERSION = ("tellback.agent.version", "gen_ai.agent.version")
AGENT = ("tellback.agent.name", "gen_ai.agent.name")
FILES = "tellback.requester.files"
# The second is what the conventions' memory operations (`search_memory`, …) found.
MEMORY = ("tellback.memory", "gen_ai.memory.records")
# Characters of what a tool produced, before anything shortened it: the content need not travel.
PRODUCED_SIZE = "tellback.tool.produced_size"
LARGEST = 2**53
MOST_FILES = 100  # of one span

AnOperation = TypeVar("AnOperation", bound=Operation)


@value
class Stated:
    """What one span says about the turn that it stands in or around.

    `size` is the bytes that it takes in memory, `start_ns` when the span began.
    """

    conversation_id: str | None = None
    agent: str | None = None
    agent_version: str | None = None
    files: tuple[File, ...] = ()
    memory: tuple[str, ...] = ()
    start_ns: int = 0
    size: int = 0


class Naming(Protocol):
    """The settings that name attributes of the user's own."""

    @property
    def conversation_attributes(self) -> tuple[str, ...]:
        """Attributes that hold a conversation's id."""

    @property
    def version_attributes(self) -> tuple[str, ...]:
        """Attributes that hold an agent's version."""


class Stating:
    """Reads what records state. It remembers the last resource: most records share one."""

    def __init__(self, naming: Naming) -> None:
        self._conversation = (*CONVERSATION, *naming.conversation_attributes)
        self._version = (*VERSION, *naming.version_attributes)
        self._looked_for = frozenset((*self._conversation, *self._version, *AGENT, FILES, *MEMORY))
        self._resource: Resource | None = None
        self._of_resource: Stated | None = None

    def of(self, record: Record) -> Stated | None:
        """Return what a record's own attributes state, None where they state nothing."""
        attributes = record.attributes
        if self._looked_for.isdisjoint(attributes):
            return None
        conversation = _name(attributes, self._conversation)
        version = _name(attributes, self._version)
        agent = _name(attributes, AGENT)
        files = _files(attributes.get(FILES))
        memory = tuple(told for key in MEMORY if (told := text(attributes.get(key))))
        if not (conversation or version or agent or files or memory):
            return None
        size = sum(len(one.name) + len(one.text) for one in files) + sum(map(len, memory))
        start = getattr(record, "start_ns", 0)
        return Stated(conversation, agent, version, files, memory, start, 2 * size + 200)

    def fill(
        self, operations: Iterable[AnOperation], record: Record, own: Stated | None
    ) -> tuple[AnOperation, ...]:
        """Return a record's operations with what its attributes and its resource state."""
        if PRODUCED_SIZE in record.attributes:
            size = _count(record.attributes[PRODUCED_SIZE])
            operations = [_sized(one, size) for one in operations]
        if record.resource is not self._resource:
            self._resource = record.resource
            attributes = record.resource.attributes
            stated = Stated(
                _name(attributes, self._conversation),
                _name(attributes, AGENT),
                _name(attributes, self._version),
            )
            self._of_resource = None if stated == _NOTHING else stated
        around = self._of_resource
        if own is None and around is None:
            return tuple(operations)
        own, around = own or _NOTHING, around or _NOTHING
        return tuple([_filled(one, record, own, around) for one in operations])


_NOTHING = Stated()


def _filled(one: AnOperation, record: Record, own: Stated, around: Stated) -> AnOperation:
    said = record.attributes
    conversation = _own(said, CONVERSATION[0]) or one.conversation_id
    version = _own(said, VERSION[0]) or one.agent_version
    agent = _own(said, AGENT[0]) or one.agent
    conversation = conversation or own.conversation_id or around.conversation_id
    version = version or own.agent_version or around.agent_version
    agent = agent or own.agent or around.agent
    same = (one.conversation_id, one.agent_version, one.agent) == (conversation, version, agent)
    if same:
        return one
    return replace(one, conversation_id=conversation, agent_version=version, agent=agent)


def _sized(one: AnOperation, size: int | None) -> AnOperation:
    """Add the size that a harness states of its tool's result, whatever the dialect."""
    if size is None or not isinstance(one, ToolExecution):
        return one
    kept = one.delivered_size if one.size_unit in (None, "characters") else None
    return replace(one, produced_size=size, delivered_size=kept, size_unit="characters")


def _count(value: Any) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 17:
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST:
        return value
    return None


def _own(attributes: Mapping[str, Any], key: str) -> str | None:
    return _name(attributes, (key,)) if key in attributes else None


def _name(attributes: Mapping[str, Any], keys: tuple[str, ...]) -> str | None:
    """Return the first of some attributes that names something; numbers are names too."""
    for key in keys:
        if key in attributes:
            found = attributes[key]
            if isinstance(found, int) and not isinstance(found, bool):
                found = str(found)
            if isinstance(found, str) and found and not found.isspace() and not redacted(found):
                return found
    return None


def _files(raw: Any) -> tuple[File, ...]:
    """Read `[{"name": …, "text": …}]`, one such object, or names alone."""
    listed = decode(raw)
    if listed is None or listed == "":
        return ()
    found: list[File] = []
    for item in listed if isinstance(listed, list | tuple) else [listed]:
        one = decode(item)
        if isinstance(one, dict):
            name, content = one.get("name"), one.get("text")
            if (isinstance(name, str) and name) or (isinstance(content, str) and content):
                found.append(File(str(name or "file"), text(content) if content else ""))
        elif isinstance(one, str) and one:
            found.append(File(one, ""))
        if len(found) >= MOST_FILES:
            break
    return tuple(found)
