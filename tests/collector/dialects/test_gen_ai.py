import json

from collector.dialects.gen_ai import GenAI
from collector.span import Event, LogRecord, Resource, Scope, Span
from scorers.turn import AgentInvocation, Inference, Usage

TRACE, ID = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
DETAILS = "gen_ai.client.inference.operation.details"
ASKED = json.dumps([{"role": "user", "parts": [{"type": "text", "content": "How many?"}]}])
SAID = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "31."}]}])


def span(attributes, **fields):
    return Span(trace_id=TRACE, span_id=ID, attributes=attributes, **fields)


def read(record):
    assert GenAI().claims(record)
    return list(GenAI().operations(record))


def one(attributes, **fields):
    (operation,) = read(span(attributes, **fields))
    return operation


def test_a_model_call_with_everything():
    call = one(
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "openai",
            "gen_ai.request.model": "m",
            "gen_ai.response.model": "m-2026",
            "gen_ai.response.id": "r1",
            "gen_ai.response.finish_reasons": ["stop"],
            "gen_ai.usage.input_tokens": 9,
            "gen_ai.system_instructions": '[{"type": "text", "content": "Be brief."}]',
            "gen_ai.input.messages": ASKED,
            "gen_ai.output.messages": SAID,
            "gen_ai.tool.definitions": '[{"type": "function", "name": "count"}]',
            "gen_ai.agent.name": "desk",
            "gen_ai.agent.version": "1.4.2",
            "gen_ai.conversation.id": "c1",
        },
        name="chat m",
        start_ns=1,
        end_ns=2,
        parent_id="f" * 16,
        resource=Resource({"service.name": "bot", "deployment.environment": "prod"}),
    )
    assert isinstance(call, Inference)
    assert [(message.role, message.text) for message in call.input] == [
        ("system", "Be brief."),
        ("user", "How many?"),
    ]
    assert call.output[0].text == "31."
    assert (call.provider, call.model, call.response_id) == ("openai", "m-2026", "r1")
    assert (call.agent, call.agent_version, call.conversation_id) == ("desk", "1.4.2", "c1")
    assert (call.service, call.environment) == ("bot", "prod")
    assert (call.tools, call.usage) == (("count",), Usage(input_tokens=9))
    assert call.finish_reasons == ("stop",)
    assert call.capture.hidden is None


def test_content_that_is_not_recorded_is_off_not_lost():
    call = one({"gen_ai.operation.name": "chat"})
    assert (call.input, call.output, call.capture.hidden) == (None, None, "content_off")
    tool = one({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "count"})
    assert (tool.result, tool.capture.hidden) == (None, "content_off")


def test_content_that_was_uploaded_or_dropped_is_not_off():
    uploaded = one(
        {"gen_ai.operation.name": "chat", "gen_ai.input.messages_ref": "s3://bucket/1.json"}
    )
    assert uploaded.capture.hidden == "uploaded"
    dropped = one({"gen_ai.operation.name": "chat"}, dropped=22)
    assert (dropped.capture.hidden, dropped.capture.dropped) == (None, 22)


def test_the_system_prompt_alone_is_no_record_of_what_was_delivered():
    call = one({"gen_ai.operation.name": "chat", "gen_ai.system_instructions": "Be brief."})
    assert call.input is None


def test_a_system_prompt_in_both_places_is_there_once():
    both = [{"role": "system", "parts": [{"type": "text", "content": "Be brief."}]}]
    call = one(
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.system_instructions": "Be brief.",
            "gen_ai.input.messages": json.dumps(both),
        }
    )
    assert len(call.input) == 1


def test_a_tool_call_with_its_result_as_the_tool_made_it():
    result = '{"rows": [1, 2], "note": "cut by the tool'
    tool = one(
        {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "count",
            "gen_ai.tool.call.id": "c1",
            "gen_ai.tool.call.arguments": {"dock": 1},
            "gen_ai.tool.call.result": result,
        }
    )
    assert (tool.tool, tool.call_id, tool.arguments) == ("count", "c1", '{"dock":1}')
    assert tool.result == result
    assert tool.capture.broken == ()
    assert not tool.failed


def test_a_failed_tool_is_not_one_without_content():
    tool = one(
        {"gen_ai.operation.name": "execute_tool", "error.type": "TimeoutError"},
        name="execute_tool charge",
        status=2,
        status_message="gateway timed out",
    )
    assert (tool.tool, tool.failed, tool.result, tool.capture.hidden) == (
        "charge",
        True,
        None,
        None,
    )
    assert "gateway timed out" in tool.error


