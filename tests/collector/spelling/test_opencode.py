import json

import pytest

from collector.dialects.vercel_ai import VercelAI
from collector.span import Resource, Scope, Span
from scorers.turn import Inference, ToolExecution

OPENCODE = Scope("opencode")
SERVICE = Resource({"service.name": "opencode"})


def read(operation, scope=OPENCODE, **attributes):
    given = {"ai.operationId": operation, "ai.telemetry.functionId": "session.llm"}
    span = Span(
        trace_id="1" * 32,
        span_id="2" * 16,
        name=operation,
        attributes=given | {key.replace("__", "."): value for key, value in attributes.items()},
        scope=scope,
        resource=SERVICE,
    )
    return list(VercelAI().operations(span))


def returned(**metadata):
    result = {"title": "count", "metadata": {"output": "17", **metadata}, "output": "17 open\n"}
    return json.dumps(result)


def tool(result, scope=OPENCODE):
    [found] = read("ai.toolCall", scope, ai__toolCall__name="bash", ai__toolCall__result=result)
    assert isinstance(found, ToolExecution)
    return found


def test_a_tools_output_is_its_result():
    found = tool(returned(truncated=False))
    assert (found.result, found.agent) == ("17 open\n", "opencode")
    assert found.capture.hidden is None


def test_an_output_that_its_wrapper_cut_is_not_what_the_tool_produced():
    found = tool(returned(truncated=True, outputPath="/srv/out"))
    assert found.result is None
    assert found.capture.hidden == "cut_before_recording"


@pytest.mark.parametrize("result", ["17 open", "[1]", '{"output": 7}', '{"title": "x"}', "{"])
def test_other_results_are_read_as_those_of_the_sdk(result):
    assert tool(result).result == tool(result, Scope("ai")).result


def test_a_step_is_no_run_and_a_title_is_an_aside():
    assert read("ai.streamText") == []
    assert len(read("ai.streamText", Scope("ai"))) == 1
    for first, aside in (("You are a title generator. Be brief.", True), ("You code.", False)):
        sent = json.dumps([{"role": "system", "content": first}])
        [call] = read("ai.streamText.doStream", ai__prompt__messages=sent)
        assert isinstance(call, Inference)
        assert call.utility == aside
        assert call.agent == "opencode"
