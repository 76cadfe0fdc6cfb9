"""What turns are called: a turn given out before keeps its name, and no two have the same."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence

from collector.assembly.material import Key
from collector.assembly.open_turns import Given


def names_of(
    own: Sequence[str], spans: Sequence[frozenset[Key]], given: Mapping[str, Given]
) -> list[str]:
    """Return a name for each turn: that of a turn given out before with which it shares spans,
    else its own. Of several turns that became one the last counts; of one that became several,
    the one with most of its spans keeps its name."""
    names = _kept(spans, given) if given else {}
    taken = set(names.values())
    for at, name in enumerate(own):
        if at not in names:
            while name in taken:
                name = hashlib.sha256(name.encode()).hexdigest()[:32]  # noqa: PLW2901 - the next one
            names[at] = name
            taken.add(name)
    return [names[at] for at in range(len(own))]


def _kept(spans: Sequence[frozenset[Key]], given: Mapping[str, Given]) -> dict[int, str]:
    order = {name: number for number, name in enumerate(given)}
    owners = {span: name for name, before in given.items() for span in before.spans}
    shared = Counter(
        (at, owners[span]) for at, turn in enumerate(spans) for span in turn if span in owners
    )
    names: dict[int, str] = {}
    for at, name in sorted(shared, key=lambda pair: (-order[pair[1]], -shared[pair])):
        if at not in names and name not in names.values():
            names[at] = name
    return names
