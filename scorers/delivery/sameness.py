"""Whether two values say the same, and how much of one is left in the other."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from scorers import markers
from scorers.overlap import common_prefix, common_suffix
from scorers.payload.json_text import MISSING, canonical, read
from scorers.payload.views import opened, without_colours
from scorers.payload.work import Work

CONTAINERS = frozenset((dict, list, tuple))
# Texts longer than this that open differently are not compared any further.
LONG = 1_000
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
_MASK = re.compile(
    r"\*{3,}|•{3,}|█{2,}|x{6,}|<[A-Z_]{3,}>|\[(?:REDACTED|MASKED|FILTERED|HIDDEN|SECRET)",
    re.IGNORECASE,
)


def same(ours: Any, theirs: Any, work: Work) -> bool:
    """Say whether two values are equal but for formatting: key order, 1.0 against 1, white space,
    colours, Unicode normal form, time zone notation, strings that hold the JSON of the other."""
    try:
        if ours == theirs:
            return True
    except RecursionError:
        return canonical(ours) == canonical(theirs)
    if type(ours) not in CONTAINERS and type(theirs) not in CONTAINERS:
        return _same_scalar(ours, theirs, work)
    waiting = [(ours, theirs)]
    while waiting:
        a, b = waiting.pop()
        if isinstance(a, str) != isinstance(b, str):
            a, b = opened(a), opened(b)
        if isinstance(a, dict) and isinstance(b, dict):
            work.spend(1 + len(a) // 2, "values")
            if len(a) != len(b) or {str(key) for key in a} != {str(key) for key in b}:
                return False
            other = {str(key): one for key, one in b.items()}
            waiting += [(one, other[str(key)]) for key, one in a.items()]
        elif isinstance(a, list | tuple) and isinstance(b, list | tuple):
            if len(a) != len(b):
                return False
            work.spend(1 + len(a) // 4, "values")
            waiting += [pair for pair in zip(a, b, strict=True) if not _identical(*pair)]
        elif not _same_scalar(a, b, work):
            return False
    return True


def _identical(a: Any, b: Any) -> bool:
    """Say whether two scalars are equal as they are."""
    return type(a) is type(b) and type(a) not in CONTAINERS and bool(a == b)


def _same_scalar(a: Any, b: Any, work: Work) -> bool:
    if isinstance(a, dict | list | tuple) or isinstance(b, dict | list | tuple):
        return False
    if isinstance(a, str) and isinstance(b, str):
        if a == b:
            return True
        work.spend((len(a) + len(b)) // 200, "values")
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
    if min(len(a), len(b)) > LONG and a.lstrip()[:1] != b.lstrip()[:1] and "\x1b" not in a + b:
        return False
    bare, other = "".join(a.split()), "".join(b.split())
    if bare == other:
        return True
    if _TIME.match(a) and _TIME.match(b):
        return _same_time(a, b)
    if "\x1b" in a or "\x1b" in b:
        a, b = without_colours(a), without_colours(b)
        bare, other = "".join(a.split()), "".join(b.split())
    if a[:1] in '{["' and b[:1] in '{["':
        first, second = opened(a), opened(b)
        if not isinstance(first, str) and not isinstance(second, str):
            return bool(first == second)
    if len(a) > 100_000 or (a.isascii() and b.isascii()):
        return bare == other
    return unicodedata.normalize("NFC", bare) == unicodedata.normalize("NFC", other)


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


def difference(ours: Any, theirs: Any, work: Work, found: Difference | None = None) -> Difference:
    """Describe how a delivered value falls short of the produced one that it is not the same as;
    added to what was `found` before."""
    found = Difference() if found is None else found
    if type(ours) not in CONTAINERS and type(theirs) not in CONTAINERS:
        work.spend(2, "values")
        _change(ours, theirs, found)
        return found
    waiting: list[tuple[Any, Any, int]] = [(ours, theirs, -1)]
    # Per container: the one it stands in, the characters of its frame, whether it is there whole.
    parents: list[int] = []
    frames: list[int] = []
    whole: list[bool] = []
    while waiting:
        a, b, parent = waiting.pop()
        work.spend(2, "values")
        pairs: Iterable[tuple[Any, Any]] = ()
        if isinstance(a, dict) and isinstance(b, dict):
            shared = [key for key in a if key in b]
            if len(shared) < len(a):
                found.kinds.add("key")
            equal = len(shared) == len(a) == len(b)
            frame = 1 + sum(len(canonical(key)) + 2 for key in a) if equal and a else 2
            pairs = [(a[key], b[key]) for key in shared]
        elif isinstance(a, list) and isinstance(b, list):
            equal = len(a) == len(b)
            frame = 1 + max(1, len(a))
            if equal:
                pairs = zip(a, b, strict=True)
            else:
                found.kinds.add("row")
                found.kept += _shared(a, b, found, work)
        else:
            _leaf(a, b, found, whole, parent, work)
            continue
        waiting += [(one, other, len(parents)) for one, other in pairs]
        parents.append(parent)
        frames.append(frame)
        whole.append(equal)
    for index in range(len(parents) - 1, -1, -1):
        if whole[index]:
            found.kept += frames[index]
        elif parents[index] >= 0:
            whole[parents[index]] = False
    return found


def _leaf(a: Any, b: Any, found: Difference, whole: list[bool], parent: int, work: Work) -> None:
    """Describe how one scalar differs, or values of two types do."""
    if same(a, b, work):
        found.kept += len(canonical(a))
        return
    if parent >= 0:
        whole[parent] = False
    _change(a, b, found)


def _change(a: Any, b: Any, found: Difference) -> None:
    if isinstance(a, str) and isinstance(b, str):
        _clip(a, b, found)
    elif isinstance(a, int | float) and isinstance(b, int | float):
        found.kinds.add("number")
    elif isinstance(b, str) and _MASK.search(b[:LONG]):
        found.kinds.add("mask")
    else:
        found.kinds.add("row" if isinstance(a, list | dict) else "value")


def _shared(a: list[Any], b: list[Any], found: Difference, work: Work) -> int:
    """Count the characters of the elements of `a` that `b` still holds; elements of `b` that are
    none of them were changed."""
    work.spend(3 * (len(a) + len(b)), "rows")
    have = {canonical(one) for one in b}
    texts = dict.fromkeys(canonical(one) for one in a)
    if not have <= texts.keys():
        found.kinds.add("value")
    return sum(len(text) for text in texts if text in have)


def _clip(a: str, b: str, found: Difference) -> None:
    """Tell a shortened string from a masked and a changed one."""
    head = common_prefix(a, b)
    tail = min(common_suffix(a, b, len(a), len(b)), len(a) - head, len(b) - head)
    tail = 0 if tail < 4 else tail
    middle = b[head : len(b) - tail]
    if len(middle) > 2 * LONG:
        middle = middle[:LONG] + " " + middle[-LONG:]
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
