"""A result that was replaced by a pointer, together with what was read back through it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from scorers import markers
from scorers.delivery.comparison import compare
from scorers.delivery.pair import Delivery, State
from scorers.turn import ToolResult

# A path, a URL, or an id of an artifact, as notices write them.
_POINTER = re.compile(
    r"(?:\b[\w.-]{1,20}://|~?/|[A-Za-z]:\\)[\w./\\~%+=@-]{3,1000}|\b[\w-]{1,80}\.(?:txt|json|log|md|csv|out)\b|"
    r"\b(?:artifact|blob|ref|id)[ _:=#\"']{1,8}(?P<id>[\w-]{4,200})",
    re.IGNORECASE,
)
# Pointers that are followed in one notice, and characters of all read-backs that are compared.
MOST_POINTERS = 5
MOST_CHARACTERS = 4_000_000
# A notice names its pointer at the beginning.
LONGEST = 20_000


def pointers(notice: str) -> tuple[str, ...]:
    """Return where a notice says that the result is, the likeliest first."""
    found = [one.path for one in markers.sightings(notice) if one.path]
    found += [match["id"] or match[0] for match in _POINTER.finditer(notice[:LONGEST])]
    names = (name.rstrip(".,;:)]'\"") for name in found)
    return tuple(dict.fromkeys(name for name in names if len(name) > 3))[:MOST_POINTERS]


def with_read_backs(
    delivery: Delivery, result: ToolResult, later: Sequence[ToolResult]
) -> Delivery:
    """Count what later results of the turn brought back of a spilled one: those whose arguments
    name the pointer. The state stays `spilled`."""
    if result.produced is None or result.delivered is None:
        return delivery
    names = pointers(result.delivered)
    texts, size = [result.delivered], 0
    for other in later:
        asked = other.arguments or ""
        if other.delivered and any(name in asked for name in names):
            size += len(other.delivered)
            if size > MOST_CHARACTERS:
                break
            texts.append(other.delivered)
    if len(texts) == 1:
        return delivery
    union = compare(result.produced, "\n".join(texts))
    if union.state == State.unobservable:
        return delivery
    return replace(
        delivery,
        kept_characters=union.kept_characters,
        fields=union.fields,
        rows=union.rows,
        reason=f"pointer; read back {len(texts) - 1} times",
    )
