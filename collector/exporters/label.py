"""Label values made fit for a time series: short, valid, and never many by accident."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache

LONGEST = 100
UNKNOWN = "unknown"
# Control characters, line and paragraph separators, and lone surrogates.
UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
# The same agents, tools and fields come with every turn.
KEPT = 4096


def clean(value: str | None) -> str:
    """Return `value` as a label value of at most 109 characters.

    Nothing is `unknown`. Runs of characters that break lines or are no text become one blank. A
    long text keeps its start and gets a hash, so that two long ones stay two.
    """
    if not value:
        return UNKNOWN
    if len(value) > LONGEST:
        mark = hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        value = f"{value[:LONGEST]}~{mark}"
    return _fit(value)


@lru_cache(KEPT)
def _fit(value: str) -> str:
    if value.isascii() and value.isprintable():
        return value
    return UNFIT.sub(" ", value).strip() or UNKNOWN
