"""The fingerprint of a set of rules: changes with every pattern, word list and threshold."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any


def fingerprint(modules: Iterable[ModuleType], logic: str) -> str:
    """Return eight hex digits over the upper-case constants of modules and a number for the code.

    `logic` is raised by hand where code changes what the constants lead to.
    """
    digest = hashlib.sha256(logic.encode())
    for module in modules:
        for name in sorted(vars(module)):
            if name.isupper():
                digest.update(f"{name}={_plain(getattr(module, name))};".encode())
    return digest.hexdigest()[:8]


def _plain(value: Any) -> str:
    """A value as text that is the same in every process (sets have no order of their own)."""
    if isinstance(value, re.Pattern):
        return f"{value.pattern}/{value.flags}"
    if isinstance(value, Mapping):
        return str([(key, _plain(item)) for key, item in value.items()])
    if isinstance(value, (set, frozenset)):
        return str(sorted(map(str, value)))
    return str(value)
