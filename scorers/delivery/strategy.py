"""Which strategy cut a result, told by the shape of what is left and by what the harness says."""

from __future__ import annotations

import re
from dataclasses import dataclass

from scorers import markers
from scorers.delivery.evidence import Evidence, Place, missing
from scorers.payload.shape import Shape

_PLACEHOLDER = re.compile(
    r"^\W{0,4}(?:[\w ,:'-]{0,80}\b)?(?:cleared|removed|omitted|masked|evicted|pruned|trimmed|"
    r"hidden|deleted|compressed|expired|elided|no longer available|discarded|stripped|outdated)\b",
    re.IGNORECASE,
)
_POINTER = re.compile(
    r"(?:saved|stored|written|persisted|spilled|offloaded|available|dumped)[^\n]{0,80}?"
    r"(?:[/\\~][\w.~-]+[/\\.]|\bfile\b|\bartifact|\bid\b|\bblob|://)|"
    r"(?:see|read|open|use)\s[^\n]{0,60}(?:[/\\][\w.-]+){2,}|artifact[ _]id|resource_?link|"
    r"\bref(?:erence)?[:=_ ]+[\w-]{6,}",
    re.IGNORECASE,
)
_REJECT = re.compile(
    r"exceed|too (?:large|big|long|many)|over the (?:limit|maximum)|(?:size|token|length) limit|"
    r"maximum allowed|cannot be (?:returned|displayed|shown)",
    re.IGNORECASE,
)
_MASKED = re.compile(r"\bmask|hidden from|not shown to|withheld|redact", re.IGNORECASE)
_REDACTED = re.compile(
    r"\*{3,}|•{3,}|█{2,}|[\[<{(]{1,3}(?:[A-Z]{1,20}[_ ])?(?:REDACTED|MASKED|FILTERED|SCRUBBED|"
    r"HIDDEN|EMAIL|PHONE|SSN|CARD|PERSON|NAME|SECRET|TOKEN|KEY|PASSWORD|PII|ADDRESS|IP|URL)\b",
    re.IGNORECASE,
)
_PAGE = re.compile(
    r"next[_ ]page|\bpage \d+|cursor\s*[=:]|\bmore (?:lines|rows|results|items), use\b|"
    r"\buse offset\s*[=:]",
    re.IGNORECASE,
)
# Kinds of masks, and characters of names and notes, that are compared.
MOST_MASKS = 40
MOST_COMPARED = 40_000_000
_STRUCTURE = re.compile(
    r"\b(?:keys?|fields?|array|object|length|type|schema|structure)\b", re.IGNORECASE
)
_WORD = re.compile(r"\w+")
_SAYS_CUT = re.compile(r"truncat|clipp|too (?:long|large)|exceed", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Cut:
    """What is known of a result that was cut: both texts, the produced one's shape, what was found
    of it, and the harness's known markers in the delivered one."""

    produced: str
    delivered: str
    made: Shape
    evidence: Evidence
    sightings: tuple[markers.Sighting, ...]

    @property
    def said(self) -> str:
        """Return everything the harness added, known markers included."""
        texts = [self.delivered[one.start : one.end] for one in self.sightings]
        return "\n".join([*texts, self.evidence.noise])

    def hint(self) -> str | None:
        """Return the strategy that a marker names outright."""
        return next((one.marker.strategy for one in self.sightings if one.marker.strategy), None)

    def has(self, *kinds: str) -> bool:
        """Say whether a known marker of one of these kinds is there."""
        return any(one.marker.kind in kinds for one in self.sightings)


def strategy(cut: Cut) -> str:
    """Name the strategy, one of design's list."""
    if cut.has("synopsis") or _is_synopsis(cut):
        return "synopsis"
    if cut.evidence.how == "mention":
        return "summarise_model"
    if _is_chance(cut):
        return _nothing_left(cut)
    if cut.evidence.how in ("value", "rendering") and cut.evidence.kinds:
        found = _by_value(cut)
        if found is not None:
            return found
    if cut.has("mask"):
        return "mask"
    return _by_shape(cut)


def _is_chance(cut: Cut) -> bool:
    """Say whether what was found is no more than any two texts share."""
    kept = cut.evidence.kept
    if kept < min(16, len(cut.produced) // 4 + 1):
        return True
    return kept < 64 and 100 * kept < len(cut.produced) and 5 * kept < len(cut.delivered)


def _nothing_left(cut: Cut) -> str:
    said, bare = cut.said, cut.delivered.strip()
    hint = cut.hint()
    if hint is not None and hint != "lines":
        return hint
    if cut.has("pointer") and not cut.has("cut"):
        return "spill_pointer"
    if cut.has("cut"):
        named = markers.unit(said)
        return "line_prefix" if named in ("lines", "bytes") else "prefix_slice"
    if len(bare) <= markers.LONGEST_NOTICE:
        if _POINTER.search(bare):
            return "spill_pointer"
        if _REJECT.search(bare):
            return "reject_error"
        if cut.has("evict") or (len(bare) <= 200 and _PLACEHOLDER.search(bare)):
            return "evict_placeholder"
        if _MASKED.search(bare):
            return "mask"
    return "summarise_model"


def _is_synopsis(cut: Cut) -> bool:
    """A synopsis names the fields of a value and delivers few of them."""
    if cut.evidence.how in ("value", "rendering"):
        return False
    noise = cut.evidence.noise
    if _STRUCTURE.search(noise) is None or cut.evidence.kept > 0.6 * len(cut.produced):
        return False
    names = cut.made.layout.names()
    if len(names) < 2:
        return False
    # Of very many names the first ones stand for all.
    names = names[: max(20, MOST_COMPARED // (len(noise) + 1))]
    return sum(name in noise for name in names) >= 0.6 * len(names)


def _by_value(cut: Cut) -> str | None:
    kinds = cut.evidence.kinds
    if kinds == {"channel"}:
        return "channel_drop"
    if "mask" in kinds:
        return "redact"
    if "clip" in kinds and not kinds & {"row", "key"}:
        return "string_leaf_clip"
    if kinds <= {"number", "value"}:
        return "lossy_reserialise"
    if kinds & {"row", "key"}:
        if cut.hint() == "structure_aware" or "key" in kinds:
            return "structure_aware"
        valid_whole = not cut.evidence.noise.strip() and not cut.has("cut")
        return "row_aware" if valid_whole else "structure_aware"
    if "clip" in kinds:
        return "string_leaf_clip"
    return None


def _by_shape(cut: Cut) -> str:
    text = cut.produced
    ranges = cut.evidence.ranges
    lost = missing(cut.evidence, text)
    body = len(text) - len(text.lstrip()), len(text.rstrip())
    head = bool(ranges) and ranges[0][0] <= body[0] + 1
    tail = bool(ranges) and ranges[-1][1] >= body[1] - 1
    head = head or (bool(ranges) and _retold(text[: ranges[0][0]], cut.evidence.noise))
    tail = tail or (bool(ranges) and _retold(text[ranges[-1][1] :], cut.evidence.noise))
    if _is_redacted(cut, lost):
        return "redact"
    if _clips_lines(cut, lost):
        return "long_line_clip"
    hint = cut.hint()
    if hint in ("structure_aware", "string_leaf_clip", "row_aware") and cut.evidence.how != "text":
        return hint
    if head and tail and ranges[-1][0] > body[0]:
        return _ends(cut, lost, hint)
    if head:
        return _opening(cut, lost, hint)
    if tail:
        return _ending(cut, lost)
    return "page"


def _retold(text: str, noise: str) -> bool:
    """Say whether the words of a lost range stand in the delivered text after all, re-rendered."""
    if not noise:
        return False
    words = _WORD.findall(text[:2_000])
    there = set(_WORD.findall(noise[:20_000]))
    return len(words) > 1 and sum(word in there for word in words) >= 0.9 * len(words)


def _is_redacted(cut: Cut, lost: list[Place]) -> bool:
    """Say whether single values were replaced by a mask."""
    if not lost or cut.has("cut", "page", "pointer", "line_clip", "evict"):
        return False
    added = "\n".join([cut.evidence.noise, *cut.evidence.seams])
    if cut.evidence.kept < 0.3 * len(cut.produced):
        return False
    masks = dict.fromkeys(_REDACTED.findall(added[:20_000]))
    return any(mask not in cut.produced for mask in list(masks)[:MOST_MASKS])


def _clips_lines(cut: Cut, lost: list[Place]) -> bool:
    """Say whether what is missing is the rest of long lines, each behind its kept opening."""
    text = cut.produced
    if cut.evidence.how == "lines" and cut.evidence.clipped > 1:
        return cut.evidence.clipped >= len(lost) / 2
    at_ends = [
        (start, end)
        for start, end in lost
        if start > 0
        and text[start - 1] not in "\r\n"
        and (end == len(text) or text[end] in "\r\n")
        and (text.find("\n", start, end) < 0 or "\n" not in text[start:end].strip("\r\n"))
    ]
    if cut.has("line_clip"):
        return len(at_ends) >= max(1, len(lost) // 2)
    return len(at_ends) >= 2 and len(at_ends) == len(lost)


def _at_line_end(text: str, at: int) -> bool:
    return at >= len(text) or text[at] in "\r\n" or text[at - 1] in "\r\n"


def _at_line_start(text: str, at: int) -> bool:
    return at == 0 or text[at - 1] in "\r\n" or text[at] in "\r\n"


def _opening(cut: Cut, lost: list[Place], hint: str | None) -> str:
    end = lost[-1][0] if lost else cut.evidence.ranges[-1][1]
    noted = bool(cut.sightings) or markers.note(cut.evidence.noise)
    if hint == "page" or (noted and hint is None and _is_page(cut.said)):
        return "page"
    lines = "\n" in cut.produced.strip() and _at_line_end(cut.produced, end)
    if cut.evidence.how == "skeleton" or _unit(cut) in ("chars", "characters", "tokens"):
        lines = False
    lines = lines and _ends_a_line(cut)
    if lines and noted and hint != "prefix_slice":
        return "line_prefix"
    return "prefix_slice"


def _is_page(said: str) -> bool:
    """Say whether a note offers the next page, rather than excuses a cut."""
    return _PAGE.search(said) is not None and _SAYS_CUT.search(said) is None


def _ends_a_line(cut: Cut) -> bool:
    """Say whether the harness's note stands on a line of its own behind what was kept, as a cutter
    of lines leaves it."""
    last = cut.evidence.parts[-1][-80:] if cut.evidence.parts else ""
    if not last.endswith("\n"):
        last = last.splitlines()[-1] if last else ""
    at = cut.delivered.rfind(last) + len(last)
    return last.endswith("\n") or cut.delivered[at : at + 1] in ("", "\n", "\r")


def _ending(cut: Cut, lost: list[Place]) -> str:
    start = lost[0][1] if lost else cut.evidence.ranges[0][0]
    noted = bool(cut.sightings) or markers.note(cut.evidence.noise)
    if not _at_line_start(cut.produced, start):
        return "suffix_slice"
    if cut.hint() == "page" or not noted:
        return "page"
    return "line_suffix"


def _ends(cut: Cut, lost: list[Place], hint: str | None) -> str:
    text = cut.produced
    if hint and hint.startswith("head_tail"):
        return hint
    at_lines = all(_at_line_end(text, start) and _at_line_start(text, end) for start, end in lost)
    named = _unit(cut)
    if at_lines and "\n" in text.strip() and named in (None, "lines", "rows"):
        return "head_tail_lines"
    if named and named.startswith("token"):
        return "head_tail_tokens"
    if named == "bytes" or ("\ufffd" in cut.delivered and "\ufffd" not in text):
        return "head_tail_bytes"
    if named is None and not text.isascii() and _even_in_bytes(cut):
        return "head_tail_bytes"
    return "head_tail_chars"


def _unit(cut: Cut) -> str | None:
    """Return the unit in which the harness says how much it withheld."""
    named = next((one.unit for one in cut.sightings if one.unit), None)
    return named or markers.unit(cut.said)


def _even_in_bytes(cut: Cut) -> bool:
    """Say whether head and tail are equally long in bytes and not in characters."""
    parts = [cut.produced[start:end] for start, end in cut.evidence.ranges]
    if len(parts) != 2:
        return False
    if abs(len(parts[0]) - len(parts[1])) <= 4:
        return False
    sizes = [len(part.encode("utf-8", "surrogatepass")) for part in parts]
    return abs(sizes[0] - sizes[1]) <= 4
