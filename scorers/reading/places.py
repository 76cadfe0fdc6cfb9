"""Numbered places in material the requester never got: "finding 3", "line 4412 of the output".

A number points somewhere only if its reader has the list it counts in. It does where the dialog or
a file holds that list, or the reply itself does.
"""

from __future__ import annotations

import re

from scorers.reading.gap import Gap
from scorers.reading.known import Known
from scorers.reading.passage import Passage
from scorers.reading.words import hint

NUMBER = r"(?:no\.?\s|number\s)?#?\d{1,5}[a-z]?"
# Documents that an agent keeps for itself or makes on its way.
OWN_TEXT = (
    r"(?:notes?|dossier|briefing|scratchpad|worklog|work(?:ing)? (?:list|notes|log|file)"
    r"|(?:run(?:ner)?|tool|job|script|command|search) (?:output|log|trace|results?)"
    r"|findings|evidence|memory|transcript|extract|research|comparison|assessment|analysis)"
)
# "line 4412 of the runner output", "section 5 of the dossier".
PART = re.compile(
    r"(?i)\b((?:lines?|rows?|pages?|sections?|chapters?|items?|entry|entries|points?|paragraphs?"
    r"|options?|tables?|steps?)\s(?:" + NUMBER + r"|[A-Z]\b)\s(?:of|in|from)\s(?:my|our|the)\s"
    r"(?:[a-z]+\s){0,2}?(" + OWN_TEXT + r"))\b"
)
# What an agent counts in its own work.
COUNTED = re.compile(
    r"(?i)\b((?:(?:memory|knowledge|log|index|evidence|journal|notebook)\s(?:entry|item|note"
    r"|record)"
    r"|finding|chunk|snippet|observation|snapshot|screenshot|bundle|stub|note|entry|hypothesis"
    r"|correction|fix|claim|artifact)\s" + NUMBER + r")(?![\w:%]|\.\w|\s(?:of|in|from)\s(?!my\b))"
)
# These are nobody else's.
NEVER_SEEN = re.compile(
    r"(?i)(?:memory|knowledge|index|evidence)\s(?:entry|item|note|record)|chunk|snippet|snapshot"
)
# "Run step 6b": an instruction by number.
STEP = re.compile(
    r"(?i)(?:\A|[.!?:;\n]\s{0,4}|\b(?:please|then|and|first|should|must|can|to)\s)"
    r"(?:run|follow|do|execute|repeat|perform|start (?:with|at)|go to|redo|try)\s"
    r"(steps?\s\d{1,2}[a-z]?)(?![\w:(]|\.\w)"
)
# "option B", where no options were given.
OPTION = re.compile(
    r"\b([Oo]ption|[Vv]ariant|[Ss]cenario|[Aa]lternative|[Ss]tub)\s([A-H])(?![\w'’:)(/-]"
    r"|\s?[:=(—–])"
)
# "clicked [412]": the numbers a browsing agent gives to what it sees.
CLICKED = re.compile(
    r"(?i)\b(?:click|tapp?|press|select|hover|typ|fill|toggl)(?:ed|ing|e|s)?\s(?:on\s|in\s|into\s)?"
    r"(?:(?:the\s)?(?:element|button|link|node|ref|field)\s)?(\[\d{1,5}\])(?!\()"
)
# "step 2 of the guide", which says where the steps are.
OF = re.compile(r"(?i)\s(?:of|in|from|on)\s")
# A numbered list, or a heading that numbers what follows.
LIST = re.compile(r"(?m)^[ \t]{0,8}[*_#> \t]{0,6}(?:\w{2,12}\s)?\(?\d{1,2}[a-z]?[*_]{0,2}[.):]")
GUIDE = re.compile(
    r"(?i)\bsteps?\b|instruction|guide|manual|tutorial|runbook|recipe|checklist|playbook|procedure"
)
COUNTS = re.compile(
    r"(?i)\b(?:two|three|four|five|both|several|other|another|first|options|variants)\b"
)
# "see finding 3, the memory limit": told in the same breath.
TOLD = re.compile(r"\s?(?:\(|,\s(?:the|a|an|which|where|that|in which)\b|—|–|-\s)")
# A pattern is tried only where a word of each of its groups stands in the text: much cheaper.
HINTS = {
    PART: hint(
        "line lines row rows page pages section sections chapter chapters item "
        "items entry entries point points paragraph paragraphs option options "
        "table tables step steps",
        "note notes dossier briefing scratchpad worklog list log file output "
        "trace result results findings evidence memory transcript extract "
        "research comparison assessment analysis",
    ),
    COUNTED: hint(
        "entry item note record finding chunk snippet observation snapshot "
        "screenshot bundle stub hypothesis correction fix claim artifact",
    ),
    STEP: hint(
        "steps step",
    ),
    OPTION: hint(
        "option variant scenario stub alternative",
    ),
}


