"""A `Segment`: the model calls between one requester message and the reply to it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from collector.assembly.history import History
from collector.assembly.material import Key
from scorers.turn import Inference, Message

TOOL_FINISHES = frozenset({"tool_calls", "tool_call", "tool_use", "function_call", "tool-calls"})
LENGTH_FINISHES = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})


@dataclass(slots=True, eq=False)
class Segment:
    """Calls in order, each with what it shows of the requester. `thread` numbers the chain of
    calls it was cut from; `arenas` and `agents` name the runs and the agents it stands in."""

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
    def reply(self) -> str:
        """The text of its last answer, "" where that asks for tools or was not recorded."""
        last = self.calls[-1]
        answer = answer_of(last)
        return answer.text.strip() if answer is not None and not asks_for_tools(last) else ""

    @property
    def ended_ns(self) -> int:
        """When its last call ended."""
        return max(call.end_ns for call in self.calls)

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
        """Everything the first call was told, to see whether it quotes something else."""
        return "\n".join(message.text for message in self.calls[0].input or ())

    @property
    def instruction(self) -> str:
        """What its first call was told to do: the system prompt, else how its input begins."""
        given = self.calls[0].input or ()
        system = "\n".join(m.text for m in given if m.role in ("system", "developer"))
        return system or (given[0].text[:300] if given else "")

    def joined(self, other: Segment) -> Segment:
        """Return this segment with another of its thread behind it."""
        return Segment(
            self.calls + other.calls,
            self.histories + other.histories,
            self.thread,
            self.arenas | other.arenas,
            self.agents | other.agents,
        )


def answer_of(call: Inference) -> Message | None:
    """Return a model call's answer, None where no output was recorded.

    Several messages are one answer whose items were recorded apart (the Responses API), unless
    more than one of them has a text: then they are choices, and the first one counts.
    """
    said = call.output or ()
    if len(said) < 2 or sum(bool(message.text.strip()) for message in said) > 1:
        return said[0] if said else None
    parts = tuple(part for message in said for part in message.parts)
    return replace(said[0], parts=parts, finish_reason=said[-1].finish_reason)


def asks_for_tools(call: Inference) -> bool:
    """Whether the call's answer asks for tools: then it is not a reply."""
    answer = answer_of(call)
    if answer is not None:
        return bool(answer.of_kind("tool_call"))
    return any(reason in TOOL_FINISHES for reason in call.finish_reasons)


def is_reply(call: Inference) -> bool:
    """Whether the call ended with an answer that asks for no tool."""
    return answer_of(call) is not None and not asks_for_tools(call)


def was_cut_off(call: Inference) -> bool:
    """Whether the call's answer ended at its length limit: the next call may carry it on."""
    answer = answer_of(call)
    reasons = (*call.finish_reasons, (answer.finish_reason or "") if answer is not None else "")
    return any(reason.lower() in LENGTH_FINISHES for reason in reasons)
