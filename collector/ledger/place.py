"""Whether the ledger's file is still the one that was opened.

An open file that is removed or replaced goes on taking writes, which nobody will ever read again.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from collector.ledger.files import SIDE_FILES

Trouble = Literal["removed", "replaced", "overwritten"]
Identity = tuple[int, int]  # device and inode

HEADER = b"SQLite format 3\0"


class Place:
    """A SQLite file that is open, watched by its path and its first bytes.

    Raises OSError where it can't be opened for that.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        # One descriptor for as long as SQLite has the file open: closing another one of the same
        # file would take SQLite's locks away. It also keeps the inode from being used again.
        self._descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
        opened = os.fstat(self._descriptor)
        self._identity: Identity = (opened.st_dev, opened.st_ino)
        self._sides: dict[Path, Identity | None] = {}

    def trouble(self) -> Trouble | None:
        """Say what became of the file since it was opened; None where it is in its place."""
        now = _identity(self._file)
        if now is None:
            return "removed"
        if now != self._identity:
            return "replaced"
        if os.pread(self._descriptor, len(HEADER), 0) != HEADER:
            return "overwritten"
        for end in SIDE_FILES:
            side = self._file.with_name(self._file.name + end)
            self._sides[side] = _identity(side)
        return None

    def close(self) -> None:
        """Let go of the file; only once SQLite has."""
        os.close(self._descriptor)

    def clear(self) -> None:
        """Remove what SQLite left beside a file that is gone: it would take it for the new one's.

        Side files that came with a replacement stay.
        """
        for side, identity in self._sides.items():
            if identity is not None and _identity(side) == identity:
                side.unlink(missing_ok=True)


def _identity(path: Path) -> Identity | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
