"""Whether everything produced stands in the delivered text, in whatever form."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from scorers.delivery.capture import LONGEST_EMPTY
from scorers.delivery.message import Message
from scorers.delivery.sameness import same
from scorers.payload import views
from scorers.payload.json_text import MISSING, json_cost, read
from scorers.payload.shape import Shape
from scorers.payload.skeleton import LONGEST
from scorers.payload.work import TooLarge, Work

# Shorter texts must stand as whole words: "1" is in every number.
SHORTEST = 16
# Characters, or places of a short text, that are looked at.
LONGEST_SHORT = 1_000_000
# Values inside a message that the produced value is compared with.
MOST_VALUES = 2_000


def is_intact(produced: str, message: Message, made: Shape) -> bool:
    """Say whether nothing was lost: verbatim, re-wrapped, re-encoded, re-serialised, or as the
    visible text of a page. Raises TooLarge where telling would cost too much."""
    ours, delivered = produced.strip(), message.text
    if not ours or stands_in(ours, delivered):
        return True
    if _stands_squeezed(ours, message):
        return True
    if made.bounded:
        raise TooLarge("values")
    if made.layout.keys is not None and not is_wrapped(made) and not message.nodes:
        return False  # records, of which the message holds none
    value = made.value if made.value is not MISSING else read(ours)
    if value in (None, "", [], {}) and len(delivered) <= LONGEST_EMPTY:
        # An empty result, and what the harness says instead of it.
        return True
    if _scalar(value, delivered, message.work):
        return True
    if isinstance(made.value, dict | list | str) and _carries(made.value, message):
        return True
    if made.format == "jsonl" and _carries_lines(ours, message):
        return True
    if made.format == "html" and "<" not in delivered[:200]:
        message.work.spend(produced.count("<") + produced.count("&") // 2, "texts")
        seen = message.squeezed(views.visible(produced))
        return bool(seen) and message.holds(seen, message.squeezed(delivered))
    return False


def _scalar(value: Any, delivered: str, work: Work) -> bool:
    """Say whether a lone scalar arrived in another spelling."""
    if isinstance(value, dict | list) or value is MISSING:
        return False
    bare = delivered.strip()
    if len(bare) > LONGEST_EMPTY and not isinstance(value, str):
        return False
    work.spend(json_cost(bare), "values")
    theirs = views.literal(delivered) if delivered[:1] in "'\"" else read(bare)
    return same(value, bare if theirs is MISSING else theirs, work)


def stands_in(ours: str, delivered: str) -> bool:
    """Say whether a text stands in another, a short one as whole words. Raises TooLarge where a
    short one stands inside too many words."""
    if len(ours) >= SHORTEST or not ours or ours not in delivered:
        return ours in delivered
    before = rf"(?<![^\W_]{re.escape(ours)})" if ours[0].isalnum() else ""
    after = r"(?![^\W_])" if ours[-1].isalnum() else ""
    whole = re.compile(re.escape(ours) + after + before)
    if len(delivered) <= 2 * LONGEST_SHORT or delivered.count(ours) <= LONGEST_SHORT:
        return whole.search(delivered) is not None
    found = whole.search(delivered, 0, LONGEST_SHORT)
    if found is not None and found.end() < LONGEST_SHORT:
        return True
    if whole.search(delivered, len(delivered) - LONGEST_SHORT):
        return True
    raise TooLarge("short texts")


def _stands_squeezed(ours: str, message: Message) -> bool:
    """The same without white space and colours, in any text that the message carries."""
    longest = max(len(view.text) for view in message.texts)
    opening = ours[: 16 * longest]
    plain = len(ours) > len(opening) and "\x1b" not in ours
    if plain and len(message.squeezed(opening)) > 8 * longest:
        return False  # however the text is normalised, its opening alone is longer
    squeezed = message.squeezed(views.without_colours(ours))
    if len(squeezed) < SHORTEST // 2:
        return False
    normal = squeezed
    if not squeezed.isascii() and len(squeezed) < LONGEST:
        message.work.spend(len(squeezed) // 20, "texts")
        normal = unicodedata.normalize("NFC", squeezed)
    least = min(len(squeezed), len(normal))
    for view in message.texts:
        if len(view.text) < least:
            continue
        theirs = message.squeezed(view.text)
        if message.holds(squeezed, theirs):
            return True
        if not normal.isascii() and len(theirs) < LONGEST:
            message.work.spend(len(theirs) // 20, "texts")
            if normal in unicodedata.normalize("NFC", theirs):
                return True
    return False


def _carries(ours: Any, message: Message) -> bool:
    """Say whether the delivered text carries the produced value, or what that one wraps."""
    wanted = [ours]
    inner = views.opened(ours)
    if inner is not ours:
        wanted.append(inner)
    structured = _structured(ours, message.work)
    if structured is not None:
        wanted.append(structured)
    tried = 0
    for one in message.nodes:
        if not isinstance(one, dict | list | tuple | str) or not one:
            continue
        tried += 1
        if tried > MOST_VALUES:
            return False
        if any(_alike(wish, one) and same(wish, one, message.work) for wish in wanted):
            return True
    texts = [wish for wish in wanted if isinstance(wish, str)]
    return any(
        stands_in(text.strip(), message.text) or _stands_squeezed(text, message)
        for text in texts
        if text.strip()
    )


def _alike(a: Any, b: Any) -> bool:
    if isinstance(a, list | tuple):
        return isinstance(b, list | tuple) and len(a) == len(b)
    return type(a) is type(b) and (not isinstance(a, dict) or len(a) == len(b))


def is_wrapped(made: Shape) -> bool:
    """Say whether a value wraps another: content blocks, an envelope, JSON in a string."""
    keys = made.layout.keys
    if keys is not None and len(keys) > 1 and "type" not in keys[0]:
        return False  # several records, and no content blocks
    value = made.value
    return views.opened(value) is not value or (
        isinstance(value, dict) and bool(value.get("structuredContent"))
    )


def _structured(value: Any, work: Work) -> Any:
    """Return the structured content of an MCP result whose text blocks repeat it, else None."""
    if not isinstance(value, dict) or not value.get("structuredContent"):
        return None
    texts = views.blocks(value.get("content"))
    if texts is None or not same(views.opened("\n".join(texts)), value["structuredContent"], work):
        return None
    return value["structuredContent"]


def _carries_lines(ours: str, message: Message) -> bool:
    """Say whether the delivered text holds the produced JSON lines as lines or as one array."""
    message.work.spend(json_cost(ours) + json_cost(message.text), "values")
    records = [read(line) for line in ours.splitlines() if line.strip()]
    lines = [value for line in message.text.splitlines() if (value := read(line)) is not MISSING]
    if len(lines) == len(records) and same(records, lines, message.work):
        return True
    return any(
        isinstance(one, list) and len(one) == len(records) and same(records, one, message.work)
        for one in message.nodes
    )
