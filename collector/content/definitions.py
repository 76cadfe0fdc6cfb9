"""The tools that were offered to a model, as their definitions name them."""

from __future__ import annotations

from typing import Any

from collector.content.parts import string
from collector.content.values import decode


def tool_names(definitions: Any) -> tuple[str, ...] | None:
    """Return the names of the tools that were offered; None where the value is no list of them."""
    definitions = decode(definitions)
    if not isinstance(definitions, list | tuple):
        return None
    names = []
    for item in definitions:
        tool = decode(item)
        if isinstance(tool, dict):
            inner = tool.get("function")
            name = string(tool.get("name")) or (
                string(inner.get("name")) if isinstance(inner, dict) else None
            )
            if name:
                names.append(name)
    return tuple(names)
