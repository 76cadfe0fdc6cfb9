"""A `Gap`: an expression of a reply whose reader lacks what it refers to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

GapType = Literal["definition", "reference", "background"]
Category = Literal["pointer", "coined", "term", "background"]


@dataclass(frozen=True, slots=True)
class Gap:
    """Where the expression stands in the reply (characters), and the question it leaves open.

    `category` as in arXiv 2610.19659, section 5.2. `origin` is the kind of the private item that
    holds the expression first, None where no private item does.
    """

    start: int
    end: int
    span: str
    type: GapType
    category: Category
    question: str
    origin: str | None = None

    def as_evidence(self) -> dict[str, Any]:
        """Return the gap as plain JSON values."""
        return {
            "start": self.start,
            "end": self.end,
            "span": self.span,
            "type": self.type,
            "category": self.category,
            "question": self.question,
            "origin": self.origin,
        }
