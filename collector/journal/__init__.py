"""The journal: what a receiver acknowledged is on disk until the turns it fed are in the ledger."""

from __future__ import annotations

from collector.journal.frame import Frame
from collector.journal.journal import Journal
from collector.journal.settings import JournalConfig

__all__ = ["Frame", "Journal", "JournalConfig"]
