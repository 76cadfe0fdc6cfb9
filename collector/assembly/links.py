"""Which traces carry one turn together: a model call each, without a common parent.

The only evidence is a tool call id, asked for in one trace and answered in another. Libraries and
scripted models reuse ids, so it counts only where nothing speaks against it.
"""

from __future__ import annotations

from collections.abc import Mapping

from collector.assembly.open_turns import Group, conversation_ids, opening


class Links:
    """Remembers where tool call ids were asked for, and where they were answered."""

    def __init__(self) -> None:
        self._asked: dict[str, str] = {}
        self._answered: dict[str, str] = {}

    def ask(self, call_id: str, key: str) -> None:
        """Note that a group's model call asked for a tool under an id."""
        self._asked[call_id] = key

    def partner(self, group: Group, groups: Mapping[str, Group]) -> Group | None:
        """Return the group that a group belongs to, None where it stands for itself.

        It was asked for in another one what is answered or executed here; or it waits here for
        what was answered in another one already.
        """
        calls = group.calls
        if calls is None:
            return None
        answered = calls.answered - calls.asked
        lone = calls.executed - calls.asked if not calls.models else set()
        for call_id in sorted(answered | lone):
            other = groups.get(self._asked.get(call_id, ""))
            if other is None or not _fit(other, group):
                continue
            if call_id in lone or (other.calls and call_id not in other.calls.answered):
                return other
        for call_id in answered:
            self._answered[call_id] = group.key
        for call_id in sorted(calls.asked - calls.answered):
            other = groups.get(self._answered.get(call_id, ""))
            if other is not None and _fit(group, other):
                return other
        return None

    def move(self, group: Group, key: str) -> None:
        """Note that a group was taken over by another."""
        for call_id in _ids(group):
            for index in (self._asked, self._answered):
                if index.get(call_id) == group.key:
                    index[call_id] = key

    def forget(self, group: Group) -> None:
        """Forget a group's ids."""
        for call_id in _ids(group):
            for index in (self._asked, self._answered):
                if index.get(call_id) == group.key:
                    del index[call_id]

    def __len__(self) -> int:
        return len(self._asked) + len(self._answered)


def _ids(group: Group) -> set[str]:
    return set() if group.calls is None else group.calls.asked | group.calls.answered


def _fit(asking: Group, answering: Group) -> bool:
    """Whether nothing speaks against two groups being one turn."""
    if asking is answering:
        return False
    ours, theirs = conversation_ids(asking), conversation_ids(answering)
    if ours and theirs and not ours & theirs:
        return False
    has_calls = answering.calls is not None and answering.calls.models
    if answering.roots and has_calls and not answering.roots_are_calls:
        return False  # a trace with a root of its own that merely lost its first call
    first, second = opening(asking), opening(answering)
    return first is None or second is None or first == second
