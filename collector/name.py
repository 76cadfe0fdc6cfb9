"""What looks like a name given by a programmer, and what may be somebody's data.

Tool results are often maps whose keys are people, addresses or numbers. Such keys are content:
they are neither a label of a metric nor kept where texts are not.
"""

from __future__ import annotations

import re
from functools import lru_cache

# A word without blanks and without a long run of digits.
FIELD = re.compile(r"(?!.*\d{5})[^\W\d][\w.\-$\[\]]{0,99}")
# Tool names may be qualified by their server besides.
TOOL = re.compile(r"(?!.*\d{5})[^\W\d][\w.\-$/:]{0,127}")
# The same names come with every turn. No longer one is a name, nor kept.
KEPT = 4096
LONGEST = 128


def is_field(text: str) -> bool:
    """Say whether `text` looks like the name of a field."""
    return len(text) <= LONGEST and _is_field(text)


def is_tool(text: str) -> bool:
    """Say whether `text` looks like the name of a tool."""
    return len(text) <= LONGEST and _is_tool(text)


@lru_cache(KEPT)
def _is_field(text: str) -> bool:
    return FIELD.fullmatch(text) is not None


@lru_cache(KEPT)
def _is_tool(text: str) -> bool:
    return TOOL.fullmatch(text) is not None
