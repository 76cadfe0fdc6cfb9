"""Labels of the agent's own work: `run_0417`, `cfg-C`, `R-alpha`, `K-gate`, `P1`.

Codes in capitals may be anybody's records and are looked at elsewhere. These shapes are what people
make up while they work. They are gaps where the agent's own text (its notes, thoughts, summaries,
instructions) defines them, or where several of one family come from there, and nothing that the
requester can read does.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict

from scorers.identifiers import FILE, ORDINARY, Identifier
from scorers.reading.gap import Gap
from scorers.reading.introduced import ARTICLE, EVIDENCE, Introduced
from scorers.reading.known import Known
from scorers.reading.names import CHOSEN, RESTS, WEIGHED
from scorers.reading.passage import Passage
from scorers.reading.standing import standing

# P1, T-17, G2: short, as an agent numbers; registers number longer.
NUMBERED = re.compile(r"[A-Z]{1,3}-?\d{1,3}[a-z]?\Z")
# K-gate, D-phase: a letter and a piece of work. Other words make public names (V-belt, C-sharp).
WORDED = re.compile(
    r"[A-Z]{1,4}-(?:gate|check|phase|question|decision|track|batch|bucket|run|rule|step|variant"
    r"|arm|set"
    r"|pass|plan|test|path|cut|case|item|branch|score)\Z"
)
# run_0417, t_9f3c, cfg-C, v7b.
COINED = re.compile(
    r"(?:[a-z]{1,8}[-_][A-Z]|[a-z]{1,8}_(?=[a-z]{0,8}\d)[a-z0-9]{2,8}|(?:[a-z]{1,4}-)?v\d{1,2}[a-z]"
    r"|[A-Z]-(?:alpha|beta|gamma|delta|epsilon|kappa|lambda|sigma|omega))\Z"
)
# What everybody calls so: quarters, halves, storage, paper, priorities, vitamins.
USUAL = re.compile(r"(?:[QH][1-4]|S3|[AB][0-6]|B12|P[0-5]|V\d|F\d{1,2}|CO2|[A-Z]{2,3}\d)\Z")
SERIES_USUAL = re.compile(r"P[0-5]\Z")
PRIORITIES = re.compile(r"(?i)priorit|severity|incident|ticket|alert|bug")
# Older than any agent.
LETTERED = frozenset({"T-test", "F-test", "F-score", "Z-score", "T-score", "A-test"})
OWN = ("memory", "assistant_thought", "summary", "system")
# "applied P1", "merged stub B": work of the agent's on a thing of its own.
WORKED = re.compile(
    r"(?i)\b(?:applied|merged|finished|completed|skipped|deferred|reran|re-ran|parked|dropped"
    r"|waits? for"
    r"|waiting for|blocked (?:on|by)|hangs? on|pick up|picked up)\s\W{0,3}\Z"
)
# More labels than this are an inventory.
MOST_LABELS = 60
MOST_GAPS = 20


def coined_labels(passage: Passage, known: Known, request: str) -> list[Gap]:
    """Return the labels that only the agent's own text explains."""
    text = passage.prose
    places: dict[str, list[Identifier]] = defaultdict(list)
    for start, end, name in passage.tokens(text):
        if name.isalpha() or name.isdigit() or not _is_label(name):
            continue
        if text[max(0, start - 1) : start] in ("/", "\\", "@", ".", "#", "=", "$"):
            continue
        places[name].append(Identifier(start, end, name, "code"))
        if len(places) > MOST_LABELS:
            return []
    if not places:
        return []
    families = Counter(_family(name) for name in places)
    introduced: set[str] | None = None
    gaps: list[Gap] = []
    for name, found in places.items():
        siblings = families[_family(name)]
        if USUAL.match(name):
            series = SERIES_USUAL.match(name) and siblings >= 3
            if not series or PRIORITIES.search(request) or PRIORITIES.search(text):
                continue
        if known.to_requester(name):
            continue
        stands = [standing(text, place.start, place.end) for place in found[:50]]
        if "explained" in stands or "bare" not in stands:
            continue
        if introduced is None:
            introduced = Introduced(text, request).names(places)
        place = found[stands.index("bare")]
        # An article makes a number a thing ("the G14"), a label stays a label.
        named = WORDED.match(name) and ARTICLE.search(text[max(0, place.start - 8) : place.start])
        if name in introduced and not named:
            continue
        origin = _origin(text, place, siblings, known)
        if origin is not None and len(gaps) < MOST_GAPS:
            question = f"What is {name}?"
            gaps.append(Gap(place.start, place.end, name, "reference", "coined", question, origin))
    return gaps


def _is_label(name: str) -> bool:
    if "." in name and FILE.search(name):
        return False
    if NUMBERED.match(name):
        return len(name.rstrip("0123456789-")) == 1 or not ORDINARY.match(name)
    if WORDED.match(name):
        return name not in LETTERED
    return COINED.match(name) is not None


def _family(name: str) -> str:
    """What the labels of one piece of work share: `run_`, `R-`, `P`."""
    match = re.match(r"[A-Za-z]*[-_]?", name)
    return match.group() if match else name


def _origin(text: str, place: Identifier, siblings: int, known: Known) -> str | None:
    """The kind of private text that makes a label the agent's own, None where none does."""
    before = text[max(0, place.start - 60) : place.start]
    leaned = (
        siblings > 1
        or RESTS.search(before)
        or WORKED.search(before)
        or CHOSEN.search(before)
        or EVIDENCE.match(text, place.end)
        or WEIGHED.match(text, place.end)
    )
    if leaned or WORDED.match(place.text):
        defined = known.defined(place.text, OWN)
        if defined is not None:
            return defined
    if not COINED.match(place.text):
        return None
    origin = known.origin(place.text) if leaned else None
    return origin if origin in OWN else None
