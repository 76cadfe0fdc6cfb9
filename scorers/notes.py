"""Notes of unknown harnesses, recognised by their build rather than by their text.

A note is short and stands apart: on a line of its own, in brackets, or behind dots. It states a
count with a unit and a word or sign of more, omitted, shown or limit; an N of M; that an output
was cut; or it is one of few bare words ("[cut]"). Prose and data that merely use such words are
none, see `_sentence`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from scorers import note_phrases as phrases
from scorers.note_places import in_lines, inline
from scorers.note_words import AMOUNT, GONE, LIMIT, LOST, MORE, SHOWN, unit_name

# Characters of a note, and of one with its key or its indent.
LONGEST = 200
REACH = 240
# Unwrapped lines are read this near to either end; so many candidates in between.
NEAR_END = 4_000
MOST_CANDIDATES = 4_000
# Letters of a note that none of its own words explain.
MOST_OTHER_WRAPPED = 60
MOST_OTHER_BARE = 24
MOST_OTHER_MORE = 4


@dataclass(frozen=True, slots=True)
class Note:
    """A note at `start` up to `end`. `kind` is cut, evict, pointer, reject or row_limit."""

    start: int
    end: int
    kind: str
    removed: int | None = None
    total: int | None = None
    unit: str | None = None
    path: str | None = None


def notes(text: str, start: int, end: int, near: tuple[int, int] | None = None) -> list[Note]:
    """Return the notes of a text from `start` up to `end`; they may overlap. The time is linear in
    that length: candidates are short, and those away from both ends are bounded in number. With
    `near`, only those are sure to be found that reach into this range."""
    if not text[start : start + 1]:
        return []
    alone = _alone(text, start, end)
    if alone is not None:
        return [alone]
    low, high = (start, end) if near is None else (near[0] - REACH, near[1] + REACH)
    low, high = max(start, low), min(end, high)
    found: list[Note] = []
    edges = [(start, min(end, start + NEAR_END)), (max(start, end - NEAR_END), end)]
    if end - start <= 2 * NEAR_END:
        edges = [(start, end)]
    for edge in edges:
        first, last = max(low, edge[0]), min(high, edge[1])
        found += _among(in_lines(phrases.LINE, text, first, last), text, bare=True)
        found += _among(inline(text, first, last), text, line=False)
    if len(edges) > 1:
        first, last = max(low, edges[0][1] - LONGEST), min(high, edges[1][0] + LONGEST)
        found += _among(in_lines(phrases.WRAPPED_LINE, text, first, last), text)
        found += _among(inline(text, first, last), text, line=False)
    return found + _keys(text, low, high)


def is_note(text: str) -> bool:
    """Say whether a text that a harness may have added is or holds a note."""
    return text.strip() not in phrases.DOTS and bool(notes(text, 0, len(text)))


def _among(
    matches: Iterator[re.Match[str]], text: str, *, bare: bool = False, line: bool = True
) -> list[Note]:
    """Read candidates: lines, `bare` ones too, or pieces within a line."""
    found = []
    for _, match in zip(range(MOST_CANDIDATES), matches, strict=False):
        at, end = match.span("note")
        piece = text[at:end].rstrip()
        if match.end() == match.endpos < len(text) and text[match.end()] not in "\r\n":
            continue
        wrapped = not line or phrases.OPEN.match(piece) is not None
        # What stands behind a line's own text is read by itself, and no pattern of a line's.
        if not wrapped and (not bare or phrases.INSIDE.search(piece)):
            continue
        said = piece if wrapped else piece.split(" (", 1)[0]
        one = _read(said, at, wrapped=wrapped)
        if one is not None:
            found.append(one)
    return found


def _keys(text: str, start: int, end: int) -> list[Note]:
    """Notes that are entries of a JSON object."""
    found: list[Note] = []
    if text.find('"', start, end) < 0:
        return found
    entries = phrases.KEY.finditer(text, start, end)
    for _, match in zip(range(MOST_CANDIDATES), entries, strict=False):
        if match["flag"]:
            found.append(Note(match.start(), match.end(), "row_limit"))
        else:
            one = _read(match["said"], match.start(), wrapped=True)
            if one is not None:
                at, to = match.span("entry")
                found.append(Note(at, to, "row_limit", one.removed, one.total, one.unit))
    return found


def _alone(text: str, start: int, end: int) -> Note | None:
    """Read a text that is nothing but a pointer, a refusal or a placeholder."""
    if end - start > 2 * LONGEST:
        return None
    said = text[start:end].strip()
    if not said or said.count("\n") > 3:
        return None
    at = start + text[start:end].index(said)
    pointed = _pointer(said, at)
    if pointed is not None:
        return pointed
    low = said.lower()
    if said in phrases.DOTS:
        return Note(at, at + len(said), "evict")
    if len(said) > LONGEST or "\n" in said:
        return None
    if phrases.REJECTS.search(low):
        total, unit = _total(low)
        return Note(at, at + len(said), "reject", None, total, unit)
    inner = low.replace("_", " ").strip(phrases.DECORATION)
    wrapped = phrases.OPEN.match(said) is not None and len(inner.split()) <= 12
    gone = GONE.search(inner) or LOST.search(inner)
    shape = phrases.ENTRY.fullmatch(said)
    if gone and (shape or (wrapped and said[0] != "{") or _placeholder(low)):
        return Note(at, at + len(said), "evict", *_removed(inner))
    return None


def _placeholder(low: str) -> bool:
    """Say whether a sentence states that a result is gone: its subject is the output itself."""
    return len(low) <= 90 and phrases.SUBJECT.match(low) is not None


def _pointer(said: str, at: int) -> Note | None:
    match = phrases.POINTS.search(said) or phrases.PLACE_ALONE.match(said)
    if match is None:
        return None
    named = [value for name, value in match.groupdict().items() if value and name != "between"]
    path = named[0].rstrip(".,;:)`")
    total, unit = _total(said.lower())
    return Note(at, at + len(said), "pointer", None, total, unit, path)


def _read(piece: str, at: int, *, wrapped: bool) -> Note | None:
    """Read one piece of a text."""
    one = _read_wrapped(piece) if wrapped else _reading(piece, wrapped=False)
    return one and replace(one, start=one.start + at, end=one.end + at)


@lru_cache(maxsize=1_024)
def _read_wrapped(piece: str) -> Note | None:
    """A harness's notes are the same on many turns."""
    return _reading(piece, wrapped=True)


