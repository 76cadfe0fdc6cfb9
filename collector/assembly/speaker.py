"""Which thread talks to the requester, and which calls are only about the conversation."""

from __future__ import annotations

import re
from collections.abc import Sequence

from collector.assembly.segment import Segment, answer_of, asks_for_tools
from scorers.turn import AgentInvocation

NEAR = 4  # neighbours in time among which a utility call finds what it is about
MIN_QUOTE = 8

# What a harness asks a model about a conversation, beside having it answered.
_ABOUT = re.compile(
    r"\b(?:titles?|headings?|summar\w+|topics?|classif\w+|categor\w+|labels?|tags?|follow[- ]?ups?|"
    r"suggest\w*|intents?|guardrails?|safe(?:ty)?|moderat\w+|rewrite|rephrase|reformulat\w+|"
    r"routers?|routing|keywords?|judge|grade|evaluat\w+|score)\b|\A\W*route\b|标题|摘要|总结|分类|意图",
    re.IGNORECASE,
)


def main_thread(candidates: Sequence[Segment], root: AgentInvocation | None) -> int:
    """Choose the thread that talks to the requester; the others are utility or sub-agent calls.

    The agent's own output decides where it is recorded. Else, of several agents in a row, the last
    one replies; of calls of one agent the last, unless that is only about what another replied.
    """
    if len({segment.thread for segment in candidates}) == 1:
        return candidates[0].thread
    told = " ".join(m.text for m in root.output or ()).strip() if root is not None else ""
    if told:
        answers = [(s, answer_of(s.calls[-1])) for s in candidates]
        said = [(s, answer.text.strip()) for s, answer in answers if answer is not None]
        for segment, text in said:
            if text and text in told:
                return segment.thread
        for segment, text in reversed(said):
            if told in text:  # the agent took its output out of a form of its own
                return segment.thread
    serious = without_utility(candidates) or list(candidates)
    last = max(serious, key=lambda s: (_ended(s, serious), s.calls[-1].span_id))
    agents = {agent for segment in serious for agent in segment.agents}
    if len(agents) > 1 or last.uses_tools or len(last.calls) > 1:
        return last.thread
    working = [s for s in serious if s.uses_tools and s.reply]
    if not working:
        return last.thread
    best = max(working, key=lambda s: s.ended_ns)
    return last.thread if best.reply in last.all_text else best.thread


def _ended(segment: Segment, others: Sequence[Segment]) -> int:
    """Return when a segment ended. A call around those of the agent that it handed over to (as
    ADK 1 records it) was over when that one began."""
    last = segment.calls[-1]
    if not asks_for_tools(last):
        return segment.ended_ns
    inner = (other.calls[-1] for other in others if other is not segment)
    if any(last.start_ns < one.start_ns and one.end_ns <= last.end_ns for one in inner):
        return last.start_ns
    return segment.ended_ns


def without_utility(segments: Sequence[Segment]) -> list[Segment]:
    """Leave out the calls that are about the conversation rather than part of it. Linear."""
    ordered = sorted(segments, key=lambda s: s.calls[0].start_ns)
    return [
        segment
        for at, segment in enumerate(ordered)
        if not _is_utility(segment, ordered[max(at - NEAR, 0) : at + NEAR + 1])
    ]


def _is_utility(segment: Segment, near: Sequence[Segment]) -> bool:
    return all(call.utility for call in segment.calls) or subject_of(segment, near) is not None


def subject_of(segment: Segment, near: Sequence[Segment]) -> Segment | None:
    """Return the segment that a single call is about, None where it stands for itself."""
    near = [other for other in near if other.thread != segment.thread]
    if not near or len(segment.calls) > 1 or segment.uses_tools or segment.calls[0].tools:
        return None
    if not _ABOUT.search(segment.instruction):
        return None
    text = segment.all_text
    for other in near:
        if _is_about(other):
            continue
        if quotes(text, other.request) or quotes(text, other.reply):
            return other
    return None


def _is_about(segment: Segment) -> bool:
    """Whether another call is itself one about the conversation: then it is no conversation."""
    return (
        len(segment.calls) == 1
        and not segment.uses_tools
        and bool(_ABOUT.search(segment.instruction))
    )


def quotes(text: str, words: str, least: int = MIN_QUOTE) -> bool:
    """Say whether a text holds words as a whole, not as the beginning of longer ones."""
    at = text.find(words) if len(words) >= least else -1
    if at < 0:
        return bool(words) and text.strip() == words
    end = at + len(words)
    return not text[at - 1 : at].isalnum() and not text[end : end + 1].isalnum()
