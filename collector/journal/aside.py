"""Requests that killed the process: told by a note of which one is being read."""

from __future__ import annotations

import logging
import os
import struct
from contextlib import suppress
from pathlib import Path

from collector.journal.frame import Frame

logger = logging.getLogger(__name__)

# A process may be killed for other reasons while it reads; not five times at the same request.
MOST_ATTEMPTS = 5
_NOTE = struct.Struct("<QI")


class Attempts:
    """Counts how often the process died with each request. Costs one small write a request."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / "replaying"
        self._died_at, self._times = 0, 0
        self._aside = {path.name for path in folder.glob("set-aside-*")}
        # Whether a request could not be set aside: the file that holds it must stay.
        self.failed = False
        with suppress(OSError, struct.error):
            self._died_at, self._times = _NOTE.unpack(self._path.read_bytes())
        self._file: int | None = None
        # A disk that is full must not keep what is on it from being read: without the note then.
        with suppress(OSError):
            self._file = os.open(self._path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)

    def begin(self, frame: Frame) -> bool:
        """Note that a request is read now. False where it must not be: it was set aside."""
        if self._aside and _name(frame) in self._aside:
            return False  # it was at an earlier start, and its file lingers
        times = self._times + 1 if frame.sequence == self._died_at else 1
        if times > MOST_ATTEMPTS:
            self._set_aside(frame)
            return False
        if self._file is not None:
            with suppress(OSError):
                os.pwrite(self._file, _NOTE.pack(frame.sequence, times), 0)
        return True

    def end(self) -> None:
        """Note that everything was read."""
        if self._file is not None:
            os.close(self._file)
            with suppress(OSError):
                self._path.unlink(missing_ok=True)

    def _set_aside(self, frame: Frame) -> None:
        path = self._folder / _name(frame)
        try:
            opened = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            with os.fdopen(opened, "wb") as file:
                file.write(frame.body)
        except OSError as error:
            self.failed = True
            with suppress(OSError):
                path.unlink(missing_ok=True)
            logger.error(
                "the process died %d times while it read one request; it is left out, and its file "
                "is kept, for it can't be written to %s: %s",
                MOST_ATTEMPTS,
                path,
                error.strerror,
            )
            return
        logger.error(
            "the process died %d times while it read one request; it is left out, and stands in %s "
            "(to be read with `tellback replay`)",
            MOST_ATTEMPTS,
            path,
        )


def _name(frame: Frame) -> str:
    ending = "pb" if frame.encoding == "protobuf" else "json"
    return f"set-aside-{frame.sequence}-{frame.signal}.{ending}"
