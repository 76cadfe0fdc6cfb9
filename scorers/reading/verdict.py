"""The lexical reader's verdict on one reply: every rule, and what they come to together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scorers import identifiers, script
from scorers.reading import (
    abbreviations,
    amounts,
    answered,
    asked,
    deliveries,
    introduced,
    kinds,
    known,
    labels,
    language,
    laymen,
    names,
    passage,
    places,
    pointers,
    standing,
    unfinished,
    well_known,
)
from scorers.reading.gap import Gap
from scorers.reading.known import Known
from scorers.reading.passage import Passage
from scorers.reading.rules import fingerprint
from scorers.score import Outcome, Score
from scorers.turn import Turn

# Raised where code, not a pattern or threshold, changes a verdict.
LOGIC = "3"
VERSION = fingerprint(
    (
        abbreviations,
        amounts,
        answered,
        asked,
        deliveries,
        identifiers,
        introduced,
        kinds,
        known,
        labels,
        language,
        laymen,
        names,
        passage,
        places,
        pointers,
        script,
        standing,
        unfinished,
        well_known,
    ),
    LOGIC,
)
# A reply longer than this is a document, not a message; a verdict on it would say little.
LONGEST_REPLY = 200_000
# The end of a long request holds what it asks for.
REQUEST_END = 20_000


@dataclass(frozen=True, slots=True)
class _Reading:
    """What was found in one reply."""

    gaps: tuple[Gap, ...]
    same_language: bool | None
    unanswered: str | None
    answer_quote: str | None

    @property
    def failed(self) -> bool:
        return bool(self.gaps or self.same_language is False or self.unanswered)

    @property
    def answered(self) -> bool | None:
        """False where seen not to answer, True where a sentence takes the request up, else None."""
        if self.unanswered:
            return False
        return True if self.answer_quote else None

    def kinds(self) -> list[str]:
        found: list[str] = [gap.category for gap in self.gaps]
        if self.answered is False:
            found.append("not_answered")
        if self.same_language is False:
            found.append("wrong_language")
        return list(dict.fromkeys(found))

    def explanation(self) -> str:
        """One plain sentence that names what was found."""
        found = []
        if self.same_language is False:
            found.append("the reply is not in the requester's language")
        if self.unanswered:
            found.append(self.unanswered)
        if self.gaps:
            spans = ", ".join(f"“{gap.span}”" for gap in self.gaps[:5])
            more = f" and {len(self.gaps) - 5} more" if len(self.gaps) > 5 else ""
            found.append(f"the requester can't know what is meant by {spans}{more}")
        if not found:
            return "By these rules, the reply needs nothing that it and the dialog do not say."
        sentence = "; ".join(found)
        return sentence[0].upper() + sentence[1:] + "."


def score(turn: Turn, scorer: str) -> Score:
    """Return `failed` (1.0) or `usable` (0.0) with the gaps as evidence, or the reason why not.

    Reads `turn.requester`, `turn.reply`, and `turn.private` only to see whether a name comes
    from there.
    """
    request = turn.requester.request
    if turn.reply is None:
        return _unscored(scorer, turn.reply_missing or "no reply is known")
    if not turn.reply.strip():
        return _unscored(scorer, "the reply is empty")
    if request is None or not request.strip():
        return _unscored(scorer, turn.request_missing or "no request is known")
    if len(turn.reply) > LONGEST_REPLY:
        return _unscored(scorer, f"the reply is longer than {LONGEST_REPLY} characters")
    text, seen = Passage(turn.reply), Known(turn)
    coded, open_names = names.unexplained_names(text, seen, request[-REQUEST_END:])
    reading = _read(text, seen, turn, request[-REQUEST_END:], coded)
    if open_names and not reading.failed and not seen.private:
        return _unscored(
            scorer,
            "no private context is recorded, so nothing tells whether "
            f"{open_names[0].text} comes from the agent's work",
        )
    if open_names and not reading.failed and seen.cut:
        return _unscored(
            scorer,
            "the private context is too long to be searched to its end "
            f"({seen.private_length} characters), and {open_names[0].text} is not in the part "
            "that was",
        )
    evidence: dict[str, Any] = {
        "failed": reading.failed,
        "answered": reading.answered,
        "answer_quote": None if reading.answered is False else reading.answer_quote,
        "same_language": reading.same_language,
        "gaps": [gap.as_evidence() for gap in reading.gaps],
        "kinds": reading.kinds(),
    }
    return Score(
        scorer=scorer,
        version=VERSION,
        outcome=Outcome.scored,
        label="failed" if reading.failed else "usable",
        value=1.0 if reading.failed else 0.0,
        explanation=reading.explanation(),
        evidence=evidence,
    )


def _unscored(scorer: str, reason: str) -> Score:
    return Score(scorer=scorer, version=VERSION, outcome=Outcome.unscored, reason=reason)


def _read(text: Passage, seen: Known, turn: Turn, request: str, coded: list[Gap]) -> _Reading:
    gaps = [
        *coded,
        *labels.coined_labels(text, seen, request),
        *abbreviations.unexplained_terms(text, seen),
        *abbreviations.unnamed_rows(text, seen),
        *laymen.short_forms(text, seen, request),
        *laymen.unnamed_columns(text, seen, request),
        *deliveries.undelivered(text, seen, request),
        *pointers.unseen_pointers(text, seen),
        *places.numbered_places(text, seen),
        *amounts.amounts_without_currency(text, seen),
    ]
    return _Reading(
        gaps=tuple(_apart(gaps)),
        same_language=language.same_language(turn.requester, text),
        unanswered=_unanswered(text, request),
        answer_quote=answered.answer_quote(text, request),
    )


def _unanswered(text: Passage, request: str) -> str | None:
    """What keeps a reply from being an answer, in words; None where nothing is seen to."""
    if answered.only_actions(text, request) or unfinished.is_bare_work(text, request):
        return "it lists what was done and not what came of it"
    if unfinished.is_promise(text, request):
        return "it only says what will be done"
    if unfinished.leaves_amount_open(text, request):
        return "it gives no amount, and one was asked for"
    if unfinished.is_raw_data(text, request):
        return "it is raw data with keys that nothing explains"
    missing = answered.passed_over(text, request)
    return f"it passes over {missing}, which the request names" if missing else None


def _apart(gaps: list[Gap]) -> list[Gap]:
    """Gaps in the order of the reply; of two that overlap, the first."""
    kept: list[Gap] = []
    for gap in sorted(gaps, key=lambda gap: (gap.start, gap.end)):
        if not kept or gap.start >= kept[-1].end:
            kept.append(gap)
    return kept
