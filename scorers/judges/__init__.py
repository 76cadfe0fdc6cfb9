"""Judges: they decide whether a reply is usable.

`JUDGES` names every judge that works without configuration, in the order they are listed to users.
"""

from __future__ import annotations

from scorers.judges.lexical_reader import LexicalReader
from scorers.scorer import Scorer

JUDGES: tuple[Scorer, ...] = (LexicalReader(),)
