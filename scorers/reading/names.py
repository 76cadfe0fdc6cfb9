"""Names of the agent's work that a reply uses as if its reader knew them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

from scorers.identifiers import Identifier, identifiers
from scorers.reading.gap import Gap
from scorers.reading.introduced import EVIDENCE, Introduced
from scorers.reading.known import Known
from scorers.reading.passage import Passage
from scorers.reading.standing import PREPOSITION, standing

# More names than this in one reply are an inventory; the first ones stand for the rest.
MOST_NAMES = 400
MOST_GAPS = 20


# "W29 reports …": a source that is quoted with what it says.
QUOTED = re.compile(
    r"(?i)\W{0,4}(?:also\s|itself\s|only\s)?(?:says?|said|reports?|finds?|found"
    r"|shows?|states?|gives?"
    r"|notes?|claims?|lists?|describes?|argues?|measures?)\b|\s*(?:的?(?:摘要|正文|附表|结果"
    r"|结论))?(?:也|则|还|都)?(?:说|指出|认为|提到|报告|显示|的说法)"
)
# "rests on LB-12", "because of K-14".
RESTS = re.compile(
    r"(?i)\b(?:rests?|relies|rely|based|depends?|builds?|according|due|because|per|see|under|against"
    r"|contradicts?|fits?|supports?|see also|without|than|versus|vs|unlike|cf|is|are"
    r"|was|were)(?:\s(?:on|to|of|with))?\s\W{0,3}\Z|(?:根据|按照?|依据|由于|参见|见)"
    r"\s?\Z"
)
# "your reservation EHGLP3": the owner knows which, where there is only one.
OWNED = re.compile(r"(?i)\b(?:your|tu|su|votre|ihre?)\s[^\W\d_]{2,30}\s\W{0,3}\Z|您的\w{2,6}\s?\Z")
# `JG7FMM`: letters and digits change places more than once in a record locator.
LOCATOR = re.compile(r"(?=.{6}\Z)(?:[A-Z]+\d+[A-Z]+|\d+[A-Z]+\d+)[A-Z0-9]*\Z")
# `CM-12`: how trackers and libraries number what they hold.
NUMBERED = re.compile(r"[A-Z]{2,5}-\d{2,6}\Z")
# `T3-COLD`: a number and a word make a label, which someone coined.
LABELLED = re.compile(r"[A-Z]{0,3}\d{1,2}[A-Z]?-[A-Z]{3,}\Z")
OWN_TEXT = ("memory", "assistant_thought", "tool_call", "summary")
# `GPIO12`, `SSP2-4.5`, `H5N1`: names of a technology, a standard, a strain.
TECHNICAL = re.compile(r"[A-Z]{3,}[1-9]\d{0,2}(?:[-.][\d.]+)?\Z|[A-Z]\d[A-Z]\d\Z")
# Registers of records number far beyond what one piece of work brings forth: whoever meets
# `EVT-7712` can look it up, `W3` stands nowhere but with the agent.
RECORD_DIGITS = 4
# So many of one family in a reply are an index that is quoted from.
INDEX = 3
# "Take V3", "rule out HYP-2": the agent's own alternatives, weighed against each other.
CHOSEN = re.compile(
    r"(?i)\b(?:take|use|choose|pick|prefer|recommend|go(?:ing)? (?:with|for|on with)|try|buy"
    r"|follow|insist on|switch to|start with|begin with|send it to|fall back to|exclude[ds]?"
    r"|rule[sd]? out|leaves|nehmen sie|tome|elija)"
    r"\s\W{0,3}\Z|(?:建议|选择?|采用|选用|推荐|排除)\s?\Z"
)
WEIGHED = re.compile(
    r"(?i)\W{0,3}(?:(?:also|would|could|can|is|are|was|only|still|clearly|far)\s){0,3}"
    r"(?:wins?|loses?|beats?|costs?|saves?|needs?|takes?|fits?|works? (?:best|better)|better|worse"
    r"|best|worst|weaker|stronger|cheaper|simpler|safer|doubles?|excluded|ruled out|settled|robust"
    r"|outperforms?|underperforms?|dominates?|dropped|favou?red|preferred|unlikely|likely|plausible)\b"
    r"|\W{0,3}(?:vs\.?|versus|against|over|than)\s|\s?(?:的?误差|成本|过于|更|最|对|比)"
)
# A family of the agent's own has several numbers in what only the agent has seen.
SERIES = 3


def unexplained_names(
    passage: Passage, known: Known, request: str
) -> tuple[list[Gap], list[Identifier]]:
    """Return the gaps, and the names that would be gaps if the private context held them.

    A name is a gap if it belongs to an index or register of the agent's and the requester has not
    met it, the private context holds it, the reply does not introduce it by its kind, no occurrence
    explains it, and at least one carries a statement.
    """
    text = passage.unfenced
    places = _places(text, passage)
    if not places:
        return [], []
    families = Counter(found[0].family for found in places.values())
    met: dict[str, bool] = {}
    gaps: list[Gap] = []
    open_names: list[Identifier] = []
    introduced: set[str] | None = None
    for name, found in places.items():
        family = found[0].family
        if known.to_requester(name) or not _registered(found[0], families[family], known):
            continue
        stands = [standing(text, place.start, place.end) for place in found[:50]]
        if "explained" in stands or "bare" not in stands:
            continue
        if introduced is None:
            introduced = Introduced(text, request).names(places)
        if name in introduced:
            continue
        place = found[stands.index("bare")]
        if len(places) == 1 and OWNED.search(text[max(0, place.start - 60) : place.start]):
            continue
        if family and family not in met:
            met[family] = known.family_to_requester(family)
        if met.get(family) and QUOTED.match(text, place.end):
            continue
        origin = known.origin(name)
        if not _leaned_on(text, place, families[family], origin):
            continue
        if origin is None:
            open_names.append(place)
        elif len(gaps) < MOST_GAPS:
            question = f"What is {name}?"
            gaps.append(Gap(place.start, place.end, name, "reference", "pointer", question, origin))
    return gaps, open_names


def _places(text: str, passage: Passage) -> dict[str, list[Identifier]]:
    """Where each code of a text stands."""
    places: dict[str, list[Identifier]] = defaultdict(list)
    for identifier in identifiers(text, passage.tokens(text)):
        if identifier.shape != "code":
            continue
        if identifier.text not in places and len(places) >= MOST_NAMES:
            break
        places[identifier.text].append(identifier)
    return places


def _leaned_on(text: str, place: Identifier, siblings: int, origin: str | None) -> bool:
    """Whether a statement rests on a name, and not only mentions the number of a record."""
    number = re.search(r"\d+", place.text[len(place.family) :] or place.text)
    digits = len(number.group()) if number else 0
    before = text[max(0, place.start - 60) : place.start]
    if LOCATOR.match(place.text):
        return siblings > 1 or PREPOSITION.search(before) is not None
    if digits >= RECORD_DIGITS:
        return False
    if siblings >= INDEX or origin in OWN_TEXT or EVIDENCE.match(text, place.end):
        return True
    if RESTS.search(before) is not None:
        return True
    return siblings > 1 and (CHOSEN.search(before) or WEIGHED.match(text, place.end)) is not None


def _registered(name: Identifier, siblings: int, known: Known) -> bool:
    """Whether a code looks like an entry of some register, and not like a public name (BM25)."""
    number = name.text[len(name.family) :]
    if TECHNICAL.match(name.text):
        return False
    if (
        siblings > 1
        or number.startswith("0")
        or LOCATOR.match(name.text)
        or NUMBERED.match(name.text)
    ):
        return True
    if LABELLED.match(name.text):
        return known.origin(name.text) in OWN_TEXT
    return bool(name.family) and known.series(name.family, SERIES)
