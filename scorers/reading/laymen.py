"""Short forms for a reader who said that they do not know the field, and heads of table columns."""

from __future__ import annotations

import re

from scorers.identifiers import TOKEN
from scorers.reading.gap import Gap
from scorers.reading.known import Known
from scorers.reading.passage import Passage
from scorers.reading.standing import standing
from scorers.reading.well_known import WELL_KNOWN

LAYMAN = re.compile(
    r"(?i)\b(?:i(?:['’]m|\sam) (?:not|no) (?:an? )?(?:\w+\s)?(?:doctor|lawyer|expert|engineer"
    r"|developer"
    r"|programmer|accountant|specialist|physician|scientist|economist|technician|techie|technical"
    r"|medical|native in this)|(?:no|without|don['’]t have (?:an?|any)|have no) (?:medical|legal"
    r"|technical"
    r"|scientific|financial|engineering|programming|statistical)\s(?:background|knowledge|training"
    r"|experience)|lay(?:man|person|woman|people)|lay(?:man|person)['’]s|in (?:simple|plain|easy"
    r"|everyday) (?:words|terms|language|english)|explain (?:it |this )?(?:to me )?(?:like|as if) i"
    r"|(?:don['’]t|do not) know (?:anything|much|a thing) about"
    r"|without (?:the )?jargon|no jargon|i(?:['’]m|\sam) (?:a (?:complete )?beginner|new to))\b"
)
# HbA1c, eGFR, GGT, SJ, T2: at least two capitals, or a capital and a digit.
SHORT_FORM = re.compile(r"(?=(?:[a-z]{0,3}[A-Z]){2}|[A-Z]{1,4}\d)[A-Za-z]{1,6}\d{0,2}[a-z]?\Z")
# One may be known, or was met on the letter that is being explained.
FEWEST_FORMS = 2

HEAD = re.compile(
    r"^[ \t]*\|([^\n]{3,400})\|[ \t]*\n[ \t]*\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*$", re.MULTILINE
)
SHORT_HEAD = re.compile(r"(?:[A-Za-z]{1,2}\d?|[a-z][A-Z])\Z")
MATHS = re.compile(
    r"(?i)[=²³√∑∧∨]|\b(?:solve|equation|truth|matrix|vector|function|formula|logic|calculat\w*"
    r"|comput\w*"
    r"|math\w*|proof|prove|derive|algorithm|sequence|probability|polynomial|graph|plot|chess"
    r"|standings"
    r"|league|teams?|match|season)\b"
)
FEWEST_HEADS = 4


def short_forms(passage: Passage, known: Known, request: str) -> list[Gap]:
    """Return the short forms in a reply to somebody who asked to be spared them."""
    if not LAYMAN.search(request):
        return []
    text = passage.own_words
    found: dict[str, Gap] = {}
    for match in TOKEN.finditer(text):
        name = match.group()
        if name in found or not SHORT_FORM.match(name):
            continue
        if name in WELL_KNOWN or name.rstrip("s") in WELL_KNOWN or known.to_requester(name):
            continue
        if standing(text, match.start(), match.end()) != "bare":
            continue
        found[name] = Gap(
            match.start(), match.end(), name, "definition", "term", f"What does {name} mean?"
        )
        if len(found) > 20:
            break
    return list(found.values()) if len(found) >= FEWEST_FORMS else []


def unnamed_columns(passage: Passage, known: Known, request: str) -> list[Gap]:
    """Return the first column head of a table that is headed by letters which nothing explains."""
    if "|" not in passage.unfenced or MATHS.search(request):
        return []
    for match in HEAD.finditer(passage.unfenced):
        cells = [cell.strip(" \t*_`") for cell in match.group(1).split("|")]
        short = [cell for cell in dict.fromkeys(cells) if SHORT_HEAD.match(cell)]
        if len(short) < FEWEST_HEADS or 5 * len(short) < 4 * len(cells):
            continue
        rest = passage.text[: match.start()] + passage.text[match.end() :]
        open_heads = [
            cell
            for cell in short
            if not known.to_requester(cell)
            and not re.search(
                rf"(?<!\w){re.escape(cell)}[*_`]{{0,2}}\s?(?:[:=(]|—|–|is\b|means\b|stands\b)", rest
            )
        ]
        if len(open_heads) >= FEWEST_HEADS:
            head = open_heads[0]
            bar = re.search(rf"(?<!\w){re.escape(head)}(?!\w)", match.group(1))
            start = match.start(1) + (bar.start() if bar else 0)
            question = f"What does the column {head} hold?"
            return [Gap(start, start + len(head), head, "definition", "coined", question)]
    return []
