"""Where the ledger lies, what it may hold, and for how long."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from collector.setting import Bytes, PositiveSeconds, Section


class StorageConfig(Section):
    """Where this process keeps its files."""

    directory: str = Field(
        default="./tellback-data",
        min_length=1,
        description="Folder of the journal and the SQLite ledger; created readable by its owner.",
    )
    database: str | None = Field(
        default=None,
        description="SQLAlchemy URL of the ledger; absent: ledger.db in the directory.",
    )

    @property
    def url(self) -> str:
        """The ledger's SQLAlchemy URL."""
        return self.database or f"sqlite:///{Path(self.directory) / 'ledger.db'}"


class PrivacyConfig(Section):
    """What is kept of what people and tools wrote."""

    keep_text: bool = Field(
        default=True,
        description="False: measures, sizes and hashes are kept; requests, replies, spans of "
        "them and field values are not, and texts stored earlier are deleted at the start.",
    )
    retention: PositiveSeconds = Field(
        default=30 * 86400.0, description="Turns are deleted this long after they were stored."
    )
    retention_bytes: Bytes | None = Field(
        default=None,
        gt=0,
        description="The ledger's size on disk; beyond, the oldest turns are deleted. "
        "Absent: no limit.",
    )

    @property
    def prune_every(self) -> float:
        """Seconds from one pruning to the next: a turn is kept a minute or 4 % too long at most."""
        return min(max(self.retention / 24, 60.0), 3600.0)
