"""How much the journal may hold, and what it survives."""

from __future__ import annotations

from pydantic import Field, model_validator

from collector.setting import Bytes, Section


class JournalConfig(Section):
    """What was acknowledged and is not in the ledger yet, as files in the storage folder."""

    fsync: bool = Field(
        default=True,
        description="True: what is acknowledged survives a power cut; false: a killed process "
        "only, for less work of the disk.",
    )
    max_bytes: Bytes = Field(
        default=2**30,
        gt=0,
        description="Size on disk; beyond it requests are refused until turns are in the ledger.",
    )
    linger_bytes: Bytes = Field(
        default=64 * 2**20,
        description="Of this, what may stay once its turns are in the ledger, for as long as "
        "turns linger: so that spans later than a crash still find their turn. 0 where "
        "privacy.keep_text is false.",
    )
    segment_bytes: Bytes = Field(
        default=16 * 2**20, ge=2**16, description="Size of one file; files go one by one."
    )

    @model_validator(mode="after")
    def _ordered(self) -> JournalConfig:
        if self.max_bytes < 4 * self.segment_bytes:
            raise ValueError("expected max_bytes to be at least four times segment_bytes")
        if self.linger_bytes > self.max_bytes // 2:
            raise ValueError("expected linger_bytes to be at most half of max_bytes")
        return self
