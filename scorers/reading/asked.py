"""Whether a request asks for something that people know by number: "which of our shipments …?"."""

from __future__ import annotations

import re

from scorers.reading.kinds import HAN, WORD, WORK_HAN, is_kind, is_work

# What follows tells what is asked for, unless it is something of the agent's own work.
ASKS_FOR = re.compile(
    r"(?i)\b(?:which|welche[rsnm]?|cuál(?:es)?|qué|quel(?:le)?s?|is there an?|is an?|any|are there"
    r"|do we have an?|how many|wie viele|cuánt[oa]s|combien de)\s(?:of (?:our|my|the|your)\s)?"
    r"((?:[\w'-]+\s?){1,3})"
)
ASKS_FOR_HAN = re.compile(
    r"哪[一些个台条份笔家位张种次]{0,2}([㐀-鿿]{1,8})|何の([㐀-鿿ァ-ー]{1,8})"
)
# What follows counts where it is one of the kinds.
ASKS = re.compile(
    r"(?i)\b(?:which|what|what['’]s|any|list|show|where|give|tell|find|wo|welche[rsn]?|wie"
    r"|cuál(?:es)?|qué|dónde|quel(?:le)?s?|quale)\b"
)
# The noun phrase that a question asks for ends at the next of these.
PHRASE_END_TEXT = (
    "in on for to from at by with and or that which who can could should would will do does did "
    "has have had about under if when because need"
)
PHRASE_END = frozenset(PHRASE_END_TEXT.split())
ASKED_WORDS = 8
ASKED_LENGTH = 120
ASKS_HAN = re.compile(r"(?:哪|什么|何|どの|列出|查一?下|어느|어떤)[^。！？\n]{0,10}")
ASKED_HAN = re.compile(r"[^。！？\n]{0,10}(?:是多少|是什么|是哪|いつ|教えて|를 알려)")
CLAUSE_END = re.compile(r"[.!?;](?=\s)|[。！？；\n|]")


def asks_for_records(request: str) -> bool:
    """Whether a request asks for things of a kind that has numbers."""
    for match in ASKS_FOR.finditer(request):
        words = WORD.findall(match.group(1))
        if words and not any(is_work(word) for word in words):
            return True
    for match in ASKS_FOR_HAN.finditer(request):
        if not WORK_HAN.search(match.group(1) or match.group(2)):
            return True
    for match in ASKS.finditer(request):
        rest = request[match.end() : match.end() + ASKED_LENGTH]
        if _names_kind(CLAUSE_END.split(rest, maxsplit=1)[0]):
            return True
    return any(
        HAN.search(match.group())
        for asks in (ASKS_HAN, ASKED_HAN)
        for match in asks.finditer(request)
    )


def _names_kind(phrase: str) -> bool:
    for number, word in enumerate(WORD.findall(phrase)[:ASKED_WORDS]):
        if is_kind(word):
            return True
        if number and word.lower() in PHRASE_END:
            return False
    return False
