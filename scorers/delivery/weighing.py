"""The evidence that explains most of a delivered text, and whether its payload is still valid."""

from __future__ import annotations

from scorers import markers
from scorers.anchors import DENSE
from scorers.delivery.channels import by_channel
from scorers.delivery.evidence import Evidence, missing
from scorers.delivery.intact import SHORTEST, is_wrapped, stands_in
from scorers.delivery.lines import by_line
from scorers.delivery.mentions import by_mention
from scorers.delivery.message import Message
from scorers.delivery.renderings import by_rendering
from scorers.delivery.texts import (
    NEWLINE,
    by_ends,
    by_skeleton,
    by_text,
    is_all,
    without_markers,
)
from scorers.delivery.values import by_value
from scorers.payload.json_text import json_cost, parses
from scorers.payload.layout import columns
from scorers.payload.shape import Shape
from scorers.payload.skeleton import LONGEST
from scorers.payload.work import Work

# A delivered text with more than this many characters of unknown origin may be another rendering.
MOST_UNEXPLAINED = 24
# Produced characters that a mere change of spelling may cost.
LITTLE = 64

Sightings = tuple[markers.Sighting, ...]


def torn_ends(produced: str, blanked: str, made: Shape) -> Evidence | None:
    """Return the evidence where the delivered text is the opening, the end or both of the produced
    one, and what else is there can't hold what is missing, however it were written; else None."""
    if made.format == "html" or "\x1b" in produced or len(blanked) < 64:
        return None
    ends = by_ends(produced, blanked)
    if ends.unexplained > MOST_UNEXPLAINED + len(blanked) // 50:
        return None
    lost = missing(ends, produced)
    size = sum(end - start for start, end in lost)
    if size < 64 + 8 * ends.unexplained or is_wrapped(made):
        return None
    if not ends.unexplained:
        return ends
    # Brackets and quotes may be spelled otherwise, letters and digits may not.
    letters = sum(map(str.isalnum, "".join(produced[a : min(b, a + 2_000)] for a, b in lost)))
    return ends if letters > max(32, ends.unexplained) else None


def weigh(
    produced: str,
    message: Message,
    made: Shape,
    blanked: str,
    found: Sightings,
    *,
    torn: Evidence | None,
) -> Evidence:
    """Compare as texts, lines, skeletons, values and renderings, as far as each is needed.
    `blanked` is the delivered text without the known markers `found`; `torn` is the evidence where
    it is ends of the produced one and nothing that could be more. Raises TooLarge."""
    delivered, work = message.text, message.work
    if len(delivered) > DENSE and made.layout.size and isinstance(message.whole, dict | list):
        # Only samples of a long text are aligned, and values tell all.
        best = by_ends(produced, blanked)
        value = by_value(produced, made.layout, delivered, message.values, work)
        if value is not None and _is_payload(value, best, delivered, found):
            value.seams = best.seams
            return value
    if torn is not None and is_all(torn, blanked):
        best = torn
    else:
        best = _by_texts(produced, message, made, blanked)
    if not made.layout.size or _is_opening(best):
        return best
    clean = best.unexplained < 0.1 * len(delivered)
    lined = made.format != "json" and clean  # what is left of lines is lines, whatever they hold
    value = None
    if not lined and not (torn is not None and _in_fragments(message, best, found)):
        value = by_value(produced, made.layout, delivered, message.values, work)
    if value is not None and _is_payload(value, best, delivered, found):
        value.seams = best.seams
        return value
    if torn is not None:
        return best
    rendered = None
    if best.unexplained > MOST_UNEXPLAINED or _nearly_all(produced, best):
        rendered = by_rendering(produced, made.layout, blanked, work)
        if rendered is not None and rendered.kept == len(produced):
            return rendered
    channel = None if found else by_channel(produced, made.layout, delivered, work)
    if channel is not None:
        return channel
    if rendered is not None and rendered.kept > 1.05 * best.kept + 16:
        return rendered
    few = best.kept < 0.3 * len(produced) and best.unexplained > 0.5 * len(delivered)
    if few and not found:
        best = by_mention(made.layout, delivered, work) or best
    return best


def _in_fragments(message: Message, best: Evidence, found: Sightings) -> bool:
    """Say whether no value in the delivered text can be its payload: each holds less than half of
    what was kept, or a known marker says that head and tail are all there is."""
    if len(best.ranges) == 2 and _says_head_tail(found):
        return True
    longest = max((end - start for _, start, end in message.values), default=0)
    return 2 * longest < best.kept


