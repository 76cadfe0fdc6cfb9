"""Amounts of bytes as people write them: `256MiB`, `1.5GB`, or a number of bytes."""

from __future__ import annotations

import re

UNITS = {
    "": 1,
    "b": 1,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
    "tb": 10**12,
    "kib": 2**10,
    "mib": 2**20,
    "gib": 2**30,
    "tib": 2**40,
}
WRITTEN = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,9})?)\s*([A-Za-z]*)", re.ASCII)
EXPECTED = "an amount such as 256MiB, 1.5GB or a number of bytes"


def parse(value: str | int) -> int:
    """Return the bytes that `value` stands for: MiB is 2^20, MB 10^6, and a number is bytes.

    Raises ValueError, saying what was read and what was expected, for anything else.
    """
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError(f"expected {EXPECTED}, read {type(value).__name__}")  # noqa: TRY004 - pydantic collects ValueErrors only
    if isinstance(value, int):
        if not 0 <= value < 2**63:
            raise ValueError(f"expected {EXPECTED}, read a number out of range")
        return value
    written = WRITTEN.fullmatch(value.strip())
    if written is None or written[2].lower() not in UNITS:
        raise ValueError(f"expected {EXPECTED}, read {value[:40]!r}")
    return int(float(written[1]) * UNITS[written[2].lower()])


def render(count: int) -> str:
    """Write bytes the short way, exactly: 268435456 is `256MiB`."""
    for unit in ("TiB", "GiB", "MiB", "KiB"):
        scale = UNITS[unit.lower()]
        if count >= scale and count % scale == 0:
            return f"{count // scale}{unit}"
    return str(count)
