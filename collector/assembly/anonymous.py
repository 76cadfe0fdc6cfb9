"""Results without an id: which execution of a step each one stands for.

First by the text itself, then by how it begins, then by name, then by order where every result has
its place. What stays doubtful is joined with nothing: a wrong pair would look like a loss.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence

from collector.assembly.placing import BEGINNING, Placed
from collector.assembly.steps import Given

MOST_COMPARED = 64  # results of a step that are compared one by one
MOST_WRAPPING = 200  # characters around one result: "Observation:", a marker of what was cut


def pair(placed: Sequence[Placed], given: Sequence[Given]) -> dict[int, Given]:
    """Return for each execution (by `id()`) the result that stands for it. Linear."""
    waiting = [one for one in placed if not one.superseded]
    if len(given) == 1 and len(waiting) > 1 and given[0].part.name is None:
        only = _only_one_told(waiting, given[0].part.text.strip())
        # One text for several calls is prose that answers all of them, unless it is one's result.
        return {id(one): given[0] for one in ([only] if only is not None else waiting)}
    found: dict[int, Given] = {}
    left = list(given)
    for of_tool, of_given in ((_whole, _whole_given), (_beginning, _beginning_given)):
        waiting, left = _match(waiting, left, found, of_tool, of_given)
    waiting, left = _match_held(waiting, left, found)
    waiting, left = _match(waiting, left, found, lambda one: one.tool.tool, lambda g: g.part.name)
    names = {one.tool.tool for one in waiting}
    fitting = [g for g in left if not g.part.name or g.part.name in names]
    if len(waiting) == len(fitting):
        found |= {id(one): match for one, match in zip(waiting, fitting, strict=True)}
    return found


def _only_one_told(waiting: Sequence[Placed], text: str) -> Placed | None:
    """Return the execution whose result, whole or shortened, a text is; None where it may speak of
    others too."""
    told = [one for one in waiting[:MOST_COMPARED] if _tells(one, text)]
    if len(told) != 1 or len(waiting) > MOST_COMPARED:
        return None
    return told[0] if len(text) <= len(told[0].tool.result or "") + MOST_WRAPPING else None


def _tells(one: Placed, text: str) -> bool:
    result = (one.tool.result or "").strip()
    return bool(result) and (
        result == text or (len(result) >= BEGINNING and result[:BEGINNING] in text)
    )


def _match(
    waiting: Iterable[Placed],
    left: Sequence[Given],
    found: dict[int, Given],
    of_tool: Callable[[Placed], str | None],
    of_given: Callable[[Given], str | None],
) -> tuple[list[Placed], list[Given]]:
    """Pair what has the same mark, in order; return what is left of both."""
    by_mark: dict[str, deque[Given]] = defaultdict(deque)
    for given in left:
        mark = of_given(given)
        if mark:
            by_mark[mark].append(given)
    still: list[Placed] = []
    taken: set[int] = set()
    for one in waiting:
        mark = of_tool(one)
        options = by_mark.get(mark) if mark else None
        if options:
            match = options.popleft()
            taken.add(id(match))
            found[id(one)] = match
        else:
            still.append(one)
    return still, [given for given in left if id(given) not in taken]


def _match_held(
    waiting: list[Placed], left: list[Given], found: dict[int, Given]
) -> tuple[list[Placed], list[Given]]:
    """Pair results that stand inside a longer text ("Observation: …"), a bounded number of them."""
    if len(waiting) > MOST_COMPARED or len(left) > MOST_COMPARED:
        return waiting, left
    still: list[Placed] = []
    for one in waiting:
        result = (one.tool.result or "").strip()
        long = len(result) >= BEGINNING
        match = next((g for g in left if long and _holds(g.part.text, result)), None)
        if match is None:
            still.append(one)
        else:
            left = [given for given in left if given is not match]
            found[id(one)] = match
    return still, left


def _holds(text: str, result: str) -> bool:
    return result in text or result[:BEGINNING] in text[: BEGINNING * 4]


def _whole(one: Placed) -> str | None:
    return (one.tool.result or "").strip() or None


def _whole_given(given: Given) -> str | None:
    return given.part.text.strip() or None


def _beginning(one: Placed) -> str | None:
    return _begins((one.tool.result or "").strip())


def _beginning_given(given: Given) -> str | None:
    return _begins(given.part.text.strip())


def _begins(text: str) -> str | None:
    return text[:BEGINNING] if len(text) >= BEGINNING else None
