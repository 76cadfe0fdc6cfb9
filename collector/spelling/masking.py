"""What a team's own mask function leaves of a content, before a tracing SDK sends it.

Each team writes its own marks; these are the usual ones. A tool's result that holds one is not what
the tool produced, and what differs on the other side is not the agent's doing.
"""

from __future__ import annotations

import re
from typing import Any

from collector.content import redacted

_WORDS = r"(?:fully |data |content )?(?:redacted|masked|anonymi[sz]ed)"
_WITHIN = re.compile(rf"[\[<]{_WORDS}\b[^\]>\n]{{0,60}}[\]>]", re.IGNORECASE)
_WHOLE = re.compile(
    rf"\W{{0,4}}(?:{_WORDS}|hidden|removed|scrubbed)\W{{0,4}}|\*{{3,20}}", re.IGNORECASE
)
_LONGEST = 100


def is_masked(value: Any) -> bool:
    """Say whether a value is nothing but a mark in the place of content."""
    if not isinstance(value, str) or not value or len(value) > _LONGEST:
        return False
    bare = value.strip('" ')
    return redacted(value) or bool(_WITHIN.fullmatch(bare) or _WHOLE.fullmatch(bare))


def holds_mask(value: Any) -> bool:
    """Say whether a value is a mark, or holds one in the place of a piece of it."""
    return isinstance(value, str) and (is_masked(value) or _WITHIN.search(value) is not None)
