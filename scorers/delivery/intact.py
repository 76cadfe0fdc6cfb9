"""Whether everything produced stands in the delivered text, in whatever form."""

from __future__ import annotations

import unicodedata
from typing import Any

from scorers.delivery.capture import LONGEST_EMPTY
from scorers.delivery.sameness import same
from scorers.payload import views
from scorers.payload.json_text import MISSING, read
from scorers.payload.shape import Shape
from scorers.payload.skeleton import LONGEST

# Shorter texts must stand as whole words: "1" is in every number.
SHORTEST = 16
# Values inside a message that the produced value is compared with.
MOST_VALUES = 2_000


def is_intact(produced: str, delivered: str, made: Shape) -> bool:
    """Say whether nothing was lost: verbatim, re-wrapped, re-encoded, re-serialised, or as the
    visible text of a page."""
    ours = produced.strip()
    if not ours or stands_in(ours, delivered):
        return True
    if _stands_squeezed(ours, delivered):
        return True
    value = read(ours)
    if value in (None, "", [], {}) and len(delivered) <= LONGEST_EMPTY:
        # An empty result, and what the harness says instead of it.
        return True
    if _scalar(value, delivered):
        return True
    if isinstance(made.value, dict | list | str) and _carries(made.value, delivered):
        return True
    if made.format == "jsonl" and _carries_lines(ours, delivered):
        return True
    if made.format == "html" and "<" not in delivered[:200]:
        seen = _squeezed(views.visible(produced))
        return bool(seen) and seen in _squeezed(delivered)
    return False


def _scalar(value: Any, delivered: str) -> bool:
    """Say whether a lone scalar arrived in another spelling."""
    if isinstance(value, dict | list) or value is MISSING:
        return False
    theirs = views.literal(delivered) if delivered[:1] in "'\"" else read(delivered.strip())
    return same(value, delivered.strip() if theirs is MISSING else theirs)


def stands_in(ours: str, delivered: str) -> bool:
    """Say whether a text stands in another, a short one as whole words."""
    at = delivered.find(ours)
    while at >= 0:
        before = delivered[at - 1] if at else " "
        after = delivered[at + len(ours)] if at + len(ours) < len(delivered) else " "
        joined = (ours[0].isalnum() and before.isalnum()) or (
            ours[-1].isalnum() and after.isalnum()
        )
        if len(ours) >= SHORTEST or not joined:
            return True
        at = delivered.find(ours, at + 1)
    return False


def _stands_squeezed(ours: str, delivered: str) -> bool:
    """The same without white space and colours, in any text that the message carries."""
    squeezed = _squeezed(views.without_colours(ours))
    if len(squeezed) < SHORTEST // 2:
        return False
    normal = unicodedata.normalize("NFC", squeezed) if len(squeezed) < LONGEST else squeezed
    for view in views.texts(delivered):
        theirs = _squeezed(view.text)
        if squeezed in theirs:
            return True
        accented = not normal.isascii() and len(theirs) < LONGEST
        if accented and normal in unicodedata.normalize("NFC", theirs):
            return True
    return False


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _carries(ours: Any, delivered: str) -> bool:
    """Say whether the delivered text carries the produced value, or what that one wraps."""
    wanted = [ours]
    inner = views.opened(ours)
    if inner is not ours:
        wanted.append(inner)
    structured = _structured(ours)
    if structured is not None:
        wanted.append(structured)
    tried = 0
    for value, _, _ in views.values(delivered):
        for one in views.nodes(value):
            if not isinstance(one, dict | list | tuple | str) or not one:
                continue
            tried += 1
            if tried > MOST_VALUES:
                return False
            if any(_alike(wish, one) and same(wish, one) for wish in wanted):
                return True
    texts = [wish for wish in wanted if isinstance(wish, str)]
    return any(
        stands_in(text.strip(), delivered) or _stands_squeezed(text, delivered)
        for text in texts
        if text.strip()
    )


def _alike(a: Any, b: Any) -> bool:
    if isinstance(a, list | tuple):
        return isinstance(b, list | tuple) and len(a) == len(b)
    return type(a) is type(b) and (not isinstance(a, dict) or len(a) == len(b))


def _structured(value: Any) -> Any:
    """Return the structured content of an MCP result whose text blocks repeat it, else None."""
    if not isinstance(value, dict) or not value.get("structuredContent"):
        return None
    texts = views.blocks(value.get("content"))
    if texts is None or not same(views.opened("\n".join(texts)), value["structuredContent"]):
        return None
    return value["structuredContent"]


def _carries_lines(ours: str, delivered: str) -> bool:
    """Say whether the delivered text holds the produced JSON lines as lines or as one array."""
    records = [read(line) for line in ours.splitlines() if line.strip()]
    lines = [value for line in delivered.splitlines() if (value := read(line)) is not MISSING]
    if len(lines) == len(records) and same(records, lines):
        return True
    return any(
        isinstance(one, list) and len(one) == len(records) and same(records, one)
        for value, _, _ in views.values(delivered)
        for one in views.nodes(value)
    )
