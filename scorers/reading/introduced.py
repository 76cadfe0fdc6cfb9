"""Names that a reply introduces by their kind, or that are what was asked for.

"The oldest open invoice is INV-2003" answers a question with an identifier: nothing is missing.
Looked at are, for each name: the noun before it ("invoice INV-2003"), the sentence that it ends as
a predicate ("the gate is G14"), the column or list it stands in, its prefix where that is short for
a noun in the text (SHP: shipment), what was done under it ("filed as HRC-2210"), and whether it
opens an answer to "which …?". A family introduced once is introduced.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from scorers.identifiers import Identifier
from scorers.reading.asked import asks_for_records
from scorers.reading.kinds import (
    HAN,
    PREFIXES,
    WORD,
    abbreviates,
    has_kind,
    has_kinds,
    is_kind,
    is_work,
    kinds_in,
)
from scorers.reading.standing import PREPOSITION

REACH = 240
MARKS = "*_`\"“”'#~ \t"
SENTENCE_END = re.compile(r"[.!?;](?=\s)|[。！？；\n|]")
# "W02 shows", "POL-07 does not allow": the name is called as a witness, it is not the answer.
EVIDENCE = re.compile(
    r"(?i)\W{0,4}(?:(?:also|itself|only|does|do|did|not|clearly|would|could|can|cannot|can['’]t)\s){0,3}"
    r"(?:says?|said|reports?|finds?|found|shows?|shown|states?|gives?|notes?|claims?|argues?|measures?"
    r"|speaks?|rules?|forbids?|allows?|permits?|prohibits?|suggests?|points?|warns?|mentions?"
    r"|explains?|confirms?|contradicts?|implies|imply|requires?|puts?|praises?|complains?"
    r"|leaves? (?:no|little)|is (?:clear|silent)|muestra|dice|indica|advierte|señala"
    r"|zeigt|sagt|nennt|belegt|spricht)\b|\s*(?:的?(?:摘要|正文|附表|结果|结论))?(?:也|则|还|都)?"
    r"(?:说|指出|认为|提到|报告|显示|表明|给出|的说法)"
)
# Between two names of one list.
CHAIN = re.compile(
    r"[*_`\s]{0,3}(?:,|/|&|、|和|及|与|;)?\s?(?:and|or|und|oder|y|o|e|et|to|bis|-|–)?[*_`\s]{0,4}"
)
# What ties a name to the noun before it: nothing, a comma, a copula, a colon.
TIED = re.compile(
    r"(?i)(?:\b(?:is|are|was|were|be|being|number|no|id|ids|ref|called|named|namely"
    r"|ist|sind|war|lautet|nr|es|son|era|est|sont|è|sono|são|é)|['’]s|[:：,，#=–—-]|是|为|有"
    r"|は|が|の|은|는)[\s*_`\"“#:]*\Z"
)
COMMA = re.compile(r"[,，:：#–—-][\s*_`\"“#]*\Z")
# "I filed it as …", "confirmed under …": the number of what was done.
HANDED = re.compile(
    r"(?i)\b(?:filed|opened|booked|created|submitted|scheduled|confirmed|registered|logged|sent|issued"
    r"|raised|tracked|stored|saved|kept|archived|reserved|reachable|follow|assigned|paged|recorded|received|arrived|matched|posted|läuft|erfasst"
    r"|gebucht|registrad[oa]|abiert[oa]|enviad[oa])\b[^.!?\n]{0,60}\b(?:as|under|with|by|unter|als"
    r"|con|bajo|como)\s+\W{0,3}\Z"
    r"|\b(?:clos(?:es|ed)|fix(?:es|ed)|resolv(?:es|ed)|duplicates?(?: of)?|blocked by|blocks"
    r"|quote|linked)\s\W{0,3}\Z"
)
# "the pump PMP-3", "der Lieferschein LS-7781", "el albarán ALB-551".
NOUN_PHRASE = re.compile(
    r"(?i)(?:\A|[\s(])(?:the|an?|our|your|their|its|these|those|der|die|das|den|dem|des"
    r"|eine?[nmr]?|ihre?[nmrs]?|unsere?[nmrs]?|zu[mr]|im|vom|beim|el|la|los|las|una?|tu|su|al|del|les?|du"
    r"|au|il|lo|os|as|do|da)\s+(?:[^\W\d_][\w'-]{1,30}\s+)??([^\W\d_][\w'-]{2,30})\s+[*_`\"“#]{0,3}\Z"
)
# "in hall H-3", "auf Feld F-2": a word between a preposition or a count and a name is a noun.
NOUN_AFTER = re.compile(
    r"(?i)(?:\A|[\s(])(?:in|on|at|of|for|from|with|via|into|near|behind|through|an|auf|mit|von|aus"
    r"|bei|für|en|con|de|para|por|two|three|four|both|zwei|drei|dos|tres)\s+"
    r"([^\W\d_][\w'-]{2,30})\s+[*_`\"“#]{0,3}\Z"
)
# "two access points there, AP-03 and AP-04, …".
COUNTED = re.compile(
    r"(?i)\b(?:one|two|three|four|five|six|several|both|zwei|drei|vier|dos|tres|cuatro)\s"
    r"((?:[^\W\d_][\w'-]{1,30}\s?){1,5}),\s[*_`\"“#]{0,3}\Z"
)
ARTICLE = re.compile(r"(?i)(?:\A|\s)(?:the|der|die|das|el|la)\s[*_`\"“#]{0,3}\Z")
# Words that may stand before a name that opens an answer.
OPENING_WORDS = 4
FLIGHT = re.compile(r"[A-Z]{2,3}\d{2,4}\Z")
TRAVEL = re.compile(
    r"(?i)\b(?:flights?|airports?|airline|vuelos?|vols?|flug|flüge)\b|航班|机场|항공"
)
CHECKED = re.compile(r"[A-Z]{1,4}\d{3,5}\Z")
CHECKER = re.compile(
    r"(?i)\b(?:lint\w*|ruff|flake8|eslint|pylint|mypy|pyright|clippy|typescript|tsc|compiler"
    r"|error codes?|status codes?)\b"
)
DIAGNOSIS = re.compile(r"[A-TV-Z]\d\d(?:\.\d{1,4})?\Z")
DIAGNOSED = re.compile(r"(?i)\bICD|\bdiagnos|诊断|診断|진단")
NOT_A_NOUN = re.compile(
    r"(?i)(?:ed|ing|ly)\Z|\A(?:is|are|was|were|has|had|have|can|will|except|but|besides)\Z"
)
SHAPES = (FLIGHT, CHECKED, DIAGNOSIS)
ITEM = re.compile(r"(?<!\s)\s*+(?:[-*•+]|\d{1,3}[.)、]|\(?[a-z]\))\s+")
# A line that a list belongs to.
HEADS = re.compile(r"[:：][\s*_]*\Z|\A\s*(?:#{1,6}\s|\*\*)")
ROW_RULE = re.compile(r"[\s|:-]+\Z")
MOST_LINES = 60
LONGEST_ROW = 2_000
# Occurrences of one name that are looked at.
MOST_PLACES = 10


class Introduced:
    """Tells which names of one reply come with their kind. `text` has code blocks masked."""

    def __init__(self, text: str, request: str) -> None:
        self._text = text
        self._request = request[-4000:]
        self._asked = asks_for_records(self._request)

    def names(self, places: Mapping[str, Sequence[Identifier]]) -> set[str]:
        """Return the introduced names, and with each the other names of its family."""
        found: set[str] = set()
        families: set[str] = set()
        for name, occurrences in places.items():
            if self._public(name) or any(
                self._by_kind(place) for place in occurrences[:MOST_PLACES]
            ):
                found.add(name)
                family = occurrences[0].family
                if len(family) > 1 and not family[-1].isdigit():
                    families.add(family)
        found |= {name for name, found_at in places.items() if found_at[0].family in families}
        return found | set(self._chained(places, found))

    def _chained(
        self, places: Mapping[str, Sequence[Identifier]], found: set[str]
    ) -> Iterator[str]:
        """Yield the names that continue a list of introduced ones: "seats B12, B13 and B14"."""
        before: Identifier | None = None
        met = set(found)
        in_order = sorted(
            (p for found_at in places.values() for p in found_at), key=lambda p: p.start
        )
        for place in in_order:
            listed = before is not None and CHAIN.fullmatch(self._text, before.end, place.start)
            if before is not None and listed and before.text in met:
                yield place.text
                met.add(place.text)
            before = place

    @cached_property
    def _nouns(self) -> frozenset[str]:
        return frozenset(kinds_in(f"{self._text}\n{self._request}"))

    def _public(self, name: str) -> bool:
        """Whether the field numbers such things this way: flights, compiler messages, diagnoses."""
        prefix = re.match(r"[A-Z]*", name)
        letters = prefix.group() if prefix else ""
        if letters in PREFIXES:
            return True
        if len(letters) > 2 and any(abbreviates(letters, noun) for noun in self._nouns):
            return True
        if not any(shape.match(name) for shape in SHAPES):
            return False
        return any(shape.match(name) for shape in self._shapes)

    @cached_property
    def _shapes(self) -> list[re.Pattern[str]]:
        """The shapes of names that the field of the text and the request brings with it."""
        both = (self._text, self._request)
        fields = zip(SHAPES, (TRAVEL, CHECKER, DIAGNOSED), strict=True)
        return [shape for shape, field in fields if any(field.search(text) for text in both)]

    def _by_kind(self, place: Identifier) -> bool:
        start = place.start
        begin = self._text.rfind("\n", max(0, start - LONGEST_ROW), start) + 1
        begin = max(begin, start - LONGEST_ROW)
        before = self._text[begin:start]
        if "|" in before:
            header = self._header(begin, before.count("|"))
            if header is not None and has_kind(header):
                return True
        listed = ITEM.match(before) is not None
        before = before[-REACH:]
        lead = SENTENCE_END.split(before)[-1]
        bare = ITEM.sub("", lead, count=1).strip(MARKS)
        if not bare and listed and self._listed(begin):
            return True
        if HANDED.search(lead) or self._adjacent(lead) or _phrase(before):
            return True
        if EVIDENCE.match(self._text, place.end):
            return False
        # What ends the sentence as its predicate, or opens it as the subject of the answer.
        if TIED.search(lead):
            return self._asked or has_kind(lead)
        opens = len(WORD.findall(bare)) <= OPENING_WORDS and start < 2 * REACH
        return self._asked and opens and not PREPOSITION.search(bare)

    def _adjacent(self, lead: str) -> bool:
        """Whether the last word before a name is its kind: "invoice INV-1", "one order, ORD-1"."""
        tail = COMMA.sub("", lead.rstrip(MARKS)).rstrip(MARKS)
        han = list(HAN.finditer(tail[-12:]))
        if han and len(tail[-12:]) - han[-1].end() <= 4:
            return True
        words = WORD.findall(tail[-60:])
        if not words or not tail[-1:].isalpha():
            return False
        return is_kind(words[-1])

    def _listed(self, begin: int) -> bool:
        """Whether a name opens a list item below a line that names the kind."""
        end = begin - 1
        for _ in range(MOST_LINES):
            start = self._text.rfind("\n", 0, max(end, 0)) + 1
            line = self._text[start : max(end, 0)]
            if line.strip() and not ITEM.match(line) and not line[:1].isspace():
                lead = SENTENCE_END.split(line[-REACH:].rstrip(MARKS))[-1]
                return bool(HEADS.search(line)) and has_kinds(lead)
            if start == 0:
                return False
            end = start - 1
        return False

    def _header(self, begin: int, column: int) -> str | None:
        """The heading of a table's column; `column` counts the bars before a cell."""
        rows: list[str] = []
        end = begin - 1
        for _ in range(MOST_LINES):
            start = self._text.rfind("\n", 0, max(end, 0)) + 1
            line = self._text[start : max(end, 0)]
            if not line.lstrip().startswith("|"):
                break
            rows.append(line)
            if start == 0:
                break
            end = start - 1
        if len(rows) < 2 or not ROW_RULE.match(rows[-2]):
            return None
        cells = rows[-1].split("|")
        return cells[column] if column < len(cells) else None


def _phrase(before: str) -> bool:
    """Whether a noun phrase or an article stands directly before a name."""
    if ARTICLE.search(before):
        return True
    counted = COUNTED.search(before)
    if counted and not any(is_work(word) for word in WORD.findall(counted.group(1))):
        return True
    match = NOUN_PHRASE.search(before) or NOUN_AFTER.search(before)
    if match is None or PREPOSITION.search(before):
        return False
    noun = match.group(1)
    return not (is_work(noun) or NOT_A_NOUN.search(noun))
