"""A `Turn`, and the operations it is made of.

A turn is what happened between one requester message and the reply to it, plus what the requester
had seen before. What the requester has seen (`Turn.requester`) and what only the agent has seen
(`Turn.private`) are separate fields of separate types, so that a reader can only ever be given the
first. Nothing here is ever changed once built, and nothing needs more than the standard library.

Names follow the OpenTelemetry GenAI semantic conventions: `chat` is an `Inference`, `execute_tool`
a `ToolExecution`, `invoke_agent` an `AgentInvocation`.
"""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from scorers.value import value

PartKind = Literal["text", "reasoning", "tool_call", "tool_result", "file", "other"]
PrivateKind = Literal[
    "system", "memory", "tool_call", "tool_result", "assistant_thought", "summary"
]
ClosedBy = Literal["end", "quiet", "deadline", "shutdown"]
Join = Literal["id", "arguments", "order"]

_GOES_ON = frozenset(" \t\n,.;:!?)]，。；：！？）")


@value
class Part:
    """One piece of a message.

    `text` is the piece as text: prose, reasoning, a tool call's arguments, or a tool's result with
    all its content blocks joined by newlines. `cut_by_capture` is True where the instrumentation,
    not the agent, is known to have shortened or hidden it.
    """

    kind: PartKind
    text: str = ""
    id: str | None = None
    name: str | None = None
    cut_by_capture: bool = False


@value
class Message:
    """One message of a model call. `role` is system, user, assistant or tool."""

    role: str
    parts: tuple[Part, ...] = ()
    name: str | None = None
    finish_reason: str | None = None

    @property
    def text(self) -> str:
        """The message's plain text; no reasoning, no tool content.

        Parts stand on lines of their own, but where one goes on in the middle of a sentence (an
        answer with citations is sent in pieces).
        """
        if len(self.parts) == 1:  # most have one
            return self.parts[0].text if self.parts[0].kind == "text" else ""
        text = ""
        for part in self.parts:
            if part.kind == "text" and part.text:
                goes_on = not text or text[-1].isspace() or part.text[0] in _GOES_ON
                text += part.text if goes_on else f"\n{part.text}"
        return text

    def of_kind(self, kind: PartKind) -> tuple[Part, ...]:
        """Return the parts of one kind, in order."""
        if len(self.parts) == 1:
            return self.parts if self.parts[0].kind == kind else ()
        return tuple([part for part in self.parts if part.kind == kind])


