"""One file of the journal that is being written."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from collector.journal.frame import Frame, header

SUFFIX = ".journal"
# The system takes so many pieces in one call (IOV_MAX of Linux).
_PIECES = 1024


@dataclass(slots=True)
class Written:
    """A file of the journal: what it holds, and since when (`clock` seconds) nothing is added."""

    path: Path
    number: int
    first: int
    last: int
    size: int
    closed_at: float

    @classmethod
    def named(cls, path: Path, now: float) -> Written | None:
        """Return the file that a name stands for; None where it is none of the journal's."""
        first, _, number = path.name.removesuffix(SUFFIX).partition("-")
        try:
            return cls(path, int(number, 16), int(first), int(first), path.stat().st_size, now)
        except ValueError:
            return None


class Segment:
    """Appends frames; whatever fails leaves the file as it was before."""

    def __init__(self, folder: Path, first: int, size: int) -> None:
        """Make the file, with room for `size` bytes. Raises OSError."""
        # Not to be guessed by who writes what we store: see `frames`.
        self.number = secrets.randbits(63)
        self.first = first
        self.last = first - 1
        self.used = 0
        self.path = folder / f"{first:020d}-{self.number:016x}{SUFFIX}"
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC
        self._file = os.open(self.path, flags, 0o600)
        try:
            # A file whose size does not change is cheaper to sync, and a disk that is full says
            # so before anything was promised.
            os.posix_fallocate(self._file, 0, size)
            self._room = size
            sync_folder(folder)
        except OSError:
            os.close(self._file)
            self.path.unlink(missing_ok=True)
            raise

    def append(self, frames: Sequence[Frame]) -> None:
        """Write frames behind the last one. Raises OSError; nothing of them counts then."""
        if os.fstat(self._file).st_nlink == 0:
            # An open file goes on taking writes, which nobody would ever read again.
            raise FileNotFoundError(errno.ENOENT, "its open file was removed")
        pieces: list[bytes] = []
        for frame in frames:
            pieces += (header(self.number, frame), frame.body)
        size = sum(map(len, pieces))
        self._room_for(size)
        at = self.used
        while pieces:
            done = os.pwritev(self._file, pieces[:_PIECES], at)
            at += done
            pieces = _rest(pieces, done)
        self.used = at
        self.last = frames[-1].sequence

    def sync(self) -> None:
        """Wait for the disk. Raises OSError: nothing more may be appended then, for what the
        system forgot of the file can't be known."""
        os.fdatasync(self._file)

    def close(self, now: float) -> Written:
        """Let go of the file, without the room that was not used."""
        with suppress(OSError):  # zeros at the end are no harm
            os.ftruncate(self._file, self.used)
        # Some file systems tell of their troubles only here; what is durable was synced before.
        with suppress(OSError):
            os.close(self._file)
        return Written(self.path, self.number, self.first, self.last, self.used, now)

    def _room_for(self, size: int) -> None:
        missing = self.used + size - self._room
        if missing > 0:
            os.posix_fallocate(self._file, self._room, missing)
            self._room += missing


def sync_folder(folder: Path) -> None:
    """Make a folder's new names last. Raises OSError."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _rest(pieces: list[bytes], done: int) -> list[bytes]:
    for index, piece in enumerate(pieces):
        if done < len(piece):
            return [piece[done:], *pieces[index + 1 :]]
        done -= len(piece)
    return []
