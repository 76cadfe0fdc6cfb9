"""Messages of a requester that were recorded by themselves, and what was done for each of them."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from collector.assembly.combine import combine_agents
from collector.assembly.harness_text import requester_words
from collector.assembly.material import Key, key_of
from collector.dialect import AnyOperation, Opening

Parents = Mapping[Key, Key | None]


class Openings:
    """The openings of a group, each once.

    One that was logged while the span of another one ran is the same message, or one more on the
    same work. One in which no
    requester speaks (a harness tells that a sub-agent is done) goes on with the turn before it.
    """

    def __init__(self, operations: Iterable[AnyOperation]) -> None:
        self._by_trace: dict[str, list[Opening]] = defaultdict(list)
        self._stand_for: dict[Key, Opening] = {}
        found: dict[str, list[Opening]] = defaultdict(list)
        for operation in operations:
            if isinstance(operation, Opening):
                found[operation.trace_id].append(operation)
        for trace, openings in found.items():
            # A span begins a moment before what is logged in it.
            openings.sort(key=lambda one: (one.start_ns, -one.end_ns, one.span_id))
            for opening in openings:
                self._take(opening, self._by_trace[trace])

    def _take(self, opening: Opening, kept: list[Opening]) -> None:
        last = kept[-1] if kept else None
        if last is not None and (_is_same(last, opening) or _goes_on(opening)):
            if _is_same(last, opening) and last.input is None:
                kept[-1] = last = combine_agents(last, opening)
            self._stand_for[key_of(opening)] = last
        else:
            kept.append(opening)

    def without(self, operations: Sequence[AnyOperation]) -> list[AnyOperation]:
        """Return the operations with each opening once."""
        others = [one for one in operations if not isinstance(one, Opening)]
        return [*others, *(one for kept in self._by_trace.values() for one in kept)]

    def places(self, operations: Iterable[AnyOperation], parents: Parents) -> Parents:
        """Return where operations stand, those too that no span holds: under what they name as
        their parent, else under the message that opened their session's latest turn."""
        moved = {key: key_of(kept) for key, kept in self._stand_for.items()}
        places = dict(parents)
        if moved:
            for key, above in parents.items():
                if above in moved:
                    places[key] = moved[above]
        starts: dict[str, list[int]] = {}
        for trace, kept in self._by_trace.items():
            starts[trace] = [one.start_ns for one in kept]
            for one in kept:
                places.setdefault(key_of(one), None)
        for operation in operations:
            key = key_of(operation)
            above = places.get(key)
            if isinstance(operation, Opening) or (above is not None and above in places):
                continue
            trace, named = operation.trace_id, operation.parent_id
            place = (trace, named) if named else None
            place = moved.get(place, place) if place is not None else None
            if place not in places and trace in starts:
                # Named by nothing that came, or by nothing at all: the time says for whom it was.
                at = bisect_right(starts[trace], operation.start_ns)
                place = key_of(self._by_trace[trace][at - 1]) if at else place
            if place != key and (place in places or key not in places):
                places[key] = place
        return places


def _is_same(one: Opening, other: Opening) -> bool:
    """Whether two records are of one message: one within the time of the other's span."""
    return key_of(one) == key_of(other) or one.start_ns <= other.start_ns < one.end_ns


def _goes_on(opening: Opening) -> bool:
    """Whether nobody but a harness speaks in a message that was recorded."""
    said = [message.text for message in opening.input or ()]
    return bool(said) and not any(map(requester_words, said))
