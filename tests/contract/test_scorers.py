"""The promise of every scorer, checked for each one before its author writes a test."""

from importlib.metadata import EntryPoint

import pytest

from scorers import catalog
from scorers.errors import ScorerError
from scorers.judges import JUDGES
from scorers.measures import MEASURES
from scorers.score import Outcome, Score
from scorers.scorer import Scorer
from scorers.testing import check_scorer


@pytest.mark.parametrize("scorer", [*MEASURES, *JUDGES], ids=lambda scorer: scorer.name)
def test_promise(scorer):
    assert isinstance(scorer, Scorer)
    check_scorer(scorer)


def test_kinds_stand_in_their_tuples():
    assert {scorer.kind for scorer in MEASURES} == {"measure"}
    assert {scorer.kind for scorer in JUDGES} == {"judge"}


def test_names_are_unique():
    names = [scorer.name for scorer in catalog.built_in()]
    assert len(set(names)) == len(names)


class Broken:
    name, version, kind = "broken", "1", "measure"

    def score(self, turn):
        return Score(scorer="broken", version="1", outcome=Outcome.unscored)


def test_the_check_can_fail():
    with pytest.raises(AssertionError, match="without a reason"):
        check_scorer(Broken())


def test_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(ScorerError, match=r"'reeder'; known are: delivery, lexical_reader"):
        catalog.find("reeder")


def test_third_parties_are_found_and_never_replace_a_built_in(monkeypatch):
    points = [
        EntryPoint("broken", f"{__name__}:Broken", catalog.GROUP),
        EntryPoint("delivery", f"{__name__}:Broken", catalog.GROUP),
        EntryPoint("absent", "no_such_package:Scorer", catalog.GROUP),
        EntryPoint("wrong", "builtins:dict", catalog.GROUP),
    ]
    monkeypatch.setattr(catalog, "entry_points", lambda group: points)
    assert isinstance(catalog.find("broken"), Broken)
    assert catalog.find("delivery") in MEASURES
    assert catalog.names() == ("delivery", "lexical_reader", "absent", "broken", "wrong")
    with pytest.raises(ScorerError, match="can't be loaded: ModuleNotFoundError"):
        catalog.find("absent")
    with pytest.raises(ScorerError, match="gives a dict; expected name"):
        catalog.find("wrong")
