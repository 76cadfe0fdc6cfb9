"""Pydantic AI's spans → operations: what its recorded runs do not hold."""

import json

import pytest

from collector.dialects.pydantic_ai import PydanticAI
from collector.span import Scope, Span

DIALECT = PydanticAI()
INPUT, OUTPUT = "gen_ai.input.messages", "gen_ai.output.messages"
SCRUBBED = "[Scrubbed due to 'session']"


def only(attributes, name="chat m"):
    fields = {"trace_id": "a" * 32, "span_id": "b" * 16, "scope": Scope("pydantic-ai")}
    (operation,) = DIALECT.operations(Span(attributes=attributes, name=name, **fields))
    return operation


def chat(*messages, **more):
    return only({"gen_ai.operation.name": "chat", INPUT: json.dumps(messages), **more})


def message(role, *parts):
    return {"role": role, "parts": list(parts)}


def parts(messages):
    return [(m.role, p.kind, p.id, p.text) for m in messages for p in m.parts]


ASK = message("user", {"type": "text", "content": "Hi"})
CALL = {"type": "tool_call", "id": "c1", "name": "final_result", "arguments": '{"total": 3}'}
TOLD = {"type": "tool_call_response", "id": "c1", "name": "final_result"}


def test_an_accepted_answer_is_a_text_and_its_receipt_nothing():
    receipt = TOLD | {"result": "Final result processed."}
    call = chat(ASK, message("assistant", CALL), message("user", receipt), ASK)
    assert parts(call.input) == [
        ("user", "text", None, "Hi"),
        ("assistant", "text", None, '{"total":3}'),
        ("user", "text", None, "Hi"),
    ]


def test_an_answer_that_was_refused_is_a_call_whose_result_the_model_reads():
    refused = TOLD | {"result": "1 validation error: text: Field required"}
    call = chat(ASK, message("assistant", CALL), message("user", refused))
    assert [kind for _, kind, _, _ in parts(call.input)] == ["text", "tool_call", "tool_result"]


def test_output_tools_are_those_that_the_request_names():
    named = CALL | {"name": "hand_in", "arguments": '{"response": "Done"}'}
    receipt = TOLD | {"name": "hand_in", "result": "Final result processed."}
    parameters = {"output_tools": [{"name": "hand_in", "outer_typed_dict_key": "response"}]}
    said = (ASK, message("assistant", named), message("user", receipt), ASK)
    call = chat(*said, model_request_parameters=json.dumps(parameters))
    assert ("assistant", "text", None, "Done") in parts(call.input)
    other = chat(*said)
    assert ("assistant", "tool_call", "c1", '{"response": "Done"}') in parts(other.input)


def test_messages_without_contents_are_content_off():
    call = chat(
        message("user", {"type": "text"}),
        message("assistant", {"type": "tool_call", "id": "c1", "name": "f"}),
        message("user", {"type": "tool_call_response", "id": "c1", "name": "f"}),
        **{OUTPUT: json.dumps([message("assistant", {"type": "text"})])},
    )
    assert call.capture.hidden == "content_off"
    assert parts(call.input) == [("assistant", "tool_call", "c1", "")]
    assert parts(call.output) == []
    run = only(
        {"pydantic_ai.all_messages": json.dumps([message("user", {"type": "text"})])}, "agent run"
    )
    assert (parts(run.input or ()), run.output, run.capture.hidden) == ([], None, "content_off")


def test_a_tool_without_a_result():
    named = {"gen_ai.tool.name": "f", "gen_ai.tool.call.id": "c1"}
    off = only(named, "running tool")
    assert (off.result, off.capture.hidden) == (None, "content_off")
    # The first versions recorded arguments only.
    early = only(named | {"tool_arguments": "{}"}, "running tool")
    assert (early.result, early.capture.hidden) == (None, None)


def test_scrubbed_arguments_hide_nothing_of_the_result():
    named = {"gen_ai.tool.name": "f", "tool_arguments": json.dumps({"session": SCRUBBED})}
    tool = only(named | {"tool_response": "rows"}, "running tool")
    assert (tool.result, tool.capture.hidden) == ("rows", None)
    hidden = only(named | {"tool_response": SCRUBBED}, "running tool")
    assert (hidden.result, hidden.capture.hidden) == (None, "redacted")


@pytest.mark.parametrize(
    ("final", "replied"),
    [
        ({"calls": [], "approvals": [{"tool_name": "f"}], "metadata": {}}, False),
        ({"calls": 3, "approvals": 1, "open": 2}, True),
        ({"text": "Done"}, True),
    ],
)
def test_a_run_that_waits_for_tools_has_no_reply(final, replied):
    run = only({"gen_ai.operation.name": "invoke_agent", "final_result": json.dumps(final)})
    assert (run.output is not None) is replied
