"""Whether a text may hold something, told by single characters: far cheaper than any pattern."""

from __future__ import annotations

# Where `str.splitlines` breaks a text.
BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"


def has_any(text: str, chars: str) -> bool:
    """Say whether a text has any of some characters."""
    for char in chars:  # noqa: SIM110 - a generator costs more than the search
        if char in text:
            return True
    return False


def has_word(text: str, words: tuple[str, ...]) -> bool:
    """Say whether a text holds any of some words, whose first characters are looked for first."""
    for word in words:  # noqa: SIM110 - as above
        if word[0] in text and word in text:
            return True
    return False


def holds(text: str, piece: str) -> bool:
    """Say whether a piece stands in a text: what has a character of its own does not."""
    for char in piece[:24]:
        if char not in text:
            return False
    return piece in text


def lines(text: str) -> list[str]:
    """Return the lines of a text, as `str.splitlines`."""
    return text.splitlines() if has_any(text, BREAKS) else [text]
