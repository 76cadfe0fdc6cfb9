"""How replies are sampled for judges, and which models judge them."""

from __future__ import annotations

from pydantic import Field

from collector.setting import Section


class SamplingConfig(Section):
    """Which turns judges see. Measures and the lexical reader see every turn."""

    rate: float = Field(
        default=0.1,
        ge=0,
        le=1,
        allow_inf_nan=False,
        description="Share of the turns that judges with a model see, from 0 to 1.",
    )
    seed: int = Field(
        default=0,
        description="Replicas with the same seed choose the same turns.",
    )


class JudgeConfig(Section):
    """A judge's model. Its key comes from the provider's own environment variable."""

    model: str = Field(
        min_length=1, description="Model with its provider, such as openai/gpt-5-mini."
    )
    api_base: str | None = Field(
        default=None,
        pattern=r"^https?://",
        description="URL of the model's API; absent: the provider's own.",
    )


class JudgesConfig(Section):
    """The judges that need a model."""

    reader: JudgeConfig | None = Field(
        default=None, description="Absent: only the lexical reader judges replies."
    )


class ScoringConfig(Section):
    """Settings of the scoring stage."""

    sampling: SamplingConfig = SamplingConfig()
    judges: JudgesConfig = JudgesConfig()
