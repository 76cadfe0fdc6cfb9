"""Where tables are written: standard output, whatever it is."""

from __future__ import annotations

import sys
from typing import NoReturn

from rich.console import Console


class Terminal(Console):
    """rich's console, but a reader that goes away (`… | head`) is the command line's business."""

    def __init__(self) -> None:
        super().__init__(file=sys.stdout)

    def on_broken_pipe(self) -> NoReturn:
        """Say so to the command line instead of ending the process."""
        raise BrokenPipeError
