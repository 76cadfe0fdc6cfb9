"""What is remembered of the shapes of records: those of libraries, not what somebody makes up."""

from collector.dialect import Dialects
from collector.dialects import DIALECTS
from collector.span import Scope, Span


def fitting(dialects, keys, scope="library"):
    span = Span(trace_id="1" * 32, span_id="1" * 16, attributes=keys, scope=Scope(scope))
    return dialects.fitting(span)


def test_a_shape_is_looked_at_once():
    dialects = Dialects(DIALECTS)
    first = fitting(dialects, {"gen_ai.operation.name": "chat"})
    assert first
    assert fitting(dialects, {"gen_ai.operation.name": "embed"}) is first


def test_names_of_megabytes_are_not_remembered():
    dialects = Dialects(DIALECTS)
    for number in range(3):
        name = f"{number}" + "x" * 100_000
        assert fitting(dialects, {"gen_ai.operation.name": "chat", name: "x"})
        fitting(dialects, {}, scope=name)
    assert dialects._fitting == {}
