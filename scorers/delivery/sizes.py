"""What can be said of a result whose texts are not all there: by stated sizes, by a beginning."""

from __future__ import annotations

from dataclasses import replace

from scorers import markers
from scorers.delivery.capture import SHORTEST_PREFIX
from scorers.delivery.pair import Delivery, State
from scorers.overlap import common_prefix
from scorers.payload.shape import shape
from scorers.turn import ToolResult

# Sizes that differ by less may be counted otherwise: line ends, a newline at the end, a wrapper.
TOLERANCE = 64
# Of what was produced: encodings and wrappings do not take a tenth away.
SHORT = 0.9
CHARACTERS = "characters"


def by_sizes(result: ToolResult, reason: str) -> Delivery:
    """Judge a result one side of which can't be seen by the sizes that its telemetry states.

    More produced than delivered is a floor for the loss. A delivered text of exactly the size that
    was produced is whole: nothing withholds a part and makes up for it to the character. Any other
    size proves nothing.
    """
    found = _sized(unseen(result, State.unobservable, reason), result)
    made, given = _produced_size(result), _delivered_size(result)
    if made is None or given is None or result.failed:
        return found
    if _is_exact(result, made):
        kept = found.produced_characters if _unit(result) == CHARACTERS else None
        return replace(found, state=State.intact, kept_characters=kept, reason=None)
    if given >= SHORT * made or made - given <= TOLERANCE:
        return found
    words = f"{reason}; {made} {_unit(result)} were produced and at most {given} delivered"
    return replace(found, state=State.lower_bound, reason=words)


def by_beginning(result: ToolResult, reason: str) -> Delivery:
    """Judge a result of which only the beginning of the produced text was recorded.

    What the model was given is all there. Where it is less than that beginning, the rest of the
    beginning was withheld for certain, and how much more was is not known: a floor.
    """
    found = by_sizes(result, reason)
    produced, delivered = result.produced, result.delivered
    if found.state == State.lower_bound or produced is None or delivered is None:
        return found
    missing = len(produced) - len(delivered)
    if missing <= 0 or not _is_shortened(produced, delivered):
        return found
    words = f"{reason}; {missing} characters of the recorded beginning are missing"
    return replace(found, state=State.lower_bound, reason=words)


def unseen(result: ToolResult, state: State, reason: str) -> Delivery:
    """Return the verdict on a result of which a side is not seen: every number is None."""
    produced, delivered = result.produced, result.delivered
    text = produced if produced is not None else delivered
    return Delivery(
        tool=result.tool,
        call_id=result.call_id,
        state=state,
        format=shape(text or "").format,
        produced_characters=None if produced is None else len(produced),
        delivered_characters=None if delivered is None else len(delivered),
        reason=reason,
    )


def _is_exact(result: ToolResult, made: int) -> bool:
    """Say whether a delivered text, seen whole, has just the size that was produced."""
    delivered = result.delivered
    if delivered is None or result.capture_cut is not None or result.produced_size != made:
        return False
    return any(_size(text, result) == made for text in (delivered, delivered.strip()))


def _sized(found: Delivery, result: ToolResult) -> Delivery:
    """Put stated characters where the text that they count is not there, or only its beginning."""
    if _unit(result) != CHARACTERS:
        return found
    made, given = found.produced_characters, found.delivered_characters
    if result.produced_size is not None:
        made = max(made or 0, result.produced_size)
    if given is None:
        given = result.delivered_size
    return replace(found, produced_characters=made, delivered_characters=given)


def _produced_size(result: ToolResult) -> int | None:
    """Return the least that was produced, in the unit of the stated sizes."""
    recorded = _size(result.produced, result) if result.capture_cut is None else None
    if result.produced_size is None:
        return recorded
    return max(result.produced_size, recorded or 0)


def _delivered_size(result: ToolResult) -> int | None:
    """Return what was delivered: the recorded text where it is whole, else what is stated."""
    whole = result.delivered is not None and result.capture_cut is None
    return _size(result.delivered, result) if whole else result.delivered_size


def _size(text: str | None, result: ToolResult) -> int | None:
    if text is None or (result.produced_size is None and result.delivered_size is None):
        return None  # only a stated size says what to count
    if _unit(result) == CHARACTERS:
        return len(text)
    return len(text.encode("utf-8", "replace")) if result.size_unit == "bytes" else None


def _unit(result: ToolResult) -> str:
    return result.size_unit or CHARACTERS


def _is_shortened(produced: str, delivered: str) -> bool:
    """Say whether a text is the start of the produced one, but for what a harness says of it."""
    same = common_prefix(produced, delivered)
    if same < SHORTEST_PREFIX:
        return False
    rest = delivered[same:].strip()
    if not rest:
        return True
    seen = markers.sightings(delivered, end=markers.LONGEST_NOTICE + same)
    if any(one.start <= same + SHORTEST_PREFIX and one.end > same for one in seen):
        return True
    return len(rest) <= markers.LONGEST_NOTICE and markers.note(rest)
