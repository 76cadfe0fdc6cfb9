"""Where a chain of model calls starts anew: a reply was given, and somebody asked again."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from collector.assembly.chains import chains
from collector.assembly.echoes import Echoes
from collector.assembly.harness_text import requester_words
from collector.assembly.history import History, Reader
from collector.assembly.material import Tree, key_of
from collector.assembly.segment import Segment, answer_of, is_reply, was_cut_off
from scorers.turn import Inference, ToolExecution

Read = tuple[Inference, History]
_CONTINUE = re.compile(
    r"\W*(?:please\s+)?(?:continue|go on|keep going|carry on"
    r"|finish (?:your|the) (?:answer|reply))\b"
    r"[^\n]{0,80}\Z|\W*(?:请)?继续.{0,20}\Z",
    re.IGNORECASE,
)


def segments(
    calls: Sequence[Inference],
    tree: Tree,
    tools: Iterable[ToolExecution] = (),
    known: Collection[int] = (),
) -> list[Segment]:
    """Group calls (in order) into threads and cut each thread into segments.

    What `tools` returned, and what other threads answered, is never taken for the requester's
    words; nor are texts whose hashes are `known` to be a tool's from earlier turns.
    """
    threads = chains(calls, tree)
    tools = list(tools)
    alone = Echoes(tools, (), known)
    answers = _answers(threads) if len(threads) > 1 else []
    found: list[Segment] = []
    for number, thread in enumerate(threads):
        echoes = alone
        if len(threads) > 1 and len(answers) <= MOST_ANSWERS:
            others = [(end, text) for owner, end, text in answers if owner != number]
            echoes = Echoes(tools, others, known)
        for position, part in enumerate(_cut(_histories(thread, echoes), tree)):
            segment = Segment([c for c, _ in part], [h for _, h in part], number)
            opening = segment.calls[0]
            if _ends_early(opening) and (position or _goes_on(opening, segment.histories[0])):
                # Only the start of the messages is there: the request shown is an earlier turn's.
                shown = len(segment.calls[0].input or ())
                segment.histories = [History(opened_at=shown) for _ in segment.calls]
            for call in segment.calls:
                around = tree.agents_around(call)
                segment.agents.add(key_of(around[0]) if around else None)
                segment.arenas.add(tree.run_around(call))
            found.append(segment)
    return found


# A group of more answers than this holds independent calls; looking each one's messages up in all
# others' answers would take quadratic time.
MOST_ANSWERS = 200


def _answers(threads: Sequence[Sequence[Inference]]) -> list[tuple[int, int, str]]:
    """Return what each thread answered: its number, when, and the text."""
    return [
        (number, call.end_ns, answer.text.strip())
        for number, thread in enumerate(threads)
        for call in thread
        if is_reply(call) and (answer := answer_of(call)) is not None and answer.text.strip()
    ]


def _histories(thread: Sequence[Inference], echoes: Echoes) -> list[Read]:
    reader = Reader(echoes)
    return [(call, reader.read(call.input or (), call.start_ns)) for call in thread]


def _ends_early(call: Inference) -> bool:
    """Whether the newest messages of a call are cut off. A count limit takes the oldest instead."""
    return bool(call.capture.broken) and not call.capture.dropped


def _goes_on(call: Inference, history: History) -> bool:
    """Whether work follows the request in the messages of a call before which none was done."""
    return 0 <= history.request_at < len(call.input or ()) - 1


def _cut(thread: list[Read], tree: Tree) -> list[list[Read]]:
    """Cut a thread where a reply was given and the next call answers a newer message."""
    parts: list[list[Read]] = []
    for call, history in thread:
        if parts and not _opens_anew(parts[-1], call, history, tree):
            parts[-1].append((call, history))
        else:
            parts.append([(call, history)])
    return parts


def _opens_anew(part: list[Read], call: Inference, history: History, tree: Tree) -> bool:
    opening, _ = part[0]
    earlier, earlier_history = part[-1]
    grown = len(history.before) > len(earlier_history.before)
    if not is_reply(earlier):
        # A reply that stands in the history only: its own call was never recorded.
        return bool(history.request) and grown
    same_run = tree.run_around(earlier) == tree.run_around(call)
    if was_cut_off(earlier) and same_run and _carries_on(history):
        return False
    if call.input is None or _ends_early(call):
        return not same_run  # what was asked can't be seen
    if not history.request:
        # A harness spoke after the reply. In the agent's own run it goes on; else nobody asked.
        return grown and not (same_run and tree.agents_around(call))
    if grown:
        return True
    if history.request[-1] != (earlier_history.request or ("",))[-1]:
        return not _carries(earlier, call)
    # The same words again, with nothing new before them: asked again, unless an agent repeats.
    sizes = (len(opening.input or ()), len(earlier.input or ()))
    again = call.start_ns >= earlier.end_ns > 0 and len(call.input) in sizes
    again = again or _is_past(earlier, earlier_history, history)
    return again and not (same_run and tree.agents_around(call)) and not _carries(earlier, call)


def _carries_on(history: History) -> bool:
    """Whether a call only carries a reply on that hit its length limit."""
    return bool(history.prefill) or (
        bool(history.request) and _CONTINUE.match(history.request[-1]) is not None
    )


def _is_past(earlier: Inference, earlier_history: History, history: History) -> bool:
    """Whether the earlier answer is the last thing said before the request. Where only the newest
    messages are sent, the history has not grown by it."""
    answer = answer_of(earlier)
    text = answer.text.strip() if answer is not None else ""
    last, known = (
        told.before[-1].text.strip() if told.before else "" for told in (history, earlier_history)
    )
    return bool(text) and last == text != known


def _carries(earlier: Inference, call: Inference) -> bool:
    """Whether a call goes on after an interim answer: it stands in its input, unanswered."""
    answer = answer_of(earlier)
    text = answer.text.strip() if answer is not None else ""
    if not text or not call.input:
        return False
    for message in reversed(call.input):
        if message.role == "assistant":
            return message.text.strip() == text
        if message.role == "user" and requester_words(message.text):
            return False
    return False
