"""Abbreviations a reply rests on and never spells out, and bare letters as names of table rows."""

from __future__ import annotations

import re
from collections import defaultdict

from scorers.identifiers import ABBREVIATION, Identifier, identifiers
from scorers.reading.gap import Category, Gap
from scorers.reading.known import Known
from scorers.reading.names import TECHNICAL
from scorers.reading.passage import Passage
from scorers.reading.standing import standing
from scorers.reading.well_known import WELL_KNOWN

PARTICIPLE = re.compile(r"(?:ED|ING|ABLE|TION|ER|LY)\Z")
# Three capitals in a message about flights are airports.
TRAVEL = re.compile(r"(?i)\b(?:flights?|airports?|airline|vuelo|vol|flug)\b|航班|机场|항공")
# A private short form of three letters counts when the reply leans on it again and again.
LEANS = 3
# A term the agent brought along, not one of its sources, counts where it worked on its own: this
# many characters that the requester has not seen.
OWN_WORK = 5_000
# More open terms than this are the language of a field, and their reader is of that field.
FIELD = 4
MOST_NAMES = 200
# "HEPA filters", "the APOE gene", "CVSS 3.1": what comes next says what kind of thing it is.
CLASSED = re.compile(
    r"\s(?!(?:at|on|in|of|for|to|from|by|with|and|or|but|nor|could|would|should|can|may|might|will|is|are"
    r"|was|were|has|have|had|does|did|do|that|which|as|if|than|then|both|so|because|while|when|where"
    r"|only|also|not|here|there|again|first|too|per|over|under|after|before|until)\b)"
    r"(?:[a-z][a-z-]{2,}|\d)"
)

ROW = re.compile(r"^[ \t]*\|[ \t]*[*_`]*([A-Z]{1,4})[*_`]*[ \t]*\|([^\n]{0,400})", re.MULTILINE)
FIGURE_WORD = re.compile(r"[^\W\d_]{3,}|[㐀-鿿]{2}")


def unexplained_terms(passage: Passage, known: Known) -> list[Gap]:
    """Return abbreviations that neither side ever spells out and that carry a statement.

    Two sorts: a term from outside that the private context does not hold either (what the sources
    of a field use, its reader is taken to know), and a three-letter form of the private context
    that the reply leans on.
    """
    text = passage.own_words
    places: dict[str, list[Identifier]] = defaultdict(list)
    for identifier in identifiers(text, passage.tokens(text)):
        if ABBREVIATION.match(identifier.text):
            places[identifier.text].append(identifier)
    if not 0 < len(places) <= MOST_NAMES or known.private_length < OWN_WORK:
        return []
    gaps: list[Gap] = []
    for name, found in places.items():
        bare = name.rstrip("s")
        short = len(bare) <= LEANS and bare.isalpha()
        if not _unusual(bare, len(found)) or known.to_requester(bare):
            continue
        if _stands_explained(text, found) or (short and TRAVEL.search(passage.text)):
            continue
        origin = known.origin(name)
        if (origin is not None) != short or _spelled_out(bare, passage.text):
            continue
        if not short and any(CLASSED.match(text, place.end) for place in found[:20]):
            continue
        start, end = found[0].start, found[0].end
        category: Category = "coined" if short else "term"
        question = f"What does {name} mean?"
        gaps.append(Gap(start, end, name, "definition", category, question, origin))
        if len(gaps) > FIELD:
            return []
    return gaps


def unnamed_rows(passage: Passage, known: Known) -> list[Gap]:
    """Return the first table row that is called by a letter no one has explained.

    A table compares things by letters (A, B, AB) when at least two rows have only letters for a
    name and figures for the rest; a legend, there or in an earlier message, explains them.
    """
    text = passage.unfenced
    if "|" not in text:
        return []
    rows = [match for match in ROW.finditer(text) if _by_letters(match)]
    if len(rows) < 2:
        return []
    letters = sorted(set("".join(match.group(1) for match in rows)))
    unknown = {
        letter
        for letter in letters
        if not _legend(letter, text) and not _legend(letter, known.requester)
    }
    if 2 * len(unknown) <= len(letters):
        return []
    for match in rows:
        if unknown & set(match.group(1)):
            start, end = match.span(1)
            name = match.group(1)
            question = f"What is {name}?"
            origin = known.origin(name)
            return [Gap(start, end, name, "reference", "coined", question, origin)]
    return []


def _by_letters(row: re.Match[str]) -> bool:
    """Whether a row's name is a letter, or letters in the order of the alphabet from A to H, and
    its other cells hold figures rather than words."""
    name, rest = row.group(1), row.group(2)
    ordered = name in "ABCDEFGH" and len(set(name)) == len(name)
    combined = list(name) == sorted(set(name)) and name[-1] <= "H"
    if not (len(name) == 1 or ordered or combined):
        return False
    return any(mark.isdigit() for mark in rest) and len(FIGURE_WORD.findall(rest)) <= 3


def _unusual(name: str, times: int) -> bool:
    """Whether an abbreviation is one that has to be spelled out."""
    letters = name.rstrip("0123456789")
    if name in WELL_KNOWN or letters in WELL_KNOWN or letters.upper() in WELL_KNOWN:
        return False
    if name.isupper() and name.isalpha() and PARTICIPLE.search(name):
        return False
    if len(name) <= LEANS and name.isalpha():
        return len(name) == LEANS and times >= LEANS
    if TECHNICAL.match(name):
        return False
    # Two digits make a standard or a method's number (BM25) or a code, looked at elsewhere.
    if len(name) - len(letters) > 1:
        return False
    return len(letters) > 1 and (len(letters) > LEANS or not name.isalpha())


def _spelled_out(name: str, text: str) -> bool:
    """Whether the text has words with these initials, in a bracket or before one."""
    if sum(letter.isalpha() for letter in name) <= 2:
        return False  # two initials are met by chance
    initials = r"\W{1,3}(?:\w{1,4}\W)?".join(
        rf"{letter}\w{{1,30}}" for letter in name if letter.isalpha()
    )
    return re.search(f"(?i)\\b{initials}", text) is not None


def _stands_explained(text: str, found: list[Identifier]) -> bool:
    stands = [standing(text, place.start, place.end) for place in found[:20]]
    return "explained" in stands or "bare" not in stands


def _legend(letter: str, text: str) -> bool:
    """Whether a letter is ever given a meaning: `A: …`, `A = …`, `A (…)`, `(A)`, `option A`."""
    return (
        re.search(
            rf"(?<![\w-]){letter}[*_`]*\s*(?:[:：=—–]|\(\w\w|（|\s-\s|is\s|means\s|、|是|指)"
            rf"|[(（]{letter}[)）]|(?i:option|plan|variant|design|set|group|version|configuration"
            rf"|setting|方案|版本|组)\s*[*_`]*{letter}\b",
            text,
        )
        is not None
    )
