"""`Looking`: an inspection that is imported with the first telemetry.

A sidecar is paid for on every pod, also where nothing is sent to it.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collector.assembly.closing import Closing
    from collector.entry import Entry
    from collector.inspection.inspection import Inspection
    from collector.otlp import Batch


class Looking:
    """Does what `Inspection` does, once there is something to look at."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: Inspection | None = None

    @property
    def _inspection(self) -> Inspection:
        made = self._made
        if made is None:
            with self._lock:
                made = self._made
                if made is None:
                    from collector.inspection.inspection import Inspection  # noqa: PLC0415

                    made = self._made = Inspection()
        return made

    def took(self, batch: Batch, claimed: Sequence[str], left_out: Sequence[str | None]) -> None:
        """Note the records of a batch."""
        self._inspection.took(batch, claimed, left_out)

    def finished(self, closing: Closing, entries: Sequence[Entry]) -> None:
        """Note what a group of traces gave."""
        self._inspection.finished(closing, entries)

    def report(self) -> dict[str, Any]:
        """Return everything that was seen, as JSON values."""
        return self._inspection.report()
