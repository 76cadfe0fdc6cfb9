"""What the journal still holds after a crash goes into the table of open turns again.

The ledger says of each trace up to which request its turns are stored, in the same transaction
that stored them: so a turn is neither lost nor counted a second time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice

from collector.assembly.assembler import Assembler
from collector.assembly.closing import Closed, Closing
from collector.assembly.material import Key
from collector.errors import Permanent
from collector.journal import Frame
from collector.ledger.mark import Mark
from collector.otlp import Batch, decode

# Of what was given out for one trace: enough to know a turn again, whatever the session's length.
MOST_TURNS = 50
MOST_SPANS = 4


def marks_of(journal: str, closing: Closing, closed: Closed) -> Iterator[Mark]:
    """Yield what the ledger is to remember with the turns of a closing, for each of its traces."""
    given = closing.given | closed.given
    if not given or not closed.sequence:
        return
    latest = islice(given.items(), max(len(given) - MOST_TURNS, 0), None)
    turns = {name: sorted(turn.spans)[:MOST_SPANS] for name, turn in latest}
    said = json.dumps({"waits": closed.unfinished, "turns": turns})
    for trace in closed.traces:
        yield Mark(trace, journal, closed.first_sequence, closed.sequence, said)


class Recovery:
    """Makes batches of a journal's frames, without what is known to be in the ledger. `oldest` is
    the lowest sequence that the journal still holds."""

    def __init__(self, oldest: int, marks: Mapping[str, Mark], assembler: Assembler) -> None:
        self._oldest = oldest
        self._marks = dict(marks)
        self._assembler = assembler
        self._stored: dict[str, int] = {}

    def batch(self, frame: Frame) -> Batch | None:
        """Return what of a request is needed again; None where nothing of it can be read."""
        try:
            decoded = decode(frame.signal, frame.encoding, frame.body)
        except Permanent:  # it was accepted by a version that could
            return None
        self._restore({record.trace_id for record in decoded.records})
        needed = tuple(
            record
            for record in decoded.records
            if self._stored.get(record.trace_id, 0) < frame.sequence
        )
        return replace(decoded, records=needed, receiver=frame.receiver)

    def _restore(self, traces: Iterable[str]) -> None:
        for trace in traces:
            mark = self._marks.pop(trace, None)
            if mark is None:
                continue
            said = json.loads(mark.given)
            # Where a turn still waits for its end, its requests are needed again.
            settled = 0 if said["waits"] else mark.last_sequence
            if mark.first_sequence < self._oldest:
                # Its first requests are gone: what is left of it makes no turn by itself.
                self._stored[trace] = settled
            else:
                self._assembler.restore((trace,), _given(said["turns"]), settled=settled)


def _given(turns: Mapping[str, list[list[str]]]) -> dict[str, frozenset[Key]]:
    return {
        name: frozenset((trace, span) for trace, span in spans) for name, spans in turns.items()
    }
