"""What the model calls and tools of a group tell about each other, noted as they come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from collector.assembly.footprint import OPERATION_SIZE, message_size, names_size, text_size
from collector.assembly.material import Key
from collector.assembly.repetition import Messages
from collector.dialect import AnyOperation, MessageEvent
from scorers.turn import Inference, ToolExecution


@dataclass(slots=True, eq=False)
class ToolCalls:
    """Ids of tool calls: `asked` are those that models asked for, `executed` those of tools that
    ran, `answered` those of results behind the last requester message of a call. `models` are the
    spans of model calls; `inputs` is the latest input of each chain of them, by the `id()` of its
    first message."""

    models: set[Key] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)
    executed: set[str] = field(default_factory=set)
    answered: set[str] = field(default_factory=set)
    inputs: dict[int, Messages] = field(default_factory=dict)

    def note(self, operation: AnyOperation) -> tuple[Sequence[str], int]:
        """Note which calls an operation asks for, executes or answers. Returns the ids of those it
        asks for, and the bytes that it adds."""
        if isinstance(operation, ToolExecution):
            if operation.call_id:
                self.executed.add(operation.call_id)
            size = text_size(operation.result, operation.arguments)
            size += names_size(operation.tool, operation.call_id, *_names(operation))
            return (), OPERATION_SIZE + size
        if isinstance(operation, MessageEvent):
            asked = self._ask((operation.message,)) if operation.side == "output" else ()
            size = message_size((operation.message,)) + names_size(*_names(operation))
            return asked, OPERATION_SIZE + size
        fresh = self._fresh(operation.input) if operation.input else ()
        made = operation.output or ()
        size = OPERATION_SIZE + message_size(fresh) + message_size(made)
        if not isinstance(operation, Inference):
            return (), size + names_size(*_names(operation))
        size += names_size(
            operation.provider,
            operation.model,
            operation.response_id,
            *(operation.tools or ()),
            *operation.finish_reasons,
            *_names(operation),
        )
        self.models.add((operation.trace_id, operation.span_id))
        for message in reversed(fresh):
            if message.role == "user":
                break
            self.answered.update(p.id for p in message.parts if p.id and p.kind == "tool_result")
        if operation.input:
            self.inputs[id(operation.input[0])] = operation.input
        return self._ask(made), size

    def _fresh(self, given: Messages) -> Messages:
        """Return the messages of an input that no earlier call of its chain had."""
        before = self.inputs.get(id(given[0]))
        # Readers share the messages that a call repeats: where the last is the same, all are.
        if before is None or len(before) > len(given) or given[len(before) - 1] is not before[-1]:
            return given
        return given[len(before) :]

    def _ask(self, made: Messages) -> Sequence[str]:
        asked = [part.id for m in made for part in m.parts if part.id and part.kind == "tool_call"]
        self.asked.update(asked)
        return asked

    def absorb(self, other: ToolCalls) -> None:
        """Take over what another group's calls tell."""
        self.models |= other.models
        self.asked |= other.asked
        self.executed |= other.executed
        self.answered |= other.answered
        self.inputs |= other.inputs


def _names(operation: AnyOperation) -> tuple[str | None, ...]:
    return (
        operation.name,
        operation.agent,
        operation.agent_version,
        operation.conversation_id,
        operation.error,
    )
