"""What spans in and around a turn say about it, beside its operations (docs/attributes.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from collector.assembly.drafts import Draft
from collector.assembly.material import MAX_DEPTH, Key, key_of
from collector.stated import Stated
from scorers.turn import File


@dataclass(slots=True)
class Surroundings:
    """What is said about one turn, the nearest span first. None where nothing is."""

    conversation_id: str | None = None
    agent: str | None = None
    agent_version: str | None = None
    files: list[File] = field(default_factory=list)
    memory: list[str] = field(default_factory=list)

    def add(self, said: Stated) -> None:
        """Add what one span says; what a nearer one said stays."""
        self.conversation_id = self.conversation_id or said.conversation_id
        self.agent = self.agent or said.agent
        self.agent_version = self.agent_version or said.agent_version
        self.files += [one for one in said.files if one not in self.files]
        self.memory += [one for one in said.memory if one not in self.memory]


def surroundings(
    drafts: Sequence[Draft], stated: Mapping[Key, Stated], parents: Mapping[Key, Key | None]
) -> list[Surroundings]:
    """Return what is said about each of a group's turns.

    A span around a turn's operations speaks of that turn, also where it is around others'. What
    stands beside them (a search in memory) belongs to the turn that was under way.
    """
    found = [Surroundings() for _ in drafts]
    if not stated:
        return found
    around: set[Key] = set()
    for draft, said in zip(drafts, found, strict=True):
        for key in _enclosing(draft, stated, parents):
            around.add(key)
            said.add(stated[key])
    beside = [(said.start_ns, key) for key, said in stated.items() if key not in around]
    for start, key in sorted(beside) if drafts else ():
        begun = [at for at, draft in enumerate(drafts) if draft.started_ns <= start]
        found[begun[-1] if begun else 0].add(stated[key])
    return found


def _enclosing(
    draft: Draft, stated: Mapping[Key, Stated], parents: Mapping[Key, Key | None]
) -> list[Key]:
    """Return the spans that state something, from the operations of a turn up to its roots."""
    seen: set[Key] = set()
    found: list[Key] = []
    for operation in draft.operations:
        at: Key | None = key_of(operation)
        for _ in range(MAX_DEPTH):
            if at is None or at in seen:
                break
            seen.add(at)
            if at in stated:
                found.append(at)
            at = parents.get(at)
    return found
