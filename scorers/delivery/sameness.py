"""Whether two values say the same, and how much of one is left in the other."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from scorers import markers
from scorers.overlap import common_prefix, common_suffix
from scorers.payload.json_text import MISSING, canonical, read
from scorers.payload.views import opened, without_colours

# Parts of one value that are compared before the rest counts as different.
MOST_PARTS = 2_000_000
# Texts longer than this that open differently are not compared any further.
LONG = 1_000
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
_MASK = re.compile(
    r"\*{3,}|•{3,}|█{2,}|x{6,}|<[A-Z_]{3,}>|\[(?:REDACTED|MASKED|FILTERED|HIDDEN|SECRET)",
    re.IGNORECASE,
)


def same(ours: Any, theirs: Any) -> bool:
    """Say whether two values are equal but for formatting: key order, 1.0 against 1, white space,
    colours, Unicode normal form, time zone notation, strings that hold the JSON of the other."""
    try:
        if ours == theirs:
            return True
    except RecursionError:
        return canonical(ours) == canonical(theirs)
    waiting = [(ours, theirs)]
    for _ in range(MOST_PARTS):
        if not waiting:
            return True
        a, b = waiting.pop()
        if isinstance(a, str) != isinstance(b, str):
            a, b = opened(a), opened(b)
        if isinstance(a, dict) and isinstance(b, dict):
            if len(a) != len(b) or {str(key) for key in a} != {str(key) for key in b}:
                return False
            other = {str(key): one for key, one in b.items()}
            waiting += [(one, other[str(key)]) for key, one in a.items()]
        elif isinstance(a, list | tuple) and isinstance(b, list | tuple):
            if len(a) != len(b):
                return False
            waiting += zip(a, b, strict=True)
        elif not _same_scalar(a, b):
            return False
    return False


def _same_scalar(a: Any, b: Any) -> bool:
    if isinstance(a, dict | list | tuple) or isinstance(b, dict | list | tuple):
        return False
    if isinstance(a, str) and isinstance(b, str):
        return _same_text(a, b)
    if isinstance(a, str) or isinstance(b, str):
        word = a if isinstance(a, str) else b
        other = b if isinstance(a, str) else a
        if other is None:
            return word.strip().lower() in ("", "null", "none", "nan", "~")
        if isinstance(other, bool):
            return word.strip().lower() == str(other).lower()
        number = read(word.strip())
        return number is not MISSING and not isinstance(number, str) and bool(number == other)
    return bool(a == b)


def _same_text(a: str, b: str) -> bool:
    if a == b:
        return True
    if min(len(a), len(b)) > LONG and a.lstrip()[:1] != b.lstrip()[:1] and "\x1b" not in a + b:
        return False
    if "".join(a.split()) == "".join(b.split()):
        return True
    if _TIME.match(a) and _TIME.match(b):
        return _same_time(a, b)
    a, b = without_colours(a), without_colours(b)
    if a[:1] in '{["' and b[:1] in '{["':
        first, second = opened(a), opened(b)
        if not isinstance(first, str) and not isinstance(second, str):
            return bool(first == second)
    if len(a) > 100_000 or a.isascii() == b.isascii() is True:
        return "".join(a.split()) == "".join(b.split())
    a, b = (unicodedata.normalize("NFC", "".join(one.split())) for one in (a, b))
    return a == b


def _same_time(a: str, b: str) -> bool:
    try:
        first, second = datetime.fromisoformat(a), datetime.fromisoformat(b)
    except ValueError:
        return False
    if (first.tzinfo is None) != (second.tzinfo is None):
        return first.replace(tzinfo=None) == second.replace(tzinfo=None)
    return first == second


@dataclass(slots=True)
class Difference:
    """What happened to a value that did not arrive whole: `kinds` as in `Evidence.kinds`, and
    about how many of its characters are left."""

    kinds: set[str] = field(default_factory=set)
    kept: int = 0


def difference(ours: Any, theirs: Any) -> Difference:
    """Describe how a delivered value falls short of the produced one."""
    found = Difference()
    waiting = [(ours, theirs)]
    for _ in range(20_000):
        if not waiting:
            return found
        a, b = waiting.pop()
        if same(a, b):
            found.kept += len(canonical(a))
        elif isinstance(a, dict) and isinstance(b, dict):
            shared = [key for key in a if key in b]
            if len(shared) < len(a):
                found.kinds.add("key")
            waiting += [(a[key], b[key]) for key in shared]
        elif isinstance(a, list) and isinstance(b, list):
            if len(a) == len(b):
                waiting += zip(a, b, strict=True)
            else:
                found.kinds.add("row")
                found.kept += _shared(a, b, found)
        elif isinstance(a, str) and isinstance(b, str):
            _clip(a, b, found)
        elif isinstance(a, int | float) and isinstance(b, int | float):
            found.kinds.add("number")
        elif isinstance(b, str) and _MASK.search(b):
            found.kinds.add("mask")
        else:
            found.kinds.add("row" if isinstance(a, list | dict) else "value")
    return found


def _shared(a: list[Any], b: list[Any], found: Difference) -> int:
    """Count the characters of the elements of `a` that `b` still holds; elements of `b` that are
    none of them were changed."""
    have = {canonical(one) for one in b}
    texts = {canonical(one): len(canonical(one)) for one in a}
    if not have <= texts.keys():
        found.kinds.add("value")
    return sum(size for text, size in texts.items() if text in have)


def _clip(a: str, b: str, found: Difference) -> None:
    """Tell a shortened string from a masked and a changed one."""
    head = common_prefix(a, b)
    tail = min(common_suffix(a, b, len(a), len(b)), len(a) - head, len(b) - head)
    tail = 0 if tail < 4 else tail
    middle = b[head : len(b) - tail]
    if _MASK.search(middle):
        found.kinds.add("mask")
        found.kept += head + tail
    elif (
        head + tail >= 8 or not middle.strip() or markers.note(middle) or middle.strip(" .…") == ""
    ):
        found.kinds.add("clip")
        found.kept += head + tail
    else:
        found.kinds.add("value")
