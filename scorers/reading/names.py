"""Names of the agent's work that a reply uses as if its reader knew them."""

from __future__ import annotations

from collections import defaultdict

from scorers.identifiers import Identifier, identifiers
from scorers.reading.gap import Gap
from scorers.reading.known import Known
from scorers.reading.passage import Passage
from scorers.reading.standing import standing

# More names than this in one reply are an inventory; the first ones stand for the rest.
MOST_NAMES = 400
MOST_GAPS = 20


def unexplained_names(passage: Passage, known: Known) -> tuple[list[Gap], list[Identifier]]:
    """Return the gaps, and the names that would be gaps if the private context held them.

    A name is a gap if the requester has met neither it nor its family, the private context holds
    it, no occurrence explains it, and at least one carries a statement.
    """
    text = passage.unfenced
    places: dict[str, list[Identifier]] = defaultdict(list)
    for identifier in identifiers(text):
        if identifier.shape != "code":
            continue
        if identifier.text not in places and len(places) >= MOST_NAMES:
            break
        places[identifier.text].append(identifier)
    gaps: list[Gap] = []
    open_names: list[Identifier] = []
    families: dict[str, bool] = {}
    for name, found in places.items():
        family = found[0].family
        if family and family not in families:
            families[family] = known.family_to_requester(family)
        if families.get(family) or known.to_requester(name):
            continue
        stands = [standing(text, place.start, place.end) for place in found[:50]]
        if "explained" in stands or "bare" not in stands:
            continue
        place = found[stands.index("bare")]
        origin = known.origin(name)
        if origin is None:
            open_names.append(place)
        elif len(gaps) < MOST_GAPS:
            gaps.append(
                Gap(
                    place.start,
                    place.end,
                    name,
                    "reference",
                    "pointer",
                    f"What is {name}?",
                    origin,
                )
            )
    return gaps, open_names
