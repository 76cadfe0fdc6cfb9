import json

from collector.span import Scope, Span
from collector.spelling.crew import crew_member, crew_request

CREWAI = Scope(name="openinference.instrumentation.crewai")


def span(scope=CREWAI, **attributes):
    return Span(trace_id="1" * 32, span_id="2" * 16, scope=scope, attributes=attributes)


def test_a_crew_is_asked_for_its_first_task():
    tasks = json.dumps([{"description": "Count the herons."}, {"description": "Then sum up."}])
    [asked] = crew_request(span(crew_tasks=tasks))
    assert (asked.role, asked.text) == ("user", "Count the herons.")
    [asked] = crew_request(span(**{"crewai.crew.tasks": "[{'agent': 'x', 'description': 'It\\'s'"}))
    assert asked.text == "It's"
    for other in (None, "", "[]", "[1]", '[{"description": 5}]', "[{"):
        assert crew_request(span(crew_tasks=other)) is None


def test_the_agent_of_a_task_is_called_by_its_role():
    for given in ("id=UUID('1') role='counter' goal='role='", {"role": "counter"}):
        assert crew_member(span(**{"input.value": json.dumps({"agent": given})})) == "counter"
    for given in (None, "Count.", "[]", json.dumps({"agent": "role="}), json.dumps({"agent": 5})):
        assert crew_member(span(**{"input.value": given})) is None
    assert crew_member(span(scope=Scope(), **{"input.value": '{"agent": {"role": "x"}}'})) is None