def _reading(piece: str, *, wrapped: bool) -> Note | None:
    low = phrases.PREFIX.sub("", piece.lower().strip())
    inner = low.strip(phrases.DECORATION)
    end = len(piece)
    if len(inner) < 2:
        return None
    if wrapped and (phrases.BARE.match(inner) or _says(inner)):
        return Note(0, end, "cut", *_removed(inner))
    of = _n_of_m(inner, wrapped=wrapped)
    if of is not None:
        return Note(0, end, "cut", *of)
    if _counts(low, inner, wrapped=wrapped):
        return Note(0, end, "cut", *_removed(inner))
    if _sentence(inner):
        return Note(0, end, "cut", *_removed(inner))
    if phrases.FULL.match(inner):
        return _pointer(piece, 0)
    return None


def _says(inner: str) -> bool:
    """Say whether a wrapped piece, in hardly any other words, says that an output was cut."""
    if _other(inner) > MOST_OTHER_BARE:
        return False
    if LOST.search(inner) or phrases.TIGHTENS.search(inner):
        return True
    subject = phrases.ANY_OUTPUT.search(inner) is not None
    return subject and (GONE.search(inner) or LIMIT.search(inner)) is not None


def _n_of_m(inner: str, *, wrapped: bool) -> tuple[int | None, int | None, str | None] | None:
    """Read "50 of 200 lines shown": what stands beside it must be a unit or say that it is all."""
    match = phrases.N_OF_M.search(inner)
    if match is None or len(inner) > 120:
        return None
    kept, total = _int(match["kept"]), _int(match["total"])
    if total is None or kept is None or kept > total:
        return None
    amount = AMOUNT.search(inner, match.start("total") - 1) or AMOUNT.search(inner)
    named = phrases.RANGE.match(inner)
    word = amount["unit"] if amount else named[1] if named else ""
    unit = unit_name(word)
    rest = inner[: match.start()] + inner[match.end() :]
    if _other(rest) > (40 if wrapped else 16):
        return None
    if LOST.search(rest) or GONE.search(rest):
        return kept, total, unit
    # A page's range is what is there, not what is gone.
    said = SHOWN.search(rest) or (named and "-" in inner)
    bracketed = wrapped and _other(rest) <= 4 and (unit or not match["slash"])
    return (None, total, unit) if said or bracketed else None


