"""No text that a tool produced can reach what a reader is given.

Proved three ways: the types keep the two apart, a property test plants a canary in every place a
tool's text can stand, and every recorded run of every dialect is searched.
"""

from dataclasses import fields

import pytest
from hypothesis import given as examples
from hypothesis import settings
from hypothesis import strategies as st

from collector.assembly.assembler import Assembler
from collector.assembly.closing import close
from collector.assembly.conversations import Conversations
from collector.assembly.material import Material
from collector.assembly.settings import TurnsConfig
from collector.assembly.turns import assemble
from collector.dialects import DIALECTS
from collector.receivers.file import read
from recorded import SHARED, shared
from scorers.turn import (
    AgentInvocation,
    File,
    Inference,
    Message,
    Part,
    RequesterContext,
    Said,
    ToolExecution,
)

CANARY = "CANARY-7f3a-this-text-came-out-of-a-tool-and-nobody-said-it"


def test_the_requester_context_has_no_place_for_private_text():
    assert {field.name for field in fields(RequesterContext)} == {"dialog", "files"}
    assert {field.name for field in fields(Said)} == {"role", "text"}
    assert {field.name for field in fields(File)} == {"name", "text"}


def tool_texts():
    """Ways in which libraries write a delivered tool result."""
    result = st.sampled_from([CANARY, f"first line\n{CANARY}\nlast line", f'{{"a": "{CANARY}"}}'])
    return result.flatmap(
        lambda text: st.sampled_from(
            [
                Message("tool", (Part("tool_result", text, "c1"),)),
                Message("tool", (Part("tool_result", text),)),
                Message("user", (Part("tool_result", text, "c1"),)),
                Message("user", (Part("text", f"Observation:\n{text}"),)),
                Message("user", (Part("text", text),)),
                Message("user", (Part("text", f"Tool result: {text}"),)),
                Message("user", (Part("text", "note"), Part("tool_result", text, "c1"))),
                Message("unknown", (Part("tool_result", text, "c1"),)),
                Message("system", (Part("text", text),)),
                Message("user", (Part("text", f"<system-reminder>{text}</system-reminder> ok"),)),
                Message("assistant", (Part("reasoning", text),)),
                Message("assistant", (Part("text", text), Part("tool_call", "{}", "c2", "t"))),
            ]
        )
    )


@settings(max_examples=150, deadline=None)
@examples(
    st.lists(tool_texts(), min_size=1, max_size=4),
    st.booleans(),
    st.booleans(),
    st.permutations(range(4)),
)
def test_a_tools_text_never_becomes_the_requesters(told, later_turn, with_agent, order):
    question = Message("user", (Part("text", "What is it?"),))
    wants = Message("assistant", (Part("tool_call", "{}", "c1", "lookup"),))
    history = [question, wants, *told]
    if later_turn:
        history += [
            Message("assistant", (Part("text", "It is blue."),)),
            Message("user", (Part("text", "And now?"),)),
        ]
    place = {"trace_id": "a" * 32, "parent_id": "root", "dialect": "test"}
    answer = (Message("assistant", (Part("text", "Blue."),), finish_reason="stop"),)
    operations = [
        Inference(span_id="1", start_ns=10, end_ns=20, input=(question,), output=(wants,), **place),
        ToolExecution(
            span_id="2",
            start_ns=30,
            end_ns=40,
            tool="lookup",
            call_id="c1",
            result=f"first line\n{CANARY}\nlast line",
            **place,
        ),
        Inference(
            span_id="3", start_ns=50, end_ns=60, input=tuple(history), output=answer, **place
        ),
    ]
    if with_agent:
        operations.append(
            AgentInvocation(
                **{**place, "parent_id": None},
                span_id="root",
                start_ns=1,
                end_ns=99,
                input=tuple(history),
                output=answer,
            )
        )
    operations = [operations[at] for at in order if at < len(operations)]
    parents = {
        (o.trace_id, o.span_id): (o.trace_id, o.parent_id) if o.parent_id else None
        for o in operations
    }
    for turn in assemble(Material(operations, parents), conversations=Conversations()):
        shown = [said.text for said in turn.requester.dialog]
        assert not [text for text in shown if CANARY in text]
        assert CANARY not in (turn.request or "")
        if later_turn:
            assert turn.request in ("What is it?", "And now?")


def runs():
    folder = SHARED / "data" / "dialects"
    found = sorted(path.name for path in folder.glob("*/")) if folder.exists() else []
    return found or ["(absent)"]


@pytest.mark.parametrize("name", runs())
def test_recorded_runs(name):
    """In real telemetry of every dialect, no line a tool returned stands in the requester's
    context, unless the requester or an earlier reply said it."""
    folder = shared("data", "dialects", name)
    assembler = Assembler(TurnsConfig(), lambda: 0.0)
    for batch in read(folder):
        for record in batch.records:
            claimed = next((d for d in DIALECTS if d.claims(record)), None)
            assembler.add(record, tuple(claimed.operations(record)) if claimed else ())
    known = Conversations()
    for closing in assembler.due(final="quiet"):
        for turn in close(closing, known).turns:
            asked = [said.text for said in turn.requester.dialog if said.role == "user"]
            for result in turn.tool_results:
                for side in (result.produced or "", result.delivered or ""):
                    for at in range(0, max(len(side) - 40, 0), 40):
                        piece = side[at : at + 40]
                        assert not any(piece in text for text in asked), (result.tool, piece)
