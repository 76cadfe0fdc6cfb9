"""Results without an id: which execution of a step each one stands for.

First by the text itself, then by how it begins, then by order where every result has its place.
What stays doubtful is joined with nothing: a wrong pair would look like a loss.
"""

from __future__ import annotations

from collections.abc import Sequence

from collector.assembly.placing import BEGINNING, Placed
from collector.assembly.steps import Given


def pair(placed: Sequence[Placed], given: Sequence[Given]) -> dict[int, Given]:
    """Return for each execution (by `id()`) the result that stands for it. Quadratic in the
    results of one step only."""
    found: dict[int, Given] = {}
    left = list(given)
    waiting = [one for one in placed if not one.superseded]
    if len(left) == 1 and len(waiting) > 1 and left[0].part.name is None:
        return {id(one): left[0] for one in waiting}  # prose that answers all of them together
    for recognises in (_is_text, _begins, _is_named):
        still: list[Placed] = []
        for one in waiting:
            match = next((g for g in left if recognises(one, g)), None)
            if match is None:
                still.append(one)
            else:
                found[id(one)] = match
                left.remove(match)
        waiting = still
    named = [g for g in left if not g.part.name or g.part.name in {p.tool.tool for p in waiting}]
    if len(waiting) == len(named):
        found |= {id(one): match for one, match in zip(waiting, named, strict=True)}
    return found


def _is_text(one: Placed, given: Given) -> bool:
    result = (one.tool.result or "").strip()
    return bool(result) and result == given.part.text.strip()


def _begins(one: Placed, given: Given) -> bool:
    result, told = (one.tool.result or "").strip(), given.part.text.strip()
    size = min(BEGINNING, len(result), len(told))
    if size < 4 or result[:size] != told[:size]:
        return bool(result) and len(result) >= BEGINNING and result in told
    return True


def _is_named(one: Placed, given: Given) -> bool:
    return given.part.name is not None and given.part.name == one.tool.tool
