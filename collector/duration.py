"""Spans of time as people write them: `10s`, `1.5h`, `30d`, `250ms`, or a number of seconds."""

from __future__ import annotations

import re

# A week is the longest unit whose length never depends on the calendar.
UNITS = {
    "us": 1e-6,
    "µs": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "m": 60.0,
    "h": 3600.0,
    "d": 86400.0,
    "w": 604800.0,
}
# The longest text worth reading: anything beyond is a mistake, and floats of it overflow.
LONGEST = 40
# A thousand years: more is a mistake, and what does arithmetic on times would overflow.
MOST = 3.2e10
PIECE = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(us|µs|ms|s|m|h|d|w)\s*", re.ASCII)
EXPECTED = "a duration such as 10s, 250ms, 1h30m or 30d, or a number of seconds"


def parse(value: str | float) -> float:
    """Return the seconds that `value` stands for.

    A number, or a text of digits only, is seconds; units may be combined, largest first or not
    (`1h30m`), as Prometheus and Go write them. Raises ValueError, saying what was read and what
    was expected, for anything else: negative, infinite, empty, an unknown unit.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(f"expected {EXPECTED}, read {_shown(value)}")  # noqa: TRY004 - pydantic collects ValueErrors only
    seconds = _text(value) if isinstance(value, str) else _number(value)
    if seconds is None or not 0 <= seconds <= MOST:
        raise ValueError(f"expected {EXPECTED}, read {_shown(value)}")
    return seconds


def render(seconds: float) -> str:
    """Write seconds the short way, exactly: 600.0 is `10m`, 90.0 is `90s`, 0.25 is `250ms`."""
    for unit in ("w", "d", "h", "m", "s"):
        count = seconds / UNITS[unit]
        # Whole weeks up to eight read better than days; a month does not (30d, not 4.3w).
        if count >= 1 and count == int(count):
            return f"{int(count)}{unit}"
    if seconds >= 1 or seconds == 0:
        return f"{seconds:.12g}s"
    return f"{seconds * 1000:.12g}ms"


def _text(value: str) -> float | None:
    text = value.strip()
    if not text or len(text) > LONGEST:
        return None
    try:
        return float(text) if not text[-1].isalpha() else _pieces(text)
    except ValueError:
        return None


def _pieces(text: str) -> float | None:
    total, at = 0.0, 0
    while at < len(text):
        piece = PIECE.match(text, at)
        if piece is None:
            return None
        total += float(piece[1]) * UNITS[piece[2]]
        at = piece.end()
    return total


def _number(value: float) -> float | None:
    try:
        return float(value)
    except OverflowError:  # an int beyond the range of floats
        return None


def _shown(value: object) -> str:
    """Show a wrong value, never long and never an integer of a thousand digits."""
    if isinstance(value, str):
        return repr(value[:LONGEST])
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < MOST:
        return f"{value:g}"
    return "a number out of range" if type(value) in (int, float) else type(value).__name__
