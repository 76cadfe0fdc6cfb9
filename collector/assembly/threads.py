"""Which model calls belong to one conversation with the model, and where it starts anew.

A thread is a chain of calls that carry on each other's messages. It is cut into segments: a
segment ends with a reply, and a new requester message opens the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from collector.assembly.harness_text import requester_words
from collector.assembly.history import Echoes, History, read
from collector.assembly.material import Key, Tree, key_of
from scorers.turn import AgentInvocation, Inference, Message, ToolExecution

ARENA_WITHOUT_AGENT = "trace"


@dataclass(slots=True, eq=False)
class Segment:
    """The model calls between one requester message and the reply to it, in order."""

    calls: list[Inference]
    histories: list[History]
    thread: int
    arenas: set[Key] = field(default_factory=set)
    agents: set[Key | None] = field(default_factory=set)

    @property
    def request(self) -> str:
        """The requester's words that opened the segment, "" when none are known."""
        for history in self.histories:
            if history.request:
                return history.request[-1]
        return ""

    @property
    def uses_tools(self) -> bool:
        """Whether the model asked for a tool or was given a tool's result in it."""
        return any(
            message.of_kind("tool_call") or message.of_kind("tool_result")
            for call in self.calls
            for message in (*(call.input or ()), *(call.output or ()))
        )

    @property
    def all_text(self) -> str:
        """Everything the first call was told, to see whether it quotes another request."""
        return "\n".join(message.text for message in self.calls[0].input or ())


def answer_of(call: Inference) -> Message | None:
    """Return the first choice of a model call, None where no output was recorded."""
    return call.output[0] if call.output else None


def asks_for_tools(call: Inference) -> bool:
    """Whether the call's answer asks for tools: then it is not a reply."""
    answer = answer_of(call)
    if answer is not None and answer.of_kind("tool_call"):
        return True
    return answer is None and any(
        reason in ("tool_calls", "tool_call", "tool_use", "function_call", "tool-calls")
        for reason in call.finish_reasons
    )


def is_reply(call: Inference) -> bool:
    """Whether the call ended with an answer that asks for no tool."""
    return answer_of(call) is not None and not asks_for_tools(call)


def segments(
    calls: Sequence[Inference], tree: Tree, tools: Iterable[ToolExecution] = ()
) -> list[Segment]:
    """Group calls (sorted by start) into threads and cut each thread into segments.

    What `tools` returned in the group is never taken for the requester's words.
    """
    echoes = Echoes(tools)
    found: list[Segment] = []
    for number, thread in enumerate(_threads(calls, tree)):
        for position, part in enumerate(_cut(_histories(thread, echoes), tree)):
            segment = Segment([c for c, _ in part], [h for _, h in part], number)
            if position and _ends_early(segment.calls[0]):
                # Only the start of the messages is there: the request shown is an earlier turn's.
                shown = len(segment.calls[0].input or ())
                segment.histories = [History(request_at=shown) for _ in segment.calls]
            for call in segment.calls:
                around = tree.agents_around(call)
                segment.agents.add(key_of(around[0]) if around else None)
                segment.arenas.add(_outermost(call, tree))
            found.append(segment)
    return found


def _histories(thread: list[Inference], echoes: Echoes) -> list[tuple[Inference, History]]:
    said: set[str] = set()
    read_so_far: list[tuple[Inference, History]] = []
    for call in thread:
        messages = call.input or ()
        history = read(messages, echoes=echoes, before_ns=call.start_ns, said=said)
        said.update(said_now.text for said_now in history.before)
        said.update(history.request)
        read_so_far.append((call, history))
    return read_so_far


def _ends_early(call: Inference) -> bool:
    """Whether the newest messages of a call are cut off. A count limit takes the oldest instead."""
    return bool(call.capture.broken) and not call.capture.dropped


def _outermost(call: Inference, tree: Tree) -> Key:
    around = tree.agents_around(call)
    return key_of(around[-1]) if around else (call.trace_id, ARENA_WITHOUT_AGENT)


