"""Every turn, tool result and score that was measured, kept in one database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from collector.entry import Entry
from collector.ledger.mark import Mark
from collector.ledger.record import turn_record
from collector.ledger.settings import PrivacyConfig, StorageConfig
from collector.ledger.totals import Totals, totals

if TYPE_CHECKING:
    from collector.ledger.ledger import Ledger

__all__ = [
    "Entry",
    "Ledger",
    "Mark",
    "PrivacyConfig",
    "StorageConfig",
    "Totals",
    "totals",
    "turn_record",
]


def __getattr__(name: str) -> Any:
    # SQLAlchemy takes longer to import than `replay` and `compare` take to run without it.
    if name == "Ledger":
        from collector.ledger.ledger import Ledger  # noqa: PLC0415 - see above

        return Ledger
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
