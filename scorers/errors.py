"""What can go wrong while scoring."""


class ScorerError(Exception):
    """A scorer could not work; the reply's outcome is `error`, never a verdict."""


class JudgeUnavailable(ScorerError):  # noqa: N818 - reads as the state it names
    """The model behind a judge did not answer; trying again may help."""


class JudgeRefused(ScorerError):  # noqa: N818 - reads as the state it names
    """The model behind a judge answered, and will not judge; trying again will not help."""