def _threads(calls: Sequence[Inference], tree: Tree) -> list[list[Inference]]:
    """Chain the calls: by tool call ids, by a reply that the next call repeats, by same opening."""
    threads: list[list[Inference]] = []
    by_tool_call: dict[tuple[Key | None, str], int] = {}
    by_answer: dict[tuple[Key | None, str], int] = {}
    by_opening: dict[tuple[object, ...], int] = {}
    for call in calls:
        tool = tree.tool_around(call)
        scope = key_of(tool) if tool else None
        at = _continued(call, scope, by_tool_call, by_answer)
        opening = _opening(call, tree)
        if at is None:
            at = by_opening.get((scope, *opening))
        if at is None:
            at = len(threads)
            threads.append([])
        threads[at].append(call)
        by_opening.setdefault((scope, *opening), at)
        answer = answer_of(call)
        if answer is not None:
            for part in answer.of_kind("tool_call"):
                if part.id:
                    by_tool_call[(scope, part.id)] = at
            if answer.text.strip():
                by_answer[(scope, answer.text.strip())] = at
    return threads


def _continued(
    call: Inference,
    scope: Key | None,
    by_tool_call: dict[tuple[Key | None, str], int],
    by_answer: dict[tuple[Key | None, str], int],
) -> int | None:
    for message in reversed(call.input or ()):
        for part in message.parts:
            if part.kind in ("tool_call", "tool_result") and part.id:
                at = by_tool_call.get((scope, part.id))
                if at is not None:
                    return at
        if message.role == "assistant" and message.text.strip():
            at = by_answer.get((scope, message.text.strip()))
            if at is not None:
                return at
    return None


def _opening(call: Inference, tree: Tree) -> tuple[object, ...]:
    """What two calls of one thread share when nothing links them: agent, prompt, first words."""
    around = tree.agents_around(call)
    agent = key_of(around[0]) if around else (call.trace_id, ARENA_WITHOUT_AGENT)
    if call.input is None:
        return (agent, None, call.model)
    system = "\n".join(m.text for m in call.input if m.role in ("system", "developer"))
    first = next((m.text for m in call.input if m.role == "user" and m.text), "")
    return (agent, hash(system), hash(first))


def _cut(
    thread: list[tuple[Inference, History]], tree: Tree
) -> list[list[tuple[Inference, History]]]:
    """Cut a thread where a reply was given and the next call answers a newer message."""
    parts: list[list[tuple[Inference, History]]] = []
    for call, history in thread:
        if parts and not _opens_anew(parts[-1][-1], call, history, tree):
            parts[-1].append((call, history))
        else:
            parts.append([(call, history)])
    return parts


def _opens_anew(
    last: tuple[Inference, History], call: Inference, history: History, tree: Tree
) -> bool:
    earlier, earlier_history = last
    if not is_reply(earlier):
        # A reply that stands in the history only: its own call was never recorded.
        return bool(history.request) and len(history.before) > len(earlier_history.before)
    if call.input is None or _ends_early(call):
        # What was asked can't be seen; another outermost agent is another turn.
        return _outermost(earlier, tree) != _outermost(call, tree)
    if not history.request:
        # A harness spoke after the reply, nobody asked: not part of the turn that was replied to.
        return bool(history.before) and len(history.before) > len(earlier_history.before)
    if len(history.before) > len(earlier_history.before):
        return True
    return history.request[-1] != (earlier_history.request or ("",))[-1] and not _carries(
        earlier, call
    )


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


def main_thread(candidates: list[Segment], root: AgentInvocation | None) -> int:
    """Choose the thread that talks to the requester; the others are utility or sub-agent calls.

    The agent's own output decides where it is recorded. A single call without tools that quotes
    another thread's request (a title, a classification) is utility. Of several agents in a row
    the last one replies; of calls of one agent the one that works with tools, then the first.
    """
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
    serious = [s for s in candidates if not is_utility(s, candidates)] or candidates
    agents = {agent for segment in serious for agent in segment.agents}
    if len(agents) > 1:
        return max(serious, key=lambda s: max(c.end_ns for c in s.calls)).thread
    working = [s for s in serious if s.uses_tools] or serious
    return min(working, key=lambda s: s.calls[0].start_ns).thread


def is_utility(segment: Segment, others: list[Segment]) -> bool:
    """Whether a segment is a call about the conversation rather than part of it."""
    if all(call.utility for call in segment.calls):
        return True
    if len(segment.calls) > 1 or segment.uses_tools:
        return False
    offered = segment.calls[0].tools
    for other in others:
        if other.thread == segment.thread or not other.request:
            continue
        richer = len(other.calls) > 1 or other.uses_tools or bool(other.calls[0].tools)
        quotes = other.request in segment.all_text
        if quotes and not offered and (richer or segment.request != other.request):
            return True
    return False
