"""What the ledger remembers of a journal: up to where the turns of a trace are stored."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mark:
    """One trace of one journal.

    `first_sequence` is that of its first request; the turns of those up to `last_sequence` are
    stored (0: one of them still waits for its end). `given` is JSON: the names of its latest
    turns, each with some of the spans it was made of. It holds ids, never content.
    """

    trace_id: str
    journal: str
    first_sequence: int
    last_sequence: int
    given: str
