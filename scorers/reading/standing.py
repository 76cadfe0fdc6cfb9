"""How a name stands in a text: explained, bracketed after a statement, or bare.

A name is explained where it stands by an apposition, a bracket, a label that hands it over
("order ID: X"), a heading or list item that goes on to describe it, or the rest of its table row.
A name in a bracket after a finished statement is a source mark: nothing depends on it. A bare name
carries the statement, and whoever does not know it does not understand the statement.
"""

from __future__ import annotations

import re
from typing import Literal

Standing = Literal["explained", "bracketed", "bare"]

# How far from a name its explanation is looked for, in characters.
REACH = 240

WORD = re.compile(r"[^\W\d_]{2,}|[㐀-鿿가-힣]")
MARKS = "*_`\"“”'#~ \t"
LABEL = re.compile(
    r"(?i)(?:\b(?:ids?|number|numbers|no|nr|code|codes|key|ref|reference|identifier"
    r"|commit|branch|tag|"
    r"version|model|called|named|name|labell?ed|número|código|numéro|nummer)|#|编号|号码|单号|代码|名为"
    r"|叫做|번호|코드|아이디|ID)\W{0,8}\Z"
)
DEFINES = re.compile(
    r"(?i)\s*+(?:,\s*(?:the|a|an|our|your|its|one of|el|la|una?|der|die|das|ein|le|une)\b"
    r"|,\s*(?:which|who|that)\s(?:is|are|was|were|holds|lists|contains|describes"
    r"|means|says|covers)\b"
    r"|(?<=\s)(?:is|are|was|were) (?:the|a|an|our|your|one)\b"
    r"|(?<=\s)(?:means|refers to|stands for|denotes)\b"
    r"|=\s*\S|[,，]?\s*+(?:即|指的?是|是指|就是|表示|代表|也就是)|(?:은|는)\s\S+\s\S+)"
)
# "keep three bags on JG7FMM (costing $50)" tells what happens, not what it is.
ASIDE = re.compile(
    r"(?i)\W*(?:\w+ing\b|only|see|again|same|also|just|not|no|still|now|当|只|仅|见|同|参见|詳)"
)
INTRODUCES = re.compile(r"\s*(?:[:：]|—|–|--|\s-\s|→)\s*\S")
ITEM = re.compile(r"(?:[-*•+]|\d{1,3}[.)、]|#{1,6}|>|\(?[a-z]\))\s+")
PHRASE = re.compile(
    r"(?i)\b(?:the|a|an|our|your|this|that|my)\s+(?:[a-z][\w'-]{0,30}\s+){1,3}[a-z][\w'-]{0,30}(?<!s)(?<!ed)\s+\W{0,3}\Z"
)
HAN_PHRASE = re.compile(
    r"(?:^|[^㐀-鿿])[㐀-鿿]{2,7}(?![的在和是与对比为把从到用按跑选取])[㐀-鿿]\s?\Z"
)
# "carry a warning, W7, that …": the name is itself the apposition.
INSET = re.compile(r"(?i)\b(?:a|an|the|our|your|one)\s(?:[\w-]+\s){0,3}[\w-]+,\s\W{0,3}\Z")
# "flight HAT045 leaves at 06:00 for $120": a noun names the kind, and details follow.
PREPOSITION = re.compile(
    r"(?i)(?:\b(?:on|in|of|for|to|from|at|by|with|and|or|per|see|is|are|was|use|take|than|vs"
    r"|against|that|this|the|a|an|en|de|para|con|y|el|la|under|over|after|before|into"
    r"|as|if|but|not|by|only|so|both|between))\W*\Z"
)
DETAIL = re.compile(r"\d+(?:[:.,]\d+)*|\b[A-Z][A-Za-z]+|→")


def standing(text: str, start: int, end: int) -> Standing:
    """Return how the name at `start:end` stands. `text` has code blocks masked."""
    left = max(text.rfind("\n", 0, start) + 1, start - REACH)
    stop = text.find("\n", end)
    right = min(len(text) if stop < 0 else stop, end + REACH)
    before, after = text[left:start], text[end:right]
    if text[left : left + 4].lstrip().startswith("|") or "|" in before:
        row_before, _, before = before.rpartition("|")
        after, _, row_after = after.partition("|")
        if not before.strip(MARKS) and not after.strip(MARKS):
            return "explained" if _words(row_before + row_after) else "bare"
    opened = max(before.rfind("("), before.rfind("（"))
    if opened > max(before.rfind(")"), before.rfind("）")):
        lead = _body(before[:opened])
        short = 0 < _words(lead) <= (8 if _dense(lead) else 5)
        return "explained" if short and not _numbers(lead) else "bracketed"
    # One end of a listed pair ("C03→C17") is no statement about the name.
    if before.rstrip(MARKS)[-1:] in {"→", "↔"} or after.lstrip(MARKS)[:1] in {"→", "↔"}:
        return "bracketed"
    if _explained_before(before) or _explained_after(before, after):
        return "explained"
    if INSET.search(before) and after.lstrip("*`")[:1] == ",":
        return "explained"
    if _kind_and_details(before, after):
        return "explained"
    if _words(_body(before)) <= 3 and not after.strip(MARKS + ":："):
        return "explained" if _described_below(text, right) else "bare"
    return "bare"


def _explained_before(before: str) -> bool:
    lead = before.rstrip(MARKS)
    if LABEL.search(lead) or LABEL.search(before):
        return True
    if PHRASE.search(before) and not PREPOSITION.search(before):
        return True
    return bool(HAN_PHRASE.search(before.rstrip("*`")))


def _kind_and_details(before: str, after: str) -> bool:
    """Whether a noun stands before the name and at least two details after it."""
    if PREPOSITION.search(before) or not re.search(r"[A-Za-z]{3,}[\s*_`(#]*\Z", before):
        return False
    sentence = re.split(r"[.;!?](?:\s|\Z)|[。；！？]", after, maxsplit=1)[0]
    return len(DETAIL.findall(sentence)) >= 2


def _explained_after(before: str, after: str) -> bool:
    rest = after.lstrip('*_`"”')
    if DEFINES.match(rest):
        return True
    bracket = rest.lstrip()[:1]
    if bracket and bracket in "(（[":
        inside = re.split(r"[)）\]]", rest.lstrip()[1:], maxsplit=1)[0]
        return _words(inside) >= 2 and not ASIDE.match(inside)
    lead = _body(before)
    # A list item or heading that opens with the name and goes on to describe it.
    if _words(lead) <= 3 and not re.search(r"[.,;!?。，；]", lead):
        if INTRODUCES.match(rest) and _words(rest) + _numbers(rest) >= 2:
            return True
        if (
            before.strip()
            and re.match(r"\s+(?:[A-Z0-9→$]|\S+\s*→)", rest)
            and len(rest.split()) > 3
        ):
            return True
    return False


def _described_below(text: str, position: int) -> bool:
    """Whether a heading-like line that ends at `position` is followed by a line that says more."""
    following = text[position : position + REACH].lstrip("\n")
    line = following.split("\n", 1)[0].strip()
    return _words(line) >= (2 if following[:1] in " \t-*•|" else 5)


def _body(before: str) -> str:
    """What stands on the line before a name, without a list mark."""
    lead = before.lstrip()
    match = ITEM.match(lead)
    return lead[match.end() :] if match else lead


def _words(text: str) -> int:
    return sum(1 for _ in WORD.finditer(text))


def _numbers(text: str) -> int:
    return len(re.findall(r"\d+(?:[.,]\d+)*", text))


def _dense(text: str) -> bool:
    return bool(re.search(r"[㐀-鿿가-힣]", text))
