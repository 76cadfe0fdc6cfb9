"""The texts a message may be carrying: without its wrapper, its encoding, its line numbers."""

from __future__ import annotations

import ast
import re
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from scorers.entities import unescape
from scorers.glance import has_any, has_word, lines
from scorers.payload.json_text import MISSING, parses, read, read_at

# Python literals longer than this are left to the skeleton: parsing them is slow and hungry.
LONGEST_LITERAL = 200_000
# Levels of JSON in JSON that are opened, and texts that are looked at inside one message.
DEEPEST = 8
MOST_VIEWS = 12
MOST_NODES = 20_000
# Levels inside a message at which a wrapped result is looked for.
DEEPEST_NODE = 12
# Characters of values that open and never end.
MOST_FAILED = 8_000_000
LONGEST_NUMBERED = 32_000_000
# Content blocks of one message that are read where a client wrote them with `repr`.
MOST_BLOCKS = 1_000

_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]")
_NUMBER = re.compile(r"^[ ]*+[L\[]?(\d++)(?:\t|[ ]?\|[ ]?|[:.\]](?: |$)|→|  )", re.MULTILINE)
_BLOCK_TEXT = re.compile(r"\btext=(?P<text>'(?:[^'\\]|\\.)*+'|\"(?:[^\"\\]|\\.)*+\")")
# What model providers put around a tool result: keys of the envelope, those that are sure signs
# of one, and those that hold the result itself.
_MARKS = {"type", "role", "tool_use_id", "tool_call_id", "call_id"}
_ENVELOPE = _MARKS | {"is_error", "isError", "cache_control", "annotations", "_meta"}
_HELD = {"content", "value", "output", "text"}
# What an MCP result holds beside its content blocks.
_RESULT = {"content", "isError", "is_error", "_meta", "meta", "structuredContent"}
_BAD_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*+\\[^\\'\"abfnrtv0-7xuUN\n]")
# A value opens at a line's start or behind white space, a colon or the end of a tag.
_OPENS = re.compile(r"(?<![^\s:>])[{\[]")
# What a Python literal has and JSON has not.
_PYTHON = re.compile(r"['(]|\b(?:True|False|None)\b")
_CONSTANTS = ("True", "False", "None")
_CLOSING = {"{": "}", "[": "]", "(": ")", "'": "'", '"': '"'}


def without_colours(text: str) -> str:
    """Remove terminal control sequences."""
    return _ANSI.sub("", text) if "\x1b" in text else text


def without_numbers(text: str) -> str | None:
    """Remove line numbers that count up by one over at least two lines (or a lone first one);
    None where there are none. Lines between the numbered ones stay as they are."""
    counted: list[tuple[int, int]] = []
    last = None
    numbers = list(_NUMBER.finditer(text))
    for index, match in enumerate(numbers):
        number = int(match[1][:18])
        after = int(numbers[index + 1][1][:18]) if index + 1 < len(numbers) else None
        if number - 1 == last or number + 1 == after or (len(numbers) == 1 and number == 1):
            counted.append(match.span())
        last = number
    if not counted:
        return None
    parts, at = [], 0
    for start, end in counted:
        parts.append(text[at:start])
        at = end
    parts.append(text[at:])
    return "".join(parts)


def visible(markup: str) -> str:
    """Return the text of an HTML page as a reader sees it, white space apart."""
    parts, at, folded = [], 0, markup.lower()
    while at < len(markup):
        opens = markup.find("<", at)
        if opens < 0:
            break
        parts.append(markup[at:opens])
        at = _behind_tag(markup, folded, opens)
        if at < 0:
            return unescape(" ".join(parts))
    parts.append(markup[at:])
    return unescape(" ".join(parts))


def _behind_tag(markup: str, folded: str, opens: int) -> int:
    """Return the offset behind the tag, comment or script at `opens`; -1 where it never ends."""
    if markup.startswith("<!--", opens):
        ends = markup.find("-->", opens)
        return ends + 3 if ends >= 0 else -1
    closes = markup.find(">", opens)
    for name in ("script", "style"):
        if folded.startswith(f"<{name}", opens):
            closes = folded.find(f"</{name}", opens)
            closes = markup.find(">", closes) if closes >= 0 else -1
    return closes + 1 if closes >= 0 else -1


def literal(text: str) -> Any:
    """Return the value of a Python literal (`repr` of a result), `MISSING` if it is not one."""
    bare = text.strip() if len(text) <= 2 * LONGEST_LITERAL else ""
    if not bare or bare[-1] != _CLOSING.get(bare[0]) or len(bare) > LONGEST_LITERAL:
        return MISSING
    if not has_any(bare, "'(") and not has_word(bare, _CONSTANTS):
        return MISSING
    if _PYTHON.search(bare) is None:  # it would be JSON, and was read as that
        return MISSING
    if _BAD_ESCAPE.search(bare):  # no repr writes it, and Python warns about it on stderr
        return MISSING
    try:
        return ast.literal_eval(bare)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return MISSING


def whole_value(text: str) -> Any:
    """Return the value that a text is, as JSON or as a Python literal; `MISSING` if it is none."""
    value = read(text) if parses(text) else MISSING
    return literal(text) if value is MISSING else value


def values(text: str, whole: Any = None) -> Iterator[tuple[Any, int, int]]:
    """Yield the values a text is or carries, each with its range: the whole text as JSON or as a
    Python literal, a fenced block, then the values that open on a line of their own."""
    if whole is None:
        whole = whole_value(text)
    if whole is not MISSING:
        yield whole, 0, len(text)
        return
    records = _records(text)
    if records:
        yield records, 0, len(text)
        return
    at = 0
    for tried in range(MOST_VIEWS):
        match = _OPENS.search(text, at)
        # A value that does not end costs as much as one that does; in a long text few are tried.
        if match is None or tried * len(text) > MOST_FAILED:
            return
        found = read_at(text, match.start())
        if found is not None and isinstance(found[0], dict | list):
            yield found[0], match.start(), found[1]
            at = found[1]
        else:
            at = match.end()


def _records(text: str) -> list[Any]:
    """Return the values of JSON lines, none where a line is something else."""
    if text.lstrip()[:1] not in ("{", "["):
        return []
    found: list[Any] = []
    for line in lines(text):
        if line.strip():
            if not found and not parses(line):
                return found
            value = read(line)
            if not isinstance(value, dict | list):
                return []
            found.append(value)
    return found


def opened(value: Any) -> Any:
    """Open strings that are JSON themselves, to any level: at the top, and in content blocks."""
    for _ in range(DEEPEST):
        inner = _inner(value)
        if inner is MISSING:
            return value
        value = inner
    return value


def _inner(value: Any) -> Any:
    if isinstance(value, str) and value.strip()[:1] in ("{", "[", '"'):
        return read(value)
    texts = blocks(value)
    if texts is not None:
        return "\n".join(texts)
    if isinstance(value, list) and len(value) == 1:
        return _enveloped(value[0])
    return _enveloped(value)


def _enveloped(value: Any) -> Any:
    """Return what a provider's envelope around a tool result holds, `MISSING` without one."""
    if not isinstance(value, dict) or not value.keys() & _MARKS:
        return MISSING
    held = value.keys() - _ENVELOPE
    return value[next(iter(held))] if len(held) == 1 and held <= _HELD else MISSING


def blocks(value: Any) -> list[str] | None:
    """Return the texts of MCP or provider content blocks, None where a value is something else."""
    if isinstance(value, dict) and isinstance(value.get("content"), list):
        bare = set(value) <= _RESULT and not value.get("structuredContent")
        value = value["content"] if bare else None
    if isinstance(value, dict) and set(value) <= {"type", "text", "annotations", "cache_control"}:
        value = [value]
    if not isinstance(value, list) or not value:
        return None
    texts = []
    for one in value:
        if not isinstance(one, dict) or one.get("type") not in (
            "text",
            "input_text",
            "output_text",
        ):
            return None
        if not isinstance(one.get("text"), str):
            return None
        texts.append(one["text"])
    return texts


def nodes(value: Any) -> Iterator[Any]:
    """Yield a value and everything inside it, outer first, strings that are JSON opened too; no
    deeper than a wrapper ever is."""
    waiting, seen = deque([(value, 0)]), 0
    while waiting and seen < MOST_NODES:
        one, depth = waiting.popleft() if seen < 200 else waiting.pop()
        seen += 1
        yield one
        if depth >= DEEPEST_NODE or not isinstance(one, dict | list | tuple | str):
            continue
        inner = _inner(one)
        if inner is not MISSING:
            waiting.append((inner, depth + 1))
        if isinstance(one, dict):
            waiting.extend([(each, depth + 1) for each in islice(one.values(), MOST_NODES)])
        elif isinstance(one, list | tuple):
            waiting.extend([(each, depth + 1) for each in one[:MOST_NODES]])


class View(NamedTuple):
    """A text that a message carries; `numbered` says that line numbers were taken off it."""

    text: str
    numbered: bool = False


def texts(message: str, whole: Any = None) -> list[View]:
    """Return the texts a message may carry, the message itself first. `whole`: the value that the
    message is, where it is known already."""
    found = [message]

    def add(text: str | None) -> None:
        if text and text not in found and len(found) < MOST_VIEWS:
            found.append(text)

    add(without_colours(message))
    if whole is None:
        whole = whole_value(message)
    if whole is not MISSING:
        inner = opened(whole)
        joined = blocks(whole)
        add("\n".join(joined) if joined else None)
        add(inner if isinstance(inner, str) else None)
        strings = [one for one in nodes(whole) if isinstance(one, str) and len(one) > 40]
        for one in sorted(strings, key=len, reverse=True)[:3]:
            add(one)
    elif "text=" in message:
        found_texts = islice(_BLOCK_TEXT.finditer(message), MOST_BLOCKS)
        parts = [literal(match["text"]) for match in found_texts]
        add("\n".join(part for part in parts if isinstance(part, str)))
    add(_unfenced(message))
    if "&lt;" in message or "&quot;" in message or "&amp;" in message:
        add(unescape(message))
    made = [View(text) for text in found]
    for text in found[:4]:
        bare = without_numbers(text) if len(text) <= LONGEST_NUMBERED else None
        if bare is not None:
            made.append(View(bare, numbered=True))
    return made


def _unfenced(message: str) -> str | None:
    """Return what a message that is one fenced block holds."""
    bare = message.strip()
    if not bare.startswith("```") or not bare.endswith("```"):
        return None
    opens = bare.find("\n")
    name = bare[3 : max(3, opens)].replace("-", "")
    if opens < 0 or (name and not name.isidentifier()):
        return None
    return bare[opens + 1 : -3].removesuffix("\n") if opens + 1 <= len(bare) - 3 else None