def _says_head_tail(found: Sightings) -> bool:
    return any((one.marker.strategy or "").startswith("head_tail") for one in found)


def _is_opening(best: Evidence) -> bool:
    """Say whether the delivered text is one torn run of the produced one and nothing else: no
    value ends where it does, so none can explain it better."""
    if best.how != "text" or best.unexplained or len(best.ranges) != 1 or best.ranges[0][0]:
        return False
    return len(best.parts) == 1 and best.parts[0].rstrip()[-1:] not in ("}", "]")


def _by_texts(produced: str, message: Message, made: Shape, blanked: str) -> Evidence:
    """Return the evidence that finds most, of every text that the message carries."""
    ours = produced.strip()
    bare = blanked.strip()
    is_end = len(bare) > 2 and (ours.startswith(bare) or ours.endswith(bare))
    if is_end and made.format != "html":
        return by_ends(produced, blanked)  # the plainest cut, however short the texts are
    if len(ours) < SHORTEST and not stands_in(ours, blanked):
        # Letters of a short text are in every other.
        return Evidence([], message.text, [], "text", unexplained=len(message.text))
    best = by_text(produced, blanked)
    if not best.unexplained:
        return best
    work = message.work
    tried = [(blanked, False)]
    for view in message.texts[1:]:
        if len(view.text) < best.kept:
            continue
        work.spend((len(produced) + len(view.text)) // 60, "texts")
        tried.append((without_markers(view.text, produced)[0], view.numbered))
        other = by_text(produced, tried[-1][0])
        other.numbered = view.numbered
        # Found with the line numbers in between or without them: they are there.
        if other.kept > best.kept or (view.numbered and other.kept == best.kept > 0):
            best = other
    if best.kept == len(produced) or best.unexplained < 0.02 * len(blanked):
        return best
    for text, numbered in tried:
        lined = by_line(produced, text, work)
        if lined is None:
            continue
        if lined.kept > 1.02 * best.kept + 8 or (lined.clipped > 1 and lined.kept >= best.kept):
            lined.numbered = numbered
            best = lined
    if max(len(produced), len(blanked)) > LONGEST:
        return best
    cost = _skeleton_cost(produced) + _skeleton_cost(blanked)
    if not work.affords(cost):
        best.sampled = True
        return best
    work.spend(cost, "texts")
    loose = by_skeleton(produced, blanked)
    if loose.kept > 1.05 * best.kept + 8:
        return loose
    return best


def _skeleton_cost(text: str) -> int:
    return len(text) // 40 + 2 * (text.count('"') + text.count("\\")) + text.count("'")


def _nearly_all(produced: str, best: Evidence) -> bool:
    """Say whether the end arrived and little before it did not: numbers spelled otherwise."""
    end = best.ranges[-1][1] if best.ranges else 0
    return end >= len(produced.rstrip()) and len(produced) - best.kept <= LITTLE


def _is_payload(value: Evidence, best: Evidence, delivered: str, found: Sightings) -> bool:
    """Say whether the value found is the message's payload rather than a fragment of it, or a
    string that happens to close over a seam between head and tail."""
    size = sum(map(len, value.parts))
    clean = len(best.ranges) == 2 and best.unexplained < 0.1 * len(delivered)
    if clean and value.kinds & {"clip", "value", "number"} and value.kinds & {"row", "key"}:
        return False
    if clean and _says_head_tail(found):
        return False
    if size >= len(delivered.strip()):
        return True
    return size >= 0.6 * (len(delivered) - len(value.noise)) and value.kept >= 0.8 * best.kept


def is_valid(made: Shape, evidence: Evidence, work: Work) -> bool:
    """Say whether the delivered payload, without the harness's note, parses as what was produced.

    What stands around a seam is joined as it is; lines stay lines. Line numbers are part of the
    payload: JSON with them does not parse.
    """
    if evidence.valid is not None:
        return evidence.valid
    work.spend(sum(json_cost(part) for part in evidence.parts), "validity")
    if made.format == "json":
        return not evidence.numbered and parses("".join(evidence.parts))
    text = _lined(evidence).strip()
    if not text:
        return False
    if made.format == "jsonl":
        return not evidence.numbered and all(
            parses(line) for line in text.splitlines() if line.strip()
        )
    width = len(made.layout.header or ())
    return all(count == width for count in columns(text, made.delimiter))


def _lined(evidence: Evidence) -> str:
    joined = evidence.parts[:1]
    for seam, part in zip(evidence.seams, evidence.parts[1:], strict=True):
        joined += ["\n" if "\n" in seam or NEWLINE in seam else "", part]
    return "".join(joined)
