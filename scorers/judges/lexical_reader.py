"""The lexical reader: is a reply usable, decided without a model, key or network.

Source: arXiv 2610.19659 defines the verdict; the rules are this project's. Precision comes first:
what the rules can't see is `usable` here, so a rate of this reader is a lower bound, and never to
be mixed with the rate of a reader model.

Its patterns take a megabyte: they are read with the first reply, not by a sidecar that waits.
"""

from __future__ import annotations

from typing import Literal

from scorers.score import Score
from scorers.turn import Turn


class LexicalReader:
    """Judges a reply from the requester's side by rules on its text."""

    @property
    def name(self) -> str:
        """`lexical_reader`."""
        return "lexical_reader"

    @property
    def version(self) -> str:
        """Hash of every pattern, word list and threshold."""
        from scorers.reading import verdict  # noqa: PLC0415 - see above

        return verdict.VERSION

    @property
    def kind(self) -> Literal["measure", "judge"]:
        """A judge."""
        return "judge"

    def score(self, turn: Turn) -> Score:
        """Return `failed` (1.0) or `usable` (0.0) with the gaps as evidence, or the reason why not.

        Reads `turn.requester`, `turn.reply`, and `turn.private` only to see whether a name comes
        from there.
        """
        from scorers.reading import verdict  # noqa: PLC0415 - see above

        return verdict.score(turn, self.name)
