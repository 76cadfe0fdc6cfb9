"""Files that others replace while the process runs: certificates and tokens."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Generic, TypeVar

from collector.errors import ConfigError

# Looked at by every new connection or request, so not more often than this.
_LOOK_EVERY = 1.0
_OTHERS_MAY_READ = 0o044

_log = logging.getLogger(__name__)

T = TypeVar("T")
_State = tuple[tuple[int, int, int] | None, ...]


class Watched(Generic[T]):
    """What `load` makes of some files, made anew when one of them was changed or replaced.

    Files that can't be used any more leave the last value in force, with one line in the log:
    whoever renews a certificate badly must not take the receiver down.
    """

    def __init__(
        self,
        paths: Sequence[str],
        load: Callable[[], T],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._paths = [Path(path) for path in paths]
        self._load = load
        self._clock = clock
        # Before loading: what changes meanwhile is seen at the next look.
        self._state = self._look()
        self._looked = clock()
        self._value = load()

    def value(self) -> T:
        """Return the value of the files as they are, or as they were when last usable."""
        now = self._clock()
        if now - self._looked >= _LOOK_EVERY:
            self._looked = now
            state = self._look()
            if state != self._state:
                self._state = state
                try:
                    self._value = self._load()
                except ConfigError as error:
                    _log.error("%s; what was read before stays in force", error)
        return self._value

    def _look(self) -> _State:
        return tuple(_state(path) for path in self._paths)


def _state(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()  # of what a link leads to: volumes of secrets are swapped by links
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size


def read(key: str, path: str) -> bytes:
    """Return a file's bytes. Raises `ConfigError` that names key and file."""
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else error
        raise ConfigError(f"{key} {path}: can't be read: {said}") from None


def warn_if_open(key: str, path: str) -> None:
    """Say so in the log when others than the owner may read a secret file."""
    if Path(path).stat().st_mode & _OTHERS_MAY_READ:
        _log.warning("%s %s can be read by its group or by everybody: chmod 600 it", key, path)