def numbered_places(passage: Passage, known: Known) -> list[Gap]:
    """Return pointers by number or letter into lists that the requester does not have."""
    text = passage.own_words
    words = passage.words
    gaps: list[Gap] = []
    for match in CLICKED.finditer(text) if "[" in text else ():
        if not known.to_requester(match.group(1)):
            gaps.append(_gap(passage, match, 1))
            break
    if known.has_files:
        return gaps
    for match in PART.finditer(text) if words.may_hold(HINTS[PART]) else ():
        if match.group(2).lower().split()[-1] not in known.folded:
            gaps.append(_gap(passage, match, 1))
            break
    # The reply is looked at first: what its requester wrote before may be long.
    step = words.may_hold(HINTS[STEP]) and not known.has_replies
    counted = words.may_hold(HINTS[COUNTED])
    if (step or counted) and not LIST.search(passage.unfenced):
        gaps += _counted(passage, known) if counted else []
        gaps += _step(passage, known) if step else []
    if words.may_hold(HINTS[OPTION]):
        gaps += _options(passage, known)
    return gaps


def _step(passage: Passage, known: Known) -> list[Gap]:
    """The first instruction by number, where no instructions were given."""
    text = passage.own_words
    match = STEP.search(text)
    if match is None or OF.match(text, match.end()) or GUIDE.search(known.requester):
        return []
    return [_gap(passage, match, 1)]


def _counted(passage: Passage, known: Known) -> list[Gap]:
    """The first thing of the agent's that is called by its number in a list of its own."""
    text = passage.own_words
    for match in COUNTED.finditer(text):
        name = match.group(1)
        noun = re.split(r"\s(?=\S*\d)", name)[0].lower().split()[-1]
        if noun in known.folded or TOLD.match(text, match.end()):
            continue
        forms = {name, name.lower()}
        if NEVER_SEEN.match(name) or any(known.origin(form) is not None for form in forms):
            return [_gap(passage, match, 1)]
    return []


def _options(passage: Passage, known: Known) -> list[Gap]:
    """The first option called by a letter, where neither side has listed any options."""
    text = passage.own_words
    for match in OPTION.finditer(text):
        noun, letter = match.group(1).lower(), match.group(2)
        if noun in known.folded or COUNTS.search(text[: match.start()]):
            continue
        if TOLD.match(text, match.end()) or re.search(
            rf"(?m)^[ \t*_#|-]{{0,8}}(?i:{noun}\s)?{letter}[*_]{{0,2}}\s?[.):|—–-]"
            rf"|(?i:{noun})\s{letter}\s?[:=(—–]|\({letter}\)",
            passage.text,
        ):
            continue
        for form in (f"{noun} {letter}", f"{noun.capitalize()} {letter}"):
            if known.origin(form) is not None:
                return [_gap(passage, match, 0)]
    return []


def _gap(passage: Passage, match: re.Match[str], group: int) -> Gap:
    start, end = match.span(group)
    question = "What does it say? It was never sent."
    return Gap(start, end, passage.text[start:end], "reference", "pointer", question)
