from collector.span import LogRecord, Span
from collector.spelling.placed import InSession, placed, span_of, trace_of


def test_a_record_with_ids_stays_where_it_is():
    span = Span(trace_id="1" * 32, span_id="2" * 16)
    record = LogRecord(trace_id="1" * 32, span_id="2" * 16, attributes={"session.id": "s"})
    assert placed(span) is span
    assert placed(record) is record


def test_a_record_without_ids_stands_by_its_conversation_else_its_session_else_its_response():
    keys = ("gen_ai.conversation.id", "session.id", "gen_ai.response.id")
    given = {key: key for key in keys}
    for at, key in enumerate(keys):
        found = placed(LogRecord(time_ns=5, attributes={k: given[k] for k in keys[at:]}))
        assert found is not None
        assert found.trace_id == trace_of(key)
        assert len(found.trace_id) == 32
        assert len(found.span_id) == 16
    assert placed(LogRecord(time_ns=5, attributes={"model": "lab"})) is None


def test_records_of_one_session_are_told_apart():
    record = LogRecord(time_ns=5, attributes={"session.id": "s", "prompt.id": "p"})
    place = InSession.of(record, "prompt.id")
    assert place is not None
    assert place.parent_id == span_of("s", "p")
    assert place.fields("usage", 1)["span_id"] != place.fields("usage", 2)["span_id"]
    assert place.fields("usage", 1) == place.fields("usage", 1)
    assert InSession.of(LogRecord(attributes={"prompt.id": "p"}), "prompt.id") is None
