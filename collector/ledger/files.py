"""Files that only their owner can read."""

from __future__ import annotations

import logging
import os
import stat
from pathlib import Path

from collector.errors import ConfigError

logger = logging.getLogger(__name__)

# What this process writes into its folder; a folder that holds anything else is not its own.
OURS = ("ledger", "journal", ".tellback", "lost+found")
SIDE_FILES = ("-wal", "-shm", "-journal")


def private_directory(path: Path) -> None:
    """Make `path` a folder that its owner alone can enter.

    A folder that exists is tightened only where nothing but this process's own files lies in it,
    for it may be a home or a shared one. Raises ConfigError where it can't be made.
    """
    try:
        if not path.exists():
            _make(path)
            return
        if not path.is_dir():
            raise ConfigError(f"{path} is a file; expected a folder to keep the ledger in")
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & 0o077 == 0:
            return
        if all(entry.name.startswith(OURS) for entry in path.iterdir()):
            path.chmod(0o700)
        else:
            logger.warning(
                "%s can be entered by others; the ledger's own files can't be read", path
            )
    except OSError as error:
        raise ConfigError(f"{path} can't be used as a folder: {error.strerror}") from error


def private_file(path: Path) -> None:
    """Create an empty file readable by its owner only, or tighten the one that is there.

    SQLite gives the files beside it (`-wal`, `-shm`) the same permissions; those that are there
    already are tightened too. Raises ConfigError where that can't be done.
    """
    try:
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            if not path.is_file():
                raise ConfigError(f"{path} is not a file; expected a SQLite ledger") from None
        for file in (path, *(path.with_name(path.name + end) for end in SIDE_FILES)):
            if file.exists() and stat.S_IMODE(file.stat().st_mode) & 0o077:
                _tighten(file)
    except OSError as error:
        raise ConfigError(f"the ledger {path} can't be opened: {error.strerror}") from error


def _make(path: Path) -> None:
    missing = [path, *(parent for parent in path.parents if not parent.exists())]
    for folder in reversed(missing):
        # Another process of the same pod may make it at the same moment.
        folder.mkdir(mode=0o700, exist_ok=True)


def _tighten(file: Path) -> None:
    try:
        file.chmod(0o600)
    except PermissionError:
        # A volume of another owner that grants access by group: nothing to be done from here.
        logger.warning("%s can be read by others, and its permissions can't be changed", file)
