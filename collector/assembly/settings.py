"""When a turn counts as over, and how much may be open at once."""

from __future__ import annotations

from pydantic import Field, model_validator

from collector.setting import Bytes, PositiveSeconds, Seconds, Section


class TurnsConfig(Section):
    """Settings of the assembly of turns."""

    quiet_period: PositiveSeconds = Field(
        default=10.0,
        description="A turn without an end marker closes when nothing arrived for it this long.",
    )
    settle: Seconds = Field(
        default=2.0,
        description="After the end marker, how long to wait for spans that are still on their way.",
    )
    deadline: PositiveSeconds = Field(
        default=600.0,
        description="A turn closes this long after its first span, whatever still arrives.",
    )
    linger: Seconds = Field(
        default=600.0,
        description="How long a closed turn is remembered, so that late spans are not a new turn.",
    )
    max_open_turns: int = Field(
        default=10_000, ge=1, description="Open turns at once; beyond, the oldest closes early."
    )
    max_open_bytes: Bytes = Field(
        default=16 * 2**20,
        gt=0,
        description="Bytes that turns take in memory; beyond, the oldest closes early.",
    )

    conversation_attributes: tuple[str, ...] = Field(
        default=(),
        description="Names of span or resource attributes of your own that hold the conversation's "
        "id, where no library records one.",
    )
    version_attributes: tuple[str, ...] = Field(
        default=(),
        description="Names of span or resource attributes of your own that hold the agent's "
        "version.",
    )

    @model_validator(mode="after")
    def _ordered(self) -> TurnsConfig:
        if self.deadline < self.quiet_period:
            raise ValueError("expected deadline to be at least quiet_period")
        return self
