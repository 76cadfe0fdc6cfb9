"""Two texts compared: what a tool produced, and what was delivered of it."""

from __future__ import annotations

from scorers import markers
from scorers.delivery.capture import capture_cut
from scorers.delivery.evidence import Evidence, missing
from scorers.delivery.intact import SHORTEST, is_intact
from scorers.delivery.message import Message
from scorers.delivery.pair import Delivery
from scorers.delivery.strategy import Cut, strategy
from scorers.delivery.texts import by_ends, by_text, without_markers
from scorers.delivery.verdict import Verdict
from scorers.delivery.weighing import MOST_UNEXPLAINED, torn_ends, weigh
from scorers.payload.shape import Shape, shape
from scorers.payload.work import TooLarge, Work

# Of longer texts only the lengths and the ends are compared.
LONGEST = 32_000_000
# Characters of unexplained text that are searched for words of a marker.
LONGEST_NOTES = 100_000


def compare(
    produced: str, delivered: str, *, tool: str = "", call_id: str | None = None
) -> Delivery:
    """Compare the two texts of one tool result: no stage is known, and no later calls.

    The time is linear in the two lengths and bounded by a budget of counted steps (`Work`). Where
    it runs out, the texts alone decide: what they prove is reported, with `fields` and `rows` None
    and the exhausted budget as the reason; what they don't is `unobservable`.
    """
    work = Work()
    if max(len(produced), len(delivered)) > LONGEST:
        made = Shape("text", bounded=True)
    else:
        made = shape(produced, work)
    verdict = Verdict(produced, delivered, made, tool, call_id)
    if produced == delivered:
        return verdict.intact()
    if made.bounded and max(len(produced), len(delivered)) > LONGEST:
        return _by_the_ends(verdict)
    reason = capture_cut(produced, delivered)
    if reason is not None:
        return verdict.unobservable(reason)
    if len(produced.strip()) >= SHORTEST and produced.strip() in delivered:
        return verdict.intact()
    blanked, found = without_markers(delivered, produced)
    try:
        return _compare(verdict, Message(delivered, work), blanked, found)
    except TooLarge as limit:
        return _by_texts_alone(verdict, blanked, found, str(limit))


def _compare(
    verdict: Verdict, message: Message, blanked: str, found: tuple[markers.Sighting, ...]
) -> Delivery:
    produced, made = verdict.produced, verdict.made
    torn = torn_ends(produced, blanked, made)
    if torn is None and is_intact(produced, message, made):
        return verdict.intact()
    evidence = weigh(produced, message, made, blanked, found, torn=torn)
    if not missing(evidence, produced) and not evidence.kinds:
        return verdict.intact()
    if not evidence.sampled or _is_sure(verdict, evidence):
        return _lost(verdict, evidence, found)
    if made.layout.size or not _is_less(verdict):
        raise TooLarge("texts")
    return _lost(verdict, evidence, found, "kept characters are a floor")


def _is_sure(verdict: Verdict, evidence: Evidence) -> bool:
    """Say whether samples of a long text tell: hardly anything is the tool's, or nearly all."""
    if evidence.kept < 0.01 * len(verdict.produced):
        return True
    return evidence.unexplained < 0.02 * len(verdict.delivered)


def _is_less(verdict: Verdict) -> bool:
    """Say whether the delivered text has fewer characters than a plain text that was produced."""
    if verdict.made.format in ("html", "base64") or "\x1b" in verdict.produced:
        return False
    return len("".join(verdict.delivered.split())) < len("".join(verdict.produced.split()))


def _lost(
    verdict: Verdict,
    evidence: Evidence,
    found: tuple[markers.Sighting, ...],
    limit: str | None = None,
) -> Delivery:
    name = strategy(Cut(verdict.produced, verdict.delivered, verdict.made, evidence, found))
    notes = "\n".join(dict.fromkeys([evidence.noise, *evidence.seams]))
    marked = bool(found) or markers.note(_abridged(notes))
    return verdict.cut(name, evidence, marked=marked, limit=limit)


def _abridged(notes: str) -> str:
    half = LONGEST_NOTES // 2
    return notes if len(notes) <= LONGEST_NOTES else notes[:half] + "\n" + notes[-half:]


def _by_texts_alone(
    verdict: Verdict, blanked: str, found: tuple[markers.Sighting, ...], limit: str
) -> Delivery:
    """Judge by the verbatim runs alone: nothing missing, or nothing else there."""
    produced = verdict.produced
    if len(produced.strip()) < SHORTEST:
        return verdict.unobservable(f"too_large_to_compare: {limit}")
    evidence = by_text(produced, blanked)
    if not missing(evidence, produced):
        return verdict.intact()
    explained = evidence.unexplained <= MOST_UNEXPLAINED + len(blanked) // 50
    if not explained or torn_ends(produced, blanked, verdict.made) is None:
        return verdict.unobservable(f"too_large_to_compare: {limit}")
    return _lost(verdict, evidence, found, limit)


def _by_the_ends(verdict: Verdict) -> Delivery:
    """Judge a text that is too long for anything else."""
    produced, delivered = verdict.produced, verdict.delivered
    if produced == delivered or produced in (delivered.strip(), delivered[: len(produced)]):
        return verdict.intact()
    evidence = by_ends(produced, delivered)
    if evidence.unexplained <= markers.LONGEST_NOTICE and len(delivered) < len(produced) // 8 * 7:
        return _lost(verdict, evidence, markers.sightings(evidence.noise), "length")
    return verdict.unobservable("too_large_to_compare: length")
