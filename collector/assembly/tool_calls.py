"""What the model calls and tools of a group tell about each other, noted as they come."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from collector.assembly.material import Key, key_of
from collector.dialect import AnyOperation, MessageEvent
from scorers.turn import AgentInvocation, Inference, Message, ToolExecution


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
    inputs: dict[int, tuple[Message, ...]] = field(default_factory=dict)

    def fresh(self, operation: AnyOperation) -> tuple[Message, ...]:
        """Return the messages of an operation's input that no earlier call of its chain had."""
        if not isinstance(operation, Inference | AgentInvocation) or not operation.input:
            return ()
        given = operation.input
        before = self.inputs.get(id(given[0]))
        # Readers share the messages that a call repeats: where the last is the same, all are.
        if before is None or len(before) > len(given) or given[len(before) - 1] is not before[-1]:
            return given
        return given[len(before) :]

    def note(self, operation: AnyOperation, fresh: tuple[Message, ...]) -> list[str]:
        """Note which calls an operation asks for, executes or answers, of whose input only some
        messages are `fresh`. Returns the ids of the calls it asks for."""
        made: Iterable[Message] = ()
        if isinstance(operation, Inference):
            made = operation.output or ()
            self.models.add(key_of(operation))
            for message in reversed(fresh):
                if message.role == "user":
                    break
                self.answered.update(p.id for p in message.of_kind("tool_result") if p.id)
            if operation.input:
                self.inputs[id(operation.input[0])] = operation.input
        elif isinstance(operation, ToolExecution):
            if operation.call_id:
                self.executed.add(operation.call_id)
        elif isinstance(operation, MessageEvent) and operation.side == "output":
            made = (operation.message,)
        asked = [p.id for m in made for p in m.parts if p.kind == "tool_call" and p.id]
        self.asked.update(asked)
        return asked

    def absorb(self, other: ToolCalls) -> None:
        """Take over what another group's calls tell."""
        self.models |= other.models
        self.asked |= other.asked
        self.executed |= other.executed
        self.answered |= other.answered
        self.inputs |= other.inputs
