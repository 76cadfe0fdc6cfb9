"""When groups of traces are over, and when each is to be looked at next.

A look costs what is due, not what is open: most groups wait.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from heapq import heapify, heappop, heappush
from math import inf

from collector.assembly.open_turns import Group
from collector.assembly.settings import TurnsConfig
from scorers.turn import ClosedBy

BROKEN_OFF_PATIENCE = 6  # times the lingering of a turn whose tool may still be running
PRESSED_SETTLE = 0.05  # seconds of waiting for spans on their way, while much is open
SLACK = 1_000  # entries that may be out of date before the rest are gathered anew


class Agenda:
    """Groups by the time of their next look. An entry counts as long as its time is the one that
    its group names (`look_at`); it holds the group's key only, so that it keeps nothing alive."""

    def __init__(self, config: TurnsConfig, groups: Mapping[str, Group]) -> None:
        self._config = config
        self._groups = groups
        self._entries: list[tuple[float, str]] = []
        self._settle = config.settle
        self.pressed = False

    def press(self, open_groups: Collection[Group], most: float) -> None:
        """Wait less for late spans while these groups hold more than `most` bytes: to refuse what
        comes instead would cost more than a turn that is looked at twice."""
        self.pressed = sum(group.size for group in open_groups) > most
        self._settle = self._config.settle
        if self.pressed and self._settle > PRESSED_SETTLE:
            self._settle = PRESSED_SETTLE
            for group in open_groups:
                if group.has_ended:
                    self.plan(group)

    def plan(self, group: Group) -> None:
        """Have a group looked at when there may be something to do."""
        time = self._next_look(group)
        if time < group.look_at:
            group.look_at = time
            heappush(self._entries, (time, group.key))

    def due(self, now: float) -> Iterator[Group]:
        """Give out the groups whose time has come. They are to be planned anew."""
        if len(self._entries) > 2 * len(self._groups) + SLACK:
            self._entries = [(g.look_at, key) for key, g in self._groups.items() if g.look_at < inf]
            heapify(self._entries)
        while self._entries and self._entries[0][0] <= now:
            time, key = heappop(self._entries)
            group = self._groups.get(key)
            if group is not None and group.look_at == time:
                group.look_at = inf
                yield group

    def reason(self, group: Group, now: float) -> ClosedBy | None:
        """Say why a group's turns may be over, None where they are not."""
        if not group.is_open:
            return None
        if group.forced or now >= self._deadline(group):
            return "deadline"
        if not group.changed:
            return None
        if group.has_ended and now >= group.last_seen + self._settle:
            return "end"
        return "quiet" if now >= group.last_seen + self._config.quiet_period else None

    def is_past(self, group: Group, now: float) -> bool:
        """Say whether a group need not be remembered any longer."""
        return not group.is_open and now >= self._next_look(group)

    def _next_look(self, group: Group) -> float:
        config = self._config
        if not group.is_open:
            patience = config.linger if group.measured else config.quiet_period
            if group.broken_off:
                patience *= BROKEN_OFF_PATIENCE
            return max(group.last_seen, group.closed_at) + patience
        if group.forced:
            return group.last_seen
        look = self._deadline(group)
        if group.changed:
            wait = config.quiet_period
            if group.has_ended and self._settle < wait:
                wait = self._settle
            look = min(look, group.last_seen + wait)
        return look

    def _deadline(self, group: Group) -> float:
        """When a group closes at the latest. In a session's trace, what came since the last look
        still gets its quiet period, so that no turn is cut in the middle."""
        deadline = group.began + self._config.deadline
        if group.given or group.gone_ns:
            return max(deadline, group.last_seen + self._config.quiet_period)
        return deadline