@value
class Usage:
    """Tokens of one call as the instrumentation states them; None where it says nothing."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None


@value
class Capture:
    """What the instrumentation did to an operation's content, as far as its telemetry shows.

    `lengths`: length in characters of each content attribute as received (before decoding);
    `broken`: names of content attributes that should be JSON and are not;
    `dropped`: attributes and events that the SDK says it dropped (its count limits);
    `hidden`: reason when content is known to be withheld (`content_off`, `redacted`,
    `uploaded`), else None.
    """

    lengths: tuple[int, ...] = ()
    broken: tuple[str, ...] = ()
    dropped: int = 0
    hidden: str | None = None


@value(kw_only=True)
class Operation:
    """What every operation has: where it stands in its trace, and who did it.

    Ids are lower-case hex; times are Unix nanoseconds; `parent_id` is None for a root span.
    `agent`, `agent_version` and `conversation_id` are what this very operation states;
    `service`, `service_version` and `environment` come from its resource.
    """

    trace_id: str
    span_id: str
    parent_id: str | None = None
    name: str = ""
    start_ns: int = 0
    end_ns: int = 0
    dialect: str = ""
    agent: str | None = None
    agent_version: str | None = None
    conversation_id: str | None = None
    service: str | None = None
    service_version: str | None = None
    environment: str | None = None
    error: str | None = None
    capture: Capture = field(default_factory=Capture)


@value(kw_only=True)
class Inference(Operation):
    """One model call. `input` is what was delivered to the model, oldest first, with the system
    prompt as its first message where the call has one; None where it was not recorded.

    `tools` names the tools that were offered to the model, None where not recorded. `utility` is
    True where the telemetry itself says that the call is not part of the conversation (a title, a
    summary, a judge).
    """

    provider: str | None = None
    model: str | None = None
    response_id: str | None = None
    input: tuple[Message, ...] | None = None
    output: tuple[Message, ...] | None = None
    tools: tuple[str, ...] | None = None
    usage: Usage = field(default_factory=Usage)
    finish_reasons: tuple[str, ...] = ()
    utility: bool = False


@value(kw_only=True)
class ToolExecution(Operation):
    """One executed tool call. `result` is what the tool produced, as text with all its blocks;
    None where it was not recorded. `arguments` is text too (JSON where the tool takes JSON).

    `produced_size` and `delivered_size` are sizes that the telemetry states by themselves: how much
    the tool produced, and how much the harness handed on. `size_unit` is characters, bytes or
    tokens, None for characters. `supposed`: a function that is a tool if a model call asked for it.
    """

    tool: str = ""
    call_id: str | None = None
    arguments: str | None = None
    result: str | None = None
    failed: bool = False
    produced_size: int | None = None
    delivered_size: int | None = None
    size_unit: str | None = None
    supposed: bool = False


@value(kw_only=True)
class AgentInvocation(Operation):
    """One run of an agent or workflow, around its inferences and tool executions.

    Its messages were taken at other moments than the model calls inside it: they name the request
    and the reply, and are never evidence of what was delivered.
    """

    kind: Literal["agent", "workflow", "handoff"] = "agent"
    input: tuple[Message, ...] | None = None
    output: tuple[Message, ...] | None = None


@value
class Said:
    """One message of the dialog as the requester saw it. `role` is user or assistant."""

    role: Literal["user", "assistant"]
    text: str


@value
class File:
    """A file the requester provided."""

    name: str
    text: str


@value
class RequesterContext:
    """What the requester has: their own messages, the agent's earlier replies, their own files.

    The last user message is the one being answered. Never holds anything a tool produced, a system
    prompt, notes or memory (arXiv 2610.19659, section 2).
    """

    dialog: tuple[Said, ...] = ()
    files: tuple[File, ...] = ()

    @property
    def request(self) -> str | None:
        """The message being answered, None when it is not known."""
        for said in reversed(self.dialog):
            if said.role == "user":
                return said.text
        return None


@value
class PrivateItem:
    """One piece of what only the agent has seen."""

    kind: PrivateKind
    text: str
    name: str = ""


@value
class ToolResult:
    """A tool call with its two sides: what the tool produced, and what the next model call got.

    `produced` is None where telemetry does not hold it (`produced_missing` says why);
    `delivered` is None where no message for this call was found. `calls_after` counts the model
    calls of the same agent after the tool ended: 0 means that nobody could read it.
    `delivered_missing` says why the delivered side can't be seen although calls followed; None
    where their messages are recorded and do not hold it (a drop).
    `capture_cut` is the reason when the instrumentation is known to have cut or hidden what was
    delivered, or both sides; `produced_cut` when the produced text is known to be but a beginning.
    `produced_size`, `delivered_size` and `size_unit` are those of the tool's execution.
    `dialect` is that of the record which hides a side, else of the model call that was given it.
    """

    tool: str
    call_id: str | None = None
    arguments: str | None = None
    produced: str | None = None
    delivered: str | None = None
    calls_after: int = 0
    failed: bool = False
    join: Join | None = None
    produced_missing: str | None = None
    delivered_missing: str | None = None
    capture_cut: str | None = None
    produced_cut: str | None = None
    span_id: str | None = None
    produced_size: int | None = None
    delivered_size: int | None = None
    size_unit: str | None = None
    dialect: str | None = None


@value(kw_only=True)
class Turn:
    """One requester message, the work on it, and the reply.

    `reply` is None where no reply is known and "" where the requester was sent an empty one.
    `reply_missing` and `request_missing` say why a text is not there. `tool_turns` counts the
    model calls of the turn that asked for tools. `own_traffic` marks turns of a judge.
    """

    turn_id: str
    trace_ids: tuple[str, ...]
    requester: RequesterContext
    private: tuple[PrivateItem, ...] = ()
    request: str | None = None
    request_missing: str | None = None
    reply: str | None = None
    reply_missing: str | None = None
    reply_trace_id: str | None = None
    reply_span_id: str | None = None
    conversation_id: str | None = None
    agent: str | None = None
    agent_version: str | None = None
    environment: str | None = None
    model: str | None = None
    dialects: tuple[str, ...] = ()
    started_ns: int = 0
    ended_ns: int = 0
    inferences: tuple[Inference, ...] = ()
    tool_results: tuple[ToolResult, ...] = ()
    tool_turns: int = 0
    model_calls: int = 0
    tool_errors: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    closed_by: ClosedBy = "end"
    stopped: str | None = None
    own_traffic: bool = False