def _counts(low: str, inner: str, *, wrapped: bool) -> bool:
    """Say whether a count with a unit, and little else, is said to be more, omitted or all."""
    if phrases.SIGNED.match(low.strip("[](){}<>.… ")):
        return True
    amount = AMOUNT.search(inner)
    if amount is None:
        percent = phrases.PERCENT.search(inner) and phrases.ANY_OUTPUT.search(inner)
        more = phrases.AND_MORE.fullmatch(inner)
        return bool((percent and GONE.search(inner)) or (wrapped and more))
    if _other(inner) > (MOST_OTHER_WRAPPED if wrapped else MOST_OTHER_BARE):
        return False
    if not wrapped and _other(inner[: amount.start()]) > 12:
        return False
    if LOST.search(inner) or (GONE.search(inner) and "for brevity" in inner):
        return True
    around = inner[max(0, amount.start() - 12) : amount.end() + 16]
    if not wrapped:
        if AMOUNT.search(inner, amount.end()) or len(inner) > 80:
            return False
        few = phrases.FEW.search(inner)
        # "3 more items in stock" is what a tool says of its subject.
        if MORE.search(around) and _other(inner) <= MOST_OTHER_MORE:
            return True
        return bool(few and phrases.SAYS_SHOWN.search(inner))
    if MORE.search(inner) or LIMIT.search(inner) or SHOWN.search(inner) or GONE.search(inner):
        return True
    # "... 140 lines ...", "~~~ 140 lines ~~~", "[+160 chars]"; but not "(140 lines)".
    signed = phrases.SIGN.search(low) is not None
    return signed and _other(inner) <= 2


def _sentence(inner: str) -> bool:
    """Say whether a line says that an output was cut, or how to get the rest."""
    said = phrases.SAID.search(inner)
    if said is not None and len(inner[: said.start()].split()) <= 3 and len(inner) <= 160:
        return True
    return len(inner) <= 160 and phrases.INVITES.match(inner) is not None


def _other(text: str) -> int:
    """Count the letters and digits that are none of a note's own words."""
    return sum(map(str.isalnum, phrases.OWN.sub("", text)))


def _int(text: str) -> int | None:
    digits = "".join(char for char in text if char.isdecimal())
    return int(digits[:18]) if digits else None


def _removed(inner: str) -> tuple[int | None, int | None, str | None]:
    """Return removed, total and unit as a note states them; a limit or what is shown is neither."""
    amounts = [(_int(one["number"]), unit_name(one["unit"])) for one in AMOUNT.finditer(inner)]
    if not amounts:
        return None, None, None
    (size, unit), total = amounts[0], None
    after = phrases.IN_ALL.search(inner)
    if after:
        total = _int(after[1])
    if after or LIMIT.search(inner) or (SHOWN.search(inner) and "not " not in inner):
        return None, total, unit
    return size, total, unit


def _total(low: str) -> tuple[int | None, str | None]:
    amount = AMOUNT.search(low)
    return (None, None) if amount is None else (_int(amount["number"]), unit_name(amount["unit"]))
