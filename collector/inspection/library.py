"""What a library of the advice table is: how it is recognised, what it shows, what to switch on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Topic = Literal[
    "content", "upload", "tools", "results", "calls", "session", "agent", "version", "usage",
    "ids", "length", "count", "nothing",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Switch:
    """One setting by its exact name, as it is written, and what it does in half a sentence."""

    setting: str
    effect: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """An instrumentation library, or an agent that instruments itself.

    `scopes` are instrumentation scope names; one that ends in `*` stands for all that begin so.
    `services` are values of `service.name` of programs that state no scope of their own.
    `switches` say by topic what shows more; a topic that is not there has no switch in this
    library, and the general advice of `OF_ALL` stands for it.
    """

    name: str
    dialect: str
    about: str
    shows: str
    scopes: tuple[str, ...] = ()
    services: tuple[str, ...] = ()
    switches: Mapping[Topic, tuple[Switch, ...]] = field(default_factory=dict)

    @property
    def is_by_hand(self) -> bool:
        """Whether this stands for spans that somebody writes without a library."""
        return not self.scopes and not self.services

    def has(self, scope: str) -> bool:
        """Whether a scope is this library's."""
        return self.length_of_match(scope) > 0

    def length_of_match(self, scope: str) -> int:
        """Return how much of a scope's name is matched, 0 where it is not this library's."""
        best = 0
        for pattern in self.scopes:
            if pattern.endswith("*"):
                if scope.startswith(pattern[:-1]):
                    best = max(best, len(pattern) - 1)
            elif scope == pattern:
                best = max(best, len(pattern) + 1)
        return best
