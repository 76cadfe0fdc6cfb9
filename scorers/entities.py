"""HTML's entities, resolved."""

from __future__ import annotations


def unescape(text: str) -> str:
    """Return a text with its entities resolved."""
    if "&" not in text:
        return text
    import html  # noqa: PLC0415 - its two thousand names are for who needs one

    return html.unescape(text)
