"""How much work one comparison may cost, counted so that a verdict never depends on the clock.

A step is one to two microseconds of a core of 2020. What something costs is estimated before it is
done, from sizes alone, so that no single call can run away with the process: `re` and the parser of
JSON hold the interpreter's lock until they return.
"""

from __future__ import annotations

# All of one comparison: what 5 MB of ordinary rows need.
MOST_STEPS = 1_300_000
# Characters that one step covers: of a search or a copy, and of a split.
SEARCHED = 2_000
SPLIT = 100


class TooLarge(Exception):  # noqa: N818 - a limit that was reached, not a fault
    """A comparison would cost more than its budget; the message names what for."""


class Work:
    """The steps that are left to one comparison."""

    __slots__ = ("left",)

    def __init__(self, steps: int = MOST_STEPS) -> None:
        self.left = steps

    def spend(self, steps: int, what: str) -> None:
        """Take steps before doing the work. Raises TooLarge, naming `what`, where none are left."""
        if steps > self.left:
            raise TooLarge(what)
        self.left -= steps

    def affords(self, steps: int) -> bool:
        """Say whether that many steps are left."""
        return steps <= self.left
