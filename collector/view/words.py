"""Pieces of text for a terminal.

Everything that telemetry holds is written as plain `Text`, never as markup, and without control
characters: a reply must not be able to draw on its reader's terminal.
"""

from __future__ import annotations

import unicodedata

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text


def plain(text: str) -> str:
    """Return `text` without what could move a cursor, colour, or reverse what is shown."""
    return "".join(
        char if char == "\n" or unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co") else "�"
        for char in text.replace("\r\n", "\n").replace("\t", " ")
    )


def shorten(text: str, characters: int) -> str:
    """Return `text` on one line, cut to about `characters`."""
    line = " ".join(plain(text[: characters * 2]).split())
    return line if len(line) <= characters else line[:characters].rstrip() + " …"


def indented(what: RenderableType) -> Padding:
    """Set something off by two columns, with an empty line behind it."""
    return Padding(what, (0, 0, 1, 2), expand=False)


def heading(text: str) -> Text:
    """Return a heading."""
    return Text(text, style="bold cyan")


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural where it takes one."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
