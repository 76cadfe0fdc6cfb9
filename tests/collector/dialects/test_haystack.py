"""Spans of Haystack's own tracer → operations."""

import json

import pytest

from collector.dialects.haystack import Haystack
from collector.span import LogRecord, Scope, Span
from scorers.turn import AgentInvocation, Inference, ToolExecution

DIALECT = Haystack()
COMPONENT, LLM, TOOL = (
    "haystack.component.run",
    "haystack.agent.step.llm",
    "haystack.agent.step.tool",
)


def said(role, content, meta="{}"):
    role = f"<ChatRole.{role.upper()}: '{role}'>"
    return f"ChatMessage(_role={role}, _content=[{content}], _name=None, _meta={meta})"


CALL = "ToolCall(tool_name='f', arguments={'a': 1}, id='c1', extra=None)"
SYSTEM = said("system", "TextContent(text='Be brief.')")
USER = said("user", 'TextContent(text="What\'s it?")')
ASKED = said("assistant", CALL, "{'finish_reason': 'tool_calls'}")
TOLD = said("tool", f"ToolCallResult(result='{{\"rows\": 1}}', origin={CALL}, error=False)")


def tools(handler):
    function = f"function=<function made.<locals>.f at 0x7f10>, outputs_to_string={handler}"
    named = "name='f', description='F.', parameters={}"
    return f"'tools': [Tool({named}, {function}, inputs_from_state=None)]"


def span(attributes, name=COMPONENT, **fields):
    fields = {"trace_id": "a" * 32, "span_id": "b" * 16, "scope": Scope("haystack")} | fields
    return Span(attributes=attributes, name=name, **fields)


def component(kind, given=None, answer=None, gives="replies", **more):
    attributes = {
        "haystack.component.name": "one",
        "haystack.component.type": kind,
        "haystack.component.output_spec": json.dumps({gives: {"type": "list", "receivers": []}}),
    }
    if given is not None:
        attributes["haystack.component.input"] = given
    if answer is not None:
        attributes["haystack.component.output"] = answer
    return list(DIALECT.operations(span(attributes | more)))


def parts(messages):
    return [(m.role, p.kind, p.id, p.text) for m in messages for p in m.parts]


def reply(text, **meta):
    return json.dumps(
        {"replies": [{"role": "assistant", "meta": meta, "content": [{"text": text}]}]}
    )


@pytest.mark.parametrize(
    ("record", "claimed"),
    [
        (span({"haystack.component.type": "X"}), True),
        (span({"haystack.component.type": "X"}, scope=Scope("my_application")), True),
        (span({}, name=LLM), True),
        (span({}, name="GET /"), False),
        (span({"openinference.span.kind": "CHAIN"}), False),
        (LogRecord(attributes={"haystack.component.type": "X"}), False),
    ],
)
def test_claims(record, claimed):
    assert DIALECT.claims(record) is claimed


def test_a_generator_s_messages_as_reprs():
    given = f"{{'messages': [{SYSTEM}, {USER}, {ASKED}, {TOLD}], {tools(None)}}}"
    meta = {
        "model": "m",
        "finish_reason": "stop",
        "usage": {"prompt_tokens": 7, "completion_tokens": 3},
    }
    (call,) = component("OpenAIChatGenerator", given, reply("Done.", **meta))
    assert isinstance(call, Inference)
    assert parts(call.input) == [
        ("system", "text", None, "Be brief."),
        ("user", "text", None, "What's it?"),
        ("assistant", "tool_call", "c1", '{"a":1}'),
        ("tool", "tool_result", "c1", '{"rows": 1}'),
    ]
    assert parts(call.output) == [("assistant", "text", None, "Done.")]
    assert (call.model, call.tools, call.finish_reasons) == ("m", ("f",), ("stop",))
    assert (call.usage.input_tokens, call.usage.output_tokens) == (7, 3)
    assert call.capture.broken == ()


@pytest.mark.parametrize("under", ["", "_"])
def test_messages_as_json_of_either_version(under):
    result = {
        "result": "rows",
        "origin": {"tool_name": "f", "arguments": {}, "id": "c1"},
        "error": False,
    }
    given = {
        "messages": [
            {f"{under}role": "user", f"{under}content": [{"text": "Hi"}]},
            {
                f"{under}role": "assistant",
                f"{under}content": [
                    {"tool_call": {"tool_name": "f", "arguments": {"a": 1}, "id": "c1"}}
                ],
            },
            {f"{under}role": "tool", f"{under}content": [{"tool_call_result": result}]},
        ]
    }
    (call,) = component("MadeUpChatGenerator", json.dumps(given), reply("Done."))
    assert parts(call.input) == [
        ("user", "text", None, "Hi"),
        ("assistant", "tool_call", "c1", '{"a":1}'),
        ("tool", "tool_result", "c1", "rows"),
    ]


def test_a_prompt():
    given = json.dumps({"prompt": "Say hello.", "system_prompt": "Be brief."})
    answer = json.dumps({"replies": ["Hello"], "meta": [{"model": "m"}]})
    (call,) = component("OpenAIGenerator", given, answer)
    assert parts(call.input) == [
        ("system", "text", None, "Be brief."),
        ("user", "text", None, "Say hello."),
    ]
    assert (parts(call.output), call.model) == ([("assistant", "text", None, "Hello")], "m")


