"""Copies of a batch are the same work under other ids: nothing joins them."""

from body import Bodies, Template
from workloads import WORKLOADS

from collector.otlp import decode
from running import Live

AGENT = WORKLOADS["agent, small results"]


def test_every_copy_is_turns_of_its_own():
    bodies = Bodies(AGENT, templates=1)
    sent = [bodies.take() for _ in range(3)]
    live = Live()
    for body in sent:
        live.pipeline.consume(decode("traces", "protobuf", bytes(body.content())))
    live.close("quiet")
    turns = [entry.turn for entry in live.entries]
    assert {trace for turn in turns for trace in turn.trace_ids} == {
        trace for body in sent for trace in body.trace_ids()
    }
    assert [len(turn.inferences) for turn in turns] == [5] * 30
    assert [len(turn.tool_results) for turn in turns] == [4] * 30
    assert live.pipeline.spans == 300
    assert not live.observer.left_out


def test_a_copy_keeps_its_texts():
    (batch,) = AGENT.batches(1)
    template = Template(batch)
    one, other = template.content(1), template.content(2)
    different = sum(a != b for a, b in zip(one, other, strict=True))
    assert 0 < different < len(batch) // 100
