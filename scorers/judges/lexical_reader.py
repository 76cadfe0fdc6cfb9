"""The lexical reader: is a reply usable, decided without a model, key or network.

Source: arXiv 2610.19659 defines the verdict; the rules are this project's. Precision comes first:
what the rules can't see is `usable` here, so a rate of this reader is a lower bound, and never to
be mixed with the rate of a reader model.
"""

from __future__ import annotations

from typing import Any, Literal

from scorers.reading.gap import Gap
from scorers.reading.known import Known
from scorers.reading.language import same_language
from scorers.reading.names import unexplained_names
from scorers.reading.passage import Passage
from scorers.score import Outcome, Score
from scorers.turn import Turn

# Changes with every rule or threshold: a new version starts a new series.
RULES = "1"
# A reply longer than this is a document, not a message; its verdict would rest on its first part.
LONGEST_REPLY = 200_000


class LexicalReader:
    """Judges a reply from the requester's side by rules on its text."""

    @property
    def name(self) -> str:
        """`lexical_reader`."""
        return "lexical_reader"

    @property
    def version(self) -> str:
        """The number of this set of rules."""
        return RULES

    @property
    def kind(self) -> Literal["measure", "judge"]:
        """A judge."""
        return "judge"

    def score(self, turn: Turn) -> Score:
        """Return `failed` (1.0) or `usable` (0.0) with the gaps as evidence, or the reason why not.

        Reads `turn.requester`, `turn.reply`, and `turn.private` only to see whether a name comes
        from there.
        """
        if turn.reply is None:
            return self._unscored(turn.reply_missing or "no reply is known")
        if not turn.reply.strip():
            return self._unscored("the reply is empty")
        if turn.requester.request is None:
            return self._unscored(turn.request_missing or "no request is known")
        if len(turn.reply) > LONGEST_REPLY:
            return self._unscored(f"the reply is longer than {LONGEST_REPLY} characters")
        passage = Passage(turn.reply)
        known = Known(turn)
        same = same_language(turn.requester, passage)
        gaps, unsure = unexplained_names(passage, known)
        failed = bool(gaps) or same is False
        if not failed and unsure and not known.private:
            return self._unscored(
                f"no private context is recorded, so it is not known where "
                f"{unsure[0].text} comes from"
            )
        return self._verdict(gaps, same=same)

    def _verdict(self, gaps: list[Gap], *, same: bool | None) -> Score:
        failed = bool(gaps) or same is False
        kinds: list[str] = [gap.category for gap in gaps]
        if same is False:
            kinds.append("wrong_language")
        evidence: dict[str, Any] = {
            "failed": failed,
            "answered": None,
            "answer_quote": None,
            "same_language": same,
            "gaps": [gap.as_evidence() for gap in gaps],
            "kinds": list(dict.fromkeys(kinds)),
        }
        return Score(
            scorer=self.name,
            version=self.version,
            outcome=Outcome.scored,
            label="failed" if failed else "usable",
            value=1.0 if failed else 0.0,
            explanation=_explanation(gaps, same=same),
            evidence=evidence,
        )

    def _unscored(self, reason: str) -> Score:
        return Score(
            scorer=self.name, version=self.version, outcome=Outcome.unscored, reason=reason
        )


def _explanation(gaps: list[Gap], *, same: bool | None) -> str:
    """One plain sentence that says what was found."""
    found = []
    if same is False:
        found.append("the reply is not in the requester's language")
    if gaps:
        spans = ", ".join(f"“{gap.span}”" for gap in gaps[:5])
        more = f" and {len(gaps) - 5} more" if len(gaps) > 5 else ""
        found.append(f"the requester can't know what is meant by {spans}{more}")
    if not found:
        return (
            "Nothing in the reply needs more than it and the dialog say, as far as rules can see."
        )
    sentence = "; ".join(found)
    return sentence[0].upper() + sentence[1:] + "."
