"""Who is told to come again while the process is behind: first those who sent most."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum

from collector.text import as_key

HALF_LIFE = 10.0  # seconds after which what was taken of a service counts half
# Names beyond these share one count: a sender that invents a name for each request gains nothing.
MOST_SERVICES = 1000
OTHERS = "(others)"
# Operations after which what was learnt of their cost counts half.
MOST_REMEMBERED = 20_000


class Pressure(IntEnum):
    """How far behind the process is. `high`: a little more fits; `full`: nothing does."""

    none = 0
    high = 1
    full = 2


class Pace:
    """Whether operations come faster than their turns are finished, known before they pile up.

    A turn is finished seconds after its spans came, so that a look at what waits comes too late:
    by then a flood has brought in minutes of work. What an operation costs is learnt from turns
    that were finished; an account of seconds is charged with it as operations come, and refilled
    by time. `clock` gives seconds.
    """

    BURST = 3.0  # seconds of work that may come at once
    REFILL = 1.3  # seconds a second: what costs less than it seems is not held up for long

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._at = clock()
        self._account = self.BURST
        self._seconds = self._operations = 0.0

    def took(self, operations: int) -> None:
        """Charge for operations whose turns are to be finished."""
        if self._operations:
            self._account -= operations * self._seconds / self._operations

    def finished(self, operations: int, seconds: float) -> None:
        """Learn from turns made of `operations`."""
        if self._operations > MOST_REMEMBERED:
            self._seconds, self._operations = self._seconds / 2, self._operations / 2
        self._seconds += seconds
        self._operations += operations

    @property
    def pressure(self) -> Pressure:
        """How far behind the process is, or will be."""
        now = self._clock()
        self._account = min(self.BURST, self._account + (now - self._at) * self.REFILL)
        self._at = now
        if self._account >= 0:
            return Pressure.none
        return Pressure.high if self._account > -self.BURST else Pressure.full


class Shares:
    """What was lately taken of each service, in bytes that fade. `clock` gives seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._taken: dict[str, float] = {}
        self._total = 0.0
        self._at = clock()

    def admits(self, service: str, pressure: Pressure) -> bool:
        """Say whether a request of a service may be taken now.

        Under high pressure it may when its service had less than an equal share of what was
        taken: so one that floods the process is slowed down, and the others are not.
        """
        if pressure is not Pressure.high:
            return pressure is Pressure.none
        self._fade()
        equal = self._total / max(len(self._taken), 1)
        return self._taken.get(self._name(service), 0.0) < equal

    def took(self, service: str, size: int) -> None:
        """Note a request that was taken."""
        self._fade()
        name = self._name(service)
        self._taken[name] = self._taken.get(name, 0.0) + size
        self._total += size

    def _name(self, service: str) -> str:
        name = as_key(service)
        return name if name in self._taken or len(self._taken) < MOST_SERVICES else OTHERS

    def _fade(self) -> None:
        now = self._clock()
        if now - self._at < HALF_LIFE:
            return
        kept = 0.5 ** ((now - self._at) / HALF_LIFE)
        self._at = now
        faded = {name: size * kept for name, size in self._taken.items() if size * kept >= 1}
        self._taken = faded
        self._total = sum(faded.values())
