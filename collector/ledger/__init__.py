"""Every turn, tool result and score that was measured, kept in one database."""

from collector.entry import Entry
from collector.ledger.ledger import Ledger
from collector.ledger.record import turn_record
from collector.ledger.settings import PrivacyConfig, StorageConfig
from collector.ledger.totals import Totals

__all__ = ["Entry", "Ledger", "PrivacyConfig", "StorageConfig", "Totals", "turn_record"]
