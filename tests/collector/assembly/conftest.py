"""A small language for the operations of a run, so that a test reads like the run it is about."""

from dataclasses import dataclass, field

import pytest

from collector.assembly.material import Material
from collector.assembly.turns import assemble
from scorers.turn import AgentInvocation, Inference, Message, Part, ToolExecution, Usage

SECOND = 1_000_000_000


def user(text):
    return Message("user", (Part("text", text),))


def system(text):
    return Message("system", (Part("text", text),))


def says(text):
    return Message("assistant", (Part("text", text),), finish_reason="stop")


def asks(*calls, text=""):
    """An assistant message that asks for tools: `asks(("id", "tool", '{"a": 1}'))`."""
    said = (Part("text", text),) if text else ()
    parts = tuple(Part("tool_call", given, call_id, name) for call_id, name, given in calls)
    return Message("assistant", said + parts, finish_reason="tool_call")


def returns(call_id, text, name=None):
    return Message("tool", (Part("tool_result", text, call_id, name),))


@dataclass
class Run:
    """Adds operations to one trace, a second apart, and assembles them."""

    trace: str = "a" * 32
    at: int = 1_000
    operations: list = field(default_factory=list)
    parents: dict = field(default_factory=dict)
    count: int = 0

    def _next(self, parent, span=None, start=None, seconds=1):
        self.count += 1
        span = span or f"{self.count:016x}"
        start = self.at if start is None else start
        self.at = max(self.at, start + seconds)
        self.parents[(self.trace, span)] = (self.trace, parent) if parent else None
        return {
            "trace_id": self.trace,
            "span_id": span,
            "parent_id": parent,
            "start_ns": start * SECOND,
            "end_ns": (start + seconds) * SECOND,
            "dialect": "test",
            "service": "desk",
        }

    def call(self, given, answer, parent="root", **more):
        place = {key: more.pop(key) for key in ("span", "start", "seconds") if key in more}
        output = None if answer is None else (answer,)
        inputs = None if given is None else tuple(given)
        operation = Inference(
            **self._next(parent, **place),
            input=inputs,
            output=output,
            usage=more.pop("usage", Usage(10, 2)),
            **more,
        )
        self.operations.append(operation)
        return operation

    def tool(self, name, result, call_id=None, parent="root", **more):
        place = {key: more.pop(key) for key in ("span", "start", "seconds") if key in more}
        operation = ToolExecution(
            **self._next(parent, **place), tool=name, result=result, call_id=call_id, **more
        )
        self.operations.append(operation)
        return operation

    def agent(self, name="desk-agent", span="root", parent=None, start=1_000, **more):
        seconds = more.pop("seconds", max(self.at - start, 1))
        operation = AgentInvocation(
            **self._next(parent, span=span, start=start, seconds=seconds), agent=name, **more
        )
        self.operations.append(operation)
        return operation

    def material(self):
        return Material(list(self.operations), dict(self.parents))

    def turns(self, **more):
        return assemble(self.material(), **more)

    def turn(self, **more):
        [turn] = self.turns(**more)
        return turn


@pytest.fixture
def run():
    return Run()


@pytest.fixture
def say():
    """The words of the language: `say.user("…")`, `say.asks(("id", "tool", "{}"))` …"""

    class Words:
        pass

    words = Words()
    for name, word in {
        "user": user,
        "system": system,
        "says": says,
        "asks": asks,
        "returns": returns,
    }.items():
        setattr(words, name, word)
    words.Run = Run
    return words
