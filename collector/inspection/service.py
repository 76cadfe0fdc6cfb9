"""`Seen`: what was seen of one service, in bounded memory."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from collector.inspection.names import Names
from collector.inspection.visible import Blame, Fact

MOST_SCOPES = 40
MOST_NAMES = 40
MOST_KEYS = 40
MOST_VERSIONS = 8
MOST_DIALECT_SETS = 12
MOST_BLAMED = 100
OTHER_DIALECTS = ("(others)",)


@dataclass(slots=True)
class Seen:
    """Counts of one service. `name` is None where its resource states none.

    `dialects` counts records by (dialect, signal), `scopes` by (scope, version, dialect, signal),
    `unclaimed` those that no dialect read by (name, scope, signal). `turns` holds, by the dialects
    that a turn was read from, how often each fact was seen; `blamed` which scopes wrote the spans
    in which something is missing; `tools` the results by tool, and whether it had a span of its
    own. `structure` and `twice` are about groups of traces, `left_out` about records that became
    nothing.
    """

    name: str | None
    dialects: Counter[tuple[str, str]] = field(default_factory=Counter)
    scopes: Names[tuple[str, str, str, str]] = field(default_factory=lambda: Names(MOST_SCOPES))
    unclaimed: Names[tuple[str, str, str]] = field(default_factory=lambda: Names(MOST_NAMES))
    unclaimed_genai: int = 0
    versions: Names[str] = field(default_factory=lambda: Names(MOST_VERSIONS))
    sdks: Names[tuple[str, str]] = field(default_factory=lambda: Names(MOST_VERSIONS))
    keys: Names[tuple[str, str, str, str]] = field(default_factory=lambda: Names(MOST_KEYS))
    left_out: Names[tuple[str, str, str]] = field(default_factory=lambda: Names(MOST_SCOPES))
    dropping: Names[tuple[str, str]] = field(default_factory=lambda: Names(MOST_SCOPES))
    pending: int = 0
    length_limits: Names[int] = field(default_factory=lambda: Names(MOST_VERSIONS))
    turns: dict[tuple[str, ...], Counter[Fact]] = field(default_factory=dict)
    blamed: Names[Blame] = field(default_factory=lambda: Names(MOST_BLAMED))
    tools: Names[tuple[str, bool]] = field(default_factory=lambda: Names(MOST_NAMES))
    structure: Counter[str] = field(default_factory=Counter)
    twice: Names[tuple[str, str]] = field(default_factory=lambda: Names(MOST_VERSIONS))

    def dialects_of(self, dialects: tuple[str, ...]) -> Counter[Fact]:
        """Return the counts for turns that were read from these dialects."""
        known = self.turns.get(dialects)
        if known is None:
            if len(self.turns) >= MOST_DIALECT_SETS:
                dialects = OTHER_DIALECTS
            known = self.turns.setdefault(dialects, Counter())
        return known
