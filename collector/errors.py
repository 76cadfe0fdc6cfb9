"""Errors at the boundary: may the sender try again, or is it of no use?"""

from __future__ import annotations


class Permanent(Exception):  # noqa: N818 - names the class of outcome, as the Collector does
    """Sending the same thing again can't succeed. `reason` is the label it is counted under."""

    def __init__(self, message: str, *, reason: str = "malformed") -> None:
        super().__init__(message)
        self.reason = reason


class Retryable(Exception):  # noqa: N818 - names the class of outcome, as the Collector does
    """The same thing may be accepted later, after `retry_after` seconds."""

    def __init__(self, message: str, *, reason: str = "pressure", retry_after: float = 1.0) -> None:
        super().__init__(message)
        self.reason = reason
        self.retry_after = retry_after


class ConfigError(Exception):
    """The configuration can't be used; the message says where and what was expected."""


class UsageError(Exception):
    """A command was given something it can't read; the message says what and where."""


def where(error: BaseException) -> str:
    """Return kind and place of an unforeseen error, for the log: its text may hold content."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else "?"
    return f"{type(error).__name__} at {place}"