def test_a_result_in_a_wrapper_brings_its_call_id_and_its_failure():
    tool = one(
        {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "count",
            "gen_ai.tool.call.result": {
                "content": "no such dock",
                "type": "tool",
                "tool_call_id": "c9",
                "status": "error",
            },
        }
    )
    assert (tool.result, tool.call_id, tool.failed) == ("no such dock", "c9", True)


def test_arguments_written_as_python_repr_become_json():
    tool = one(
        {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.arguments": "{'a': None}"}
    )
    assert tool.arguments == '{"a":null}'


def test_agent_runs_and_workflows_are_no_model_calls():
    for operation, kind in (("invoke_agent", "agent"), ("invoke_workflow", "workflow")):
        run = one(
            {
                "gen_ai.operation.name": operation,
                "gen_ai.workflow.name": "billing-bot",
                "gen_ai.input.messages": ASKED,
                "gen_ai.output.messages": SAID,
            }
        )
        assert isinstance(run, AgentInvocation)
        assert (run.kind, run.agent) == (kind, "billing-bot")
        assert (run.input[0].text, run.output[0].text) == ("How many?", "31.")


def test_other_operations_yield_nothing():
    for operation in ("embeddings", "retrieval", "search_memory", "create_agent", "plan", "step"):
        assert (
            read(span({"gen_ai.operation.name": operation, "gen_ai.input.messages": ASKED})) == []
        )


def test_the_span_that_repeats_parallel_tool_calls_is_skipped():
    merged = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "(merged tools)"}
    assert read(span(merged, scope=Scope("gcp.vertex.agent"))) == []


def test_offered_tools_spread_over_attributes_are_no_tool_calls():
    assert not GenAI().claims(span({"gen_ai.tool.0.name": "t0", "gen_ai.tool.0.type": "function"}))


def test_without_an_operation_name_the_other_keys_decide():
    call = one({"gen_ai.request.model": "m", "gen_ai.input.messages": ASKED})
    assert isinstance(call, Inference)
    tool = one({"gen_ai.tool.name": "count", "gen_ai.tool.call.result": "31"})
    assert tool.result == "31"
    assert not GenAI().claims(span({"http.request.method": "POST"}))


def test_details_in_a_log_record_and_in_a_span_event_are_the_same_call():
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": json.loads(ASKED),
        "gen_ai.output.messages": json.loads(SAID),
    }
    log = LogRecord(trace_id=TRACE, span_id=ID, event_name=DETAILS, attributes=attributes)
    in_body = LogRecord(trace_id=TRACE, span_id=ID, event_name=DETAILS, body=attributes)
    event = span({"gen_ai.operation.name": "chat"}, events=(Event(DETAILS, 0, attributes),))
    for record in (log, in_body, event):
        (call,) = read(record)
        assert (call.trace_id, call.span_id) == (TRACE, ID)
        assert (call.input[0].text, call.output[0].text) == ("How many?", "31.")
        assert call.capture.hidden is None


def test_details_without_trace_ids_are_placed_by_conversation_and_response():
    def details(response, time_ns, conversation="c1"):
        attributes = {"gen_ai.response.id": response, "gen_ai.conversation.id": conversation}
        return read(LogRecord(event_name=DETAILS, time_ns=time_ns, attributes=attributes))[0]

    first, again, second = details("r1", 1), details("r1", 1), details("r2", 2)
    assert (first.trace_id, first.span_id) == (again.trace_id, again.span_id)
    assert first.trace_id == second.trace_id
    assert first.span_id != second.span_id
    assert details("r1", 1, "c2").trace_id != first.trace_id
    assert read(LogRecord(event_name=DETAILS)) == []


def test_a_finish_reason_tells_of_tool_calls_that_were_left_out():
    # LiteLLM's spans: {"role": "assistant", "parts": [], "finish_reason": "tool_calls"}.
    message = {"role": "assistant", "parts": [], "finish_reason": "tool_calls"}
    call = one({"gen_ai.operation.name": "chat", "gen_ai.output.messages": json.dumps([message])})
    (part,) = call.output[0].parts
    assert (part.kind, part.cut_by_capture) == ("tool_call", True)
    stopped = [{**message, "finish_reason": "stop"}]
    call = one({"gen_ai.operation.name": "chat", "gen_ai.output.messages": json.dumps(stopped)})
    assert call.output[0].parts == ()


def test_a_list_cut_by_the_sdk_keeps_what_was_complete():
    call = one({"gen_ai.operation.name": "chat", "gen_ai.input.messages": ASKED[:-4]})
    assert call.capture.broken == ("gen_ai.input.messages",)
    assert call.input[0].parts[0].cut_by_capture
