"""A reply point becomes a turn and comes back; what can't be read is named."""

import pytest

from scorers.errors import ScorerError
from scorers.point import point_from_turn, turn_from_point

POINT = {
    "id": "p1",
    "requester_context": {
        "files": [{"name": "brief.md", "text": "Plans"}],
        "dialog": [
            {"role": "user", "text": "First?"},
            {"role": "assistant", "text": "Yes."},
            {"role": "user", "text": "And then?"},
        ],
    },
    "private_context": [{"kind": "tool_result", "name": "search", "text": "W04: a paper"}],
    "reply": "Done.",
}


def test_there_and_back():
    turn = turn_from_point(POINT)
    assert turn.request == "And then?"
    assert turn.private[0].name == "search"
    assert point_from_turn(turn) == POINT


def test_what_is_not_known_stays_unknown():
    turn = turn_from_point({"id": "p", "reply": None})
    assert turn.reply is None
    assert turn.reply_missing
    assert turn.request is None
    assert turn.request_missing


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"id": 7}, "id"),
        ({"id": ""}, "id"),
        ({"reply": ["x"]}, "reply"),
        ({"requester_context": []}, "requester_context"),
        ({"requester_context": {"dialog": "hi"}}, "requester_context.dialog"),
        ({"requester_context": {"dialog": [{"role": "tool", "text": ""}]}}, "dialog[0].role"),
        ({"requester_context": {"dialog": [{"role": "user"}]}}, "dialog[0].text"),
        ({"requester_context": {"files": [3]}}, "files[0]"),
        ({"private_context": [{"kind": "gossip", "text": ""}]}, "private_context[0].kind"),
        ({"private_context": [{"kind": "memory", "text": None}]}, "private_context[0].text"),
        ({"private_context": {"kind": "memory"}}, "private_context"),
    ],
)
def test_names_the_field(change, names):
    with pytest.raises(ScorerError) as caught:
        turn_from_point(POINT | change)
    assert names in str(caught.value)


def test_not_an_object():
    with pytest.raises(ScorerError, match="object"):
        turn_from_point(["id"])
