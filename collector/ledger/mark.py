"""A `Mark`: how far one journalled trace has come. Written with the turns that it fed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mark:
    """What became of one trace of one journal: ids and positions, never content.

    `first_sequence` and `last_sequence` are the journal's records that hold its spans; `given` is
    JSON that names what was taken of them.
    """

    trace_id: str
    journal: str
    first_sequence: int
    last_sequence: int
    given: str
