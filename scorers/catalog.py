"""Names → scorers: the built-in ones, and those that installed packages add.

A third party adds a scorer by an entry point of the group `tellback.scorers` that names a class or
factory without arguments. Third parties are looked up only when asked for: an import that fails
there never stops the built-in ones.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

from scorers.errors import ScorerError
from scorers.judges import JUDGES
from scorers.measures import MEASURES
from scorers.scorer import Scorer

GROUP = "tellback.scorers"


def built_in() -> tuple[Scorer, ...]:
    """Return the scorers that ship with Tellback, measures first."""
    return (*MEASURES, *JUDGES)


def names() -> tuple[str, ...]:
    """Return the names of all scorers that can be had, built-in ones first."""
    own = [scorer.name for scorer in built_in()]
    return (*own, *sorted(point.name for point in _added() if point.name not in own))


def find(name: str) -> Scorer:
    """Return the scorer of that name. A built-in one can't be replaced by a third party's.

    Raises `ScorerError` naming the known ones, or saying why a third party's can't be loaded.
    """
    for scorer in built_in():
        if scorer.name == name:
            return scorer
    for point in _added():
        if point.name == name:
            return _load(point)
    raise ScorerError(f"there is no scorer named {name!r}; known are: {', '.join(names())}")


def _added() -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=GROUP))


def _load(point: EntryPoint) -> Scorer:
    try:
        scorer = point.load()()
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        raise ScorerError(
            f"scorer {point.name!r} ({point.value}) can't be loaded: {why}"
        ) from error
    if not isinstance(scorer, Scorer):
        raise ScorerError(
            f"scorer {point.name!r} ({point.value}) gives a {type(scorer).__name__}; "
            "expected name, version, kind and score(turn)"
        )
    return scorer
