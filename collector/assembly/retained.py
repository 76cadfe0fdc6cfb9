"""What closed turns still hold, for spans that come late: a bounded part of the memory there is."""

from __future__ import annotations

from collector.assembly.open_turns import Group

SHARE = 4  # what closed turns hold may take this part of all bytes
KEPT_TURNS = 8  # latest turns of a session's trace that stay when earlier ones are let go
MANY_RECORDS = 100  # of one group, from which on earlier turns are let go


class Retained:
    """Groups that are closed and hold their contents, the longest closed first."""

    def __init__(self) -> None:
        self.size = 0
        self._groups: dict[str, tuple[Group, int]] = {}

    def add(self, group: Group) -> None:
        """Note that a group was closed."""
        self.drop(group)
        self._groups[group.key] = (group, group.size)
        self.size += group.size

    def drop(self, group: Group) -> None:
        """Note that a group was opened again, or is gone."""
        _, size = self._groups.pop(group.key, (group, 0))
        self.size -= size

    def let_go(self, size: int, most: int) -> int:
        """Let go of what the longest closed groups hold, until they keep to their share of `most`
        bytes, and all together (`size`) to `most`. Returns the bytes that are free again."""
        freed = 0
        while self._groups and (size - freed > most or self.size > most // SHARE):
            group, _ = next(iter(self._groups.values()))
            self.drop(group)
            freed += group.let_go(max((o.end_ns for o in group.operations()), default=0))
        return freed


def let_go_of_earlier_turns(group: Group) -> int:
    """Let go of all but the latest turns that a long session's trace gave out, so that it can go
    on. Returns the bytes that are free again."""
    if len(group.held) < MANY_RECORDS or len(group.given) <= KEPT_TURNS:
        return 0
    starts = sorted(given.turn.started_ns for given in group.given.values() if given.turn)
    return group.let_go(starts[-KEPT_TURNS]) if len(starts) > KEPT_TURNS else 0