def test_content_off_is_told():
    (call,) = component("OpenAIChatGenerator")
    assert (call.input, call.output, call.capture.hidden) == (None, None, "content_off")
    (step,) = DIALECT.operations(span({}, name=LLM))
    assert (step.input, step.capture.hidden) == (None, "content_off")
    (tool,) = DIALECT.operations(span({"haystack.tool.name": "f"}, name=TOOL))
    assert (tool.tool, tool.result, tool.capture.hidden) == ("f", None, "content_off")


def test_a_repr_that_breaks_off_is_broken():
    given = f"{{'messages': [{SYSTEM}, {USER}, {TOLD}"[:-60]
    (call,) = component("OpenAIChatGenerator", given)
    assert parts(call.input)[-1] == ("user", "text", None, "What's it?")
    assert call.capture.broken == ("haystack.component.input",)


def test_an_object_behind_the_messages_that_can_t_be_read_takes_nothing_from_them():
    given = f"{{'messages': [{USER}], 'state': <State @ 1 <<< >, 'x': 1}}"
    (call,) = component("OpenAIChatGenerator", given)
    assert parts(call.input) == [("user", "text", None, "What's it?")]
    assert call.capture.broken == ()


RESULT = {
    "tool_call_result": {
        "result": "short",
        "origin": {"tool_name": "f", "arguments": {"a": 1}, "id": "c1"},
        "error": False,
    }
}


def invoked(handler, *blocks):
    state = "'state': <haystack.State object at 0x1>"
    given = f"{{'messages': [{ASKED}], {state}, {tools(handler)}}}"
    told = {"tool_messages": [{"role": "tool", "content": [block]} for block in blocks]}
    return component("ToolInvoker", given, json.dumps(told), gives="tool_messages")


def test_what_a_handler_made_of_a_result_is_not_what_the_tool_produced():
    (tool,) = invoked("{'handler': <function made.<locals>.<lambda> at 0x7f>}", RESULT)
    assert isinstance(tool, ToolExecution)
    assert (tool.tool, tool.call_id, tool.arguments) == ("f", "c1", '{"a":1}')
    assert (tool.result, tool.capture.hidden) == (None, "processed")


def test_without_a_handler_the_invoker_hands_on_what_was_produced():
    (tool,) = invoked(None, RESULT)
    assert (tool.result, tool.capture.hidden, tool.failed) == ("short", None, False)
    assert tool.span_id == "b" * 16


def test_parallel_calls_stand_inside_the_invoker_s_span():
    other = json.loads(json.dumps(RESULT))
    other["tool_call_result"] |= {"error": True}
    other["tool_call_result"]["origin"]["id"] = "c2"
    found = invoked(None, RESULT, other)
    assert [(tool.call_id, tool.failed) for tool in found] == [("c1", False), ("c2", True)]
    assert len({tool.span_id for tool in found} | {"b" * 16}) == 3
    assert {tool.parent_id for tool in found} == {"b" * 16}


def test_a_tool_step_of_version_3():
    (tool,) = DIALECT.operations(
        span(
            {
                "haystack.tool.name": "f",
                f"{TOOL}.input": '{"a": 1}',
                f"{TOOL}.output": "rows",
            },
            name=TOOL,
        )
    )
    assert (tool.tool, tool.arguments, tool.result, tool.failed) == ("f", '{"a": 1}', "rows", False)
    (failed,) = DIALECT.operations(
        span({"haystack.tool.name": "f", "haystack.tool.error": True}, name=TOOL)
    )
    assert failed.failed


def test_agents_and_pipelines():
    asked = json.dumps({"messages": [{"role": "user", "content": [{"text": "Hi"}]}]})
    told = json.dumps({"messages": [{"role": "assistant", "content": [{"text": "Hello"}]}]})
    (agent,) = component("Agent", asked, told, gives="messages")
    assert isinstance(agent, AgentInvocation)
    assert (agent.agent, parts(agent.input)) == ("one", [("user", "text", None, "Hi")])
    assert parts(agent.output) == [("assistant", "text", None, "Hello")]
    data = {"haystack.pipeline.input_data": '{"prompt": {"query": "Hi", "top_k": 3}}'}
    (pipeline,) = DIALECT.operations(span(data, name="haystack.pipeline.run"))
    assert (pipeline.kind, parts(pipeline.input)) == ("workflow", [("user", "text", None, "Hi")])
    inner = span(data, name="haystack.pipeline.run", parent_id="c" * 16)
    assert not list(DIALECT.operations(inner))


@pytest.mark.parametrize("kind", ["PromptBuilder", "AnswerBuilder", "InMemoryBM25Retriever"])
def test_other_components_are_nothing(kind):
    assert not component(kind, "{}", "{}", gives="answers")


@pytest.mark.parametrize(
    "value", ["", "{", "{'messages': [", "[1]", "null", "{'a'", 5, None, "<x>"]
)
@pytest.mark.parametrize("kind", ["OpenAIChatGenerator", "ToolInvoker", "Agent"])
def test_nothing_raises(kind, value):
    component(kind, value, value)
