"""What every running part of the process can do: start, and shut down within a deadline."""

from __future__ import annotations

from typing import Protocol


class Stage(Protocol):
    """A part with a life. Its constructor opens nothing: no file, no socket, no task."""

    async def start(self) -> None:
        """Open what it needs; may raise `errors.ConfigError` naming what can't be had."""

    async def shutdown(self, deadline: float) -> None:
        """Finish what is under way and let go, within `deadline` seconds from now.

        What isn't finished by then is cut off. Safe before `start` and when called twice.
        """
