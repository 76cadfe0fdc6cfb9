"""What is fuzzed: one way into Tellback, and what must hold whatever comes in by it."""

from collections.abc import Iterable
from random import Random
from typing import Protocol


class Target(Protocol):
    """One way in. Built, it may hold a server that lives from input to input."""

    def seeds(self) -> Iterable[bytes]:
        """Return the inputs to begin with."""

    def mutated(self, data: bytes, random: Random) -> bytes | None:
        """Return a changed input that keeps its structure; None where `data` has none."""

    def check(self, data: bytes) -> None:
        """Take one input. Raises where something does not hold that must."""
