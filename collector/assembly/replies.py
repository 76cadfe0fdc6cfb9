"""The reply of a turn, and why there is none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from collector.assembly.capture import COUNT
from collector.assembly.final_tools import final_text
from collector.assembly.segment import Segment, answer_of, asks_for_tools, is_reply, was_cut_off
from collector.content.messages import redacted_whole
from collector.dialect import AnyOperation
from scorers.turn import AgentInvocation, Inference, Operation, ToolExecution

# What stopped a run, by the exception or text that names it (public names of public frameworks).
_STOPS = (
    (
        "step_budget",
        (
            r"max\w{0,12}[_ ]?(?:turns|steps|iterations|rounds)|recursion\w{0,10}limit|"
            r"graphrecursion|(?:turn|step|iteration) limit|limitsexceeded|llmcallslimit"
        ),
    ),
    ("token_budget", r"usagelimit|token\w{0,8}[_ ](?:limit|budget)|context_length_exceeded"),
    ("cost_budget", r"cost\w{0,8}[_ ](?:limit|budget)|budgetexceeded|budget exceeded"),
    ("cancelled", r"cancell?ed|aborted|aborterror|keyboardinterrupt|user abort"),
    ("time_budget", r"time\w{0,3}[_ ]?out|time[_ ]?(?:limit|budget)|deadline exceeded"),
)
_STOP_PATTERNS = tuple((name, re.compile(text, re.IGNORECASE)) for name, text in _STOPS)


@dataclass(frozen=True, slots=True)
class Reply:
    """What the requester got. `text` is None where no reply is known, `missing` says why."""

    text: str | None
    missing: str | None = None
    trace_id: str | None = None
    span_id: str | None = None


def agent_text(agent: AgentInvocation | None) -> str:
    """Return the reply as the agent's own span tells it, "" when it does not."""
    for message in reversed(agent.output or () if agent is not None else ()):
        text = "" if redacted_whole(message.text) else message.text
        if message.role != "tool" and not message.of_kind("tool_call") and text.strip():
            return text
    return ""


def reply_of(segment: Segment | None, root: AgentInvocation | None) -> Reply:
    """Find a turn's reply: the last call's answer without tool calls, else the agent's output."""
    told = agent_text(root)
    if segment is None:
        return _from_agent(told, root, "no_model_call")
    last = segment.calls[-1]
    answer = answer_of(last)
    if asks_for_tools(last) or answer is None:
        if told:
            return _from_agent(told, root, None)
        if given := final_text(last):
            return Reply(given, None, last.trace_id, last.span_id)
        if answer is None and last.capture.hidden:
            return Reply(None, last.capture.hidden, last.trace_id, last.span_id)
        missing = "error" if last.error else "unfinished"
        if answer is None and not last.error and not asks_for_tools(last):
            missing = COUNT if last.capture.dropped else "output_not_recorded"
        return Reply(None, missing, last.trace_id, last.span_id)
    text = answer.text
    if not text.strip() or redacted_whole(text):
        if told:
            return _from_agent(told, root, None)
        if last.capture.hidden or any(part.cut_by_capture for part in answer.parts):
            return Reply(None, last.capture.hidden or "cut", last.trace_id, last.span_id)
        return Reply("", "empty", last.trace_id, last.span_id)
    if told and told.strip() in text and not text.startswith(told.strip()):
        # What the agent made of the answer: "Thought: … Final Answer: …" is its own form.
        return _from_agent(told, root, None)
    text = _begun(segment.calls[:-1]) + text
    prefill = segment.histories[-1].prefill
    if prefill and not text.startswith(prefill) and not _was_said(prefill, segment.calls[:-1]):
        text = prefill + text
    return Reply(text, None, last.trace_id, last.span_id)


def may_end(operation: AnyOperation) -> bool:
    """Whether an operation may end a turn that waits for tools: not a tool, nor a model call that
    asks for the next ones."""
    if isinstance(operation, ToolExecution):
        return False
    if not isinstance(operation, Inference) or operation.error or not operation.output:
        return True
    return not asks_for_tools(operation) or bool(final_text(operation))


def _begun(calls: Sequence[Inference]) -> str:
    """Return what earlier calls had written of a reply that hit its length limit."""
    begun = ""
    for call in reversed(calls):
        answer = answer_of(call)
        if answer is None or not is_reply(call) or not was_cut_off(call):
            break
        begun = answer.text + begun
    return begun


def _was_said(prefill: str, calls: Sequence[Inference]) -> bool:
    """Whether a text under the assistant's name is an earlier answer, not the start of the next.

    A ReAct agent appends the tool's observation to it.
    """
    return any((text := _text(call)) and prefill.strip().startswith(text) for call in calls)


def _text(call: Inference) -> str:
    answer = answer_of(call)
    return answer.text.strip() if answer is not None else ""


def _from_agent(told: str, root: AgentInvocation | None, missing: str | None) -> Reply:
    if root is None:
        return Reply(None, missing)
    if told:
        return Reply(told, None, root.trace_id, root.span_id)
    return Reply(None, root.capture.hidden or missing, root.trace_id, root.span_id)


def stopped_by(operations: list[Operation], *, replied: bool) -> str | None:
    """Say what stopped a turn from outside: a budget, an error, a cancellation; else None.

    An error that the agent got over (it replied) does not count, a budget does.
    """
    errors = [operation.error for operation in operations if operation.error]
    for error in errors:
        for name, pattern in _STOP_PATTERNS:
            if pattern.search(error[:2000]) and not (replied and name == "time_budget"):
                return name
    return "error" if errors and not replied else None
