"""Names that a reply introduces by their kind, or that are what was asked for.

"The oldest open invoice is INV-2003" answers a question with an identifier: nothing is missing.
Looked at are, for each name: the noun before it ("invoice INV-2003"), the sentence that it ends as
a predicate ("the gate is G14"), the column or list it stands in, its prefix where that is short for
a noun in the text (SHP: shipment), what was done under it ("filed as HRC-2210"), and whether it
opens an answer to "which …?". A family introduced once is introduced.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property

from scorers.identifiers import Identifier
from scorers.reading.kinds import (
    HAN,
    PREFIXES,
    WORD,
    WORK_HAN,
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
    r"|explains?|confirms?|contradicts?|implies|imply|requires?|puts?|praises?|complains?|looks?"
    r"|leaves? (?:no|little)|is (?:clear|silent)|muestra|dice|indica|advierte|señala|zeigt|sagt|nennt"
    r"|belegt|spricht)\b|\s*(?:的?(?:摘要|正文|附表|结果|结论))?(?:也|则|还|都)?"
    r"(?:说|指出|认为|提到|报告|显示|表明|给出|的说法)"
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
ARTICLE = re.compile(r"(?i)(?:\A|\s)(?:the|der|die|das|el|la)\s[*_`\"“#]{0,3}\Z")
ASKS_FOR = re.compile(
    r"(?i)\b(?:which|welche[rsnm]?|cuál(?:es)?|qué|quel(?:le)?s?|is there an?|is an?|any|are there|do we have an?"
    r"|what)\s(?:of (?:our|my|the|your)\s)?((?:[\w'-]+\s?){1,3})"
)
ASKS_FOR_HAN = re.compile(r"哪[一些个台条份笔家位张种次]{0,2}([㐀-鿿]{1,8})|何の([㐀-鿿ァ-ー]{1,8})")
ASKS = re.compile(
    r"(?i)\b(?:which|what|what['’]s|any|list|show|where|give|tell|find|wo|welche[rsn]?|wie"
    r"|cuál(?:es)?|qué|dónde|quel(?:le)?s?|quale)\b"
)
# The noun phrase that a question asks for ends at the next of these.
PHRASE_END = frozenset(
    "in on for to from at by with and or that which who can could should would will do does did has "
    "have had about under if when because need".split()
)
ASKED_WORDS = 8
ASKS_HAN = re.compile(r"(?:哪|什么|何|どの|列出|查一?下|어느|어떤)[^。！？\n]{0,10}")
ASKED_HAN = re.compile(r"[^。！？\n]{0,10}(?:是多少|是什么|是哪|いつ|教えて|를 알려)")
# Words that may stand before a name that opens an answer.
OPENING_WORDS = 4
FLIGHT = re.compile(r"[A-Z]{2,3}\d{2,4}\Z")
TRAVEL = re.compile(r"(?i)\b(?:flights?|airports?|airline|vuelos?|vols?|flug|flüge)\b|航班|机场|항공")
CHECKED = re.compile(r"[A-Z]{1,4}\d{3,5}\Z")
CHECKER = re.compile(
    r"(?i)\b(?:lint\w*|ruff|flake8|eslint|pylint|mypy|pyright|clippy|typescript|tsc|compiler"
    r"|error codes?|status codes?)\b"
)
DIAGNOSIS = re.compile(r"[A-TV-Z]\d\d(?:\.\d{1,4})?\Z")
DIAGNOSED = re.compile(r"(?i)\bICD|\bdiagnos|诊断|診断|진단")
NOT_A_NOUN = re.compile(r"(?i)(?:ed|ing|ly)\Z|\A(?:is|are|was|were|has|had|have|can|will)\Z")
ITEM = re.compile(r"\s*(?:[-*•+]|\d{1,3}[.)、]|\(?[a-z]\))\s+")
# A line that a list belongs to.
HEADS = re.compile(r"[:：][\s*_]*\Z|\A\s*(?:#{1,6}\s|\*\*)")
ROW_RULE = re.compile(r"[\s|:-]+\Z")
MOST_LINES = 60


class Introduced:
    """Tells which names of one reply come with their kind. `text` has code blocks masked."""

    def __init__(self, text: str, request: str) -> None:
        self._text = text
        self._request = request[-4000:]

    def names(self, places: Mapping[str, Sequence[Identifier]]) -> set[str]:
        """Return the introduced names, and with each the other names of its family."""
        found: set[str] = set()
        families: set[str] = set()
        for name, occurrences in places.items():
            family = occurrences[0].family
            if family in families:
                found.add(name)
            elif self._public(name) or any(self._by_kind(place) for place in occurrences[:50]):
                found.add(name)
                if len(family) > 1 and not family[-1].isdigit():
                    families.add(family)
        return found | {name for name, places in places.items() if places[0].family in families}

    @cached_property
    def _nouns(self) -> frozenset[str]:
        return frozenset(kinds_in(f"{self._text}\n{self._request}"))

    @cached_property
    def _asked(self) -> bool:
        """Whether the request asks for things that have numbers: "which of our shipments …"."""
        for match in ASKS_FOR.finditer(self._request):
            words = [word.lower() for word in WORD.findall(match.group(1))]
            which = not match.group().lower().startswith("what")
            if which and words and not any(is_work(word) for word in words):
                return True
        for match in ASKS_FOR_HAN.finditer(self._request):
            if not WORK_HAN.search(match.group(1) or match.group(2)):
                return True
        for match in ASKS.finditer(self._request):
            rest = SENTENCE_END.split(self._request[match.end() : match.end() + 120], maxsplit=1)[0]
            for number, word in enumerate(WORD.findall(rest)[:ASKED_WORDS]):
                if is_kind(word):
                    return True
                if number and word.lower() in PHRASE_END:
                    break
        return any(
            HAN.search(match.group())
            for asks in (ASKS_HAN, ASKED_HAN)
            for match in asks.finditer(self._request)
        )

    def _public(self, name: str) -> bool:
        """Whether the field numbers such things this way: flights, compiler messages, diagnoses."""
        prefix = re.match(r"[A-Z]*", name)
        letters = prefix.group() if prefix else ""
        if letters in PREFIXES or any(abbreviates(letters, noun) for noun in self._nouns):
            return True
        both = (self._text, self._request)
        return any(
            shape.match(name) and any(field.search(text) for text in both)
            for shape, field in ((FLIGHT, TRAVEL), (CHECKED, CHECKER), (DIAGNOSIS, DIAGNOSED))
        )

    def _by_kind(self, place: Identifier) -> bool:
        start = place.start
        begin = max(self._text.rfind("\n", 0, start) + 1, start - REACH)
        before = self._text[begin:start]
        if "|" in before:
            header = self._header(begin, before.count("|"))
            if header is not None and has_kind(header):
                return True
        lead = SENTENCE_END.split(before)[-1]
        bare = ITEM.sub("", lead, count=1).strip(MARKS)
        if not bare and self._listed(begin, before):
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

    def _listed(self, begin: int, before: str) -> bool:
        """Whether a name opens a list item below a line that names the kind."""
        if not ITEM.match(before):
            return False
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
    match = NOUN_PHRASE.search(before)
    if match is None or PREPOSITION.search(before):
        return False
    noun = match.group(1)
    return not (is_work(noun) or NOT_A_NOUN.search(noun))
