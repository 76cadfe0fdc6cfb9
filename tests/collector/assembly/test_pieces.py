"""Model calls, tools and turns whose records stand in no span of their own."""

import random

import pytest

from collector.assembly.material import Material
from collector.assembly.turns import assemble
from collector.dialect import Opening, Piece
from scorers.delivery.result import deliver
from scorers.turn import Capture, Message, Part, ToolExecution, Usage

TRACE = "a" * 32
SECOND = 1_000_000_000


def said(role, text):
    return (Message(role, (Part("text", text),)),)


def opening(at, text, span, end=None):
    return Opening(trace_id=TRACE, span_id=span, start_ns=at, end_ns=end or at,
                   conversation_id="s-1", input=said("user", text) if text else None)  # fmt: skip


def piece(kind, at, *marks, lane="", parent=None, end=None, **told):
    span = f"{kind}{at}{lane}"
    return Piece(trace_id=TRACE, span_id=span, parent_id=parent, start_ns=at, end_ns=end or at,
                 kind=kind, lane=lane, marks=marks, conversation_id="s-1", **told)  # fmt: skip


def tool(at, span, **told):
    told = {"tool": "shell", "start_ns": at - 1, "end_ns": at, **told}
    return ToolExecution(trace_id=TRACE, span_id=span, conversation_id="s-1", **told)


def turns(*operations, parents=None):
    return assemble(Material(list(operations), dict(parents or {})))


def usage(count):
    return Usage(count, 1)


def test_request_answer_and_tokens_are_one_call():
    [turn] = turns(
        opening(1, "How many?", "o1"),
        piece("request", 2, "body=b1", input=said("user", "How many?")),
        piece("usage", 4, "request=r1", usage=usage(7)),
        piece("answer", 5, "body=b1", "request=r1", output=said("assistant", "17.")),
        piece("text", 6, "request=r1", output=said("assistant", "17.")),
    )
    assert (turn.request, turn.reply) == ("How many?", "17.")
    assert (turn.model_calls, turn.input_tokens) == (1, 7)


def test_without_any_ids_the_order_of_a_lane_tells_calls_apart():
    [turn] = turns(
        opening(1, "How many?", "o1"),
        piece("request", 2, input=said("user", "How many?")),
        piece("usage", 3, usage=usage(7)),
        piece("request", 4, input=said("user", "How many?")),
        piece("usage", 5, usage=usage(8)),
        piece("text", 6, output=said("assistant", "17.")),
    )
    assert (turn.model_calls, turn.input_tokens, turn.reply) == (2, 15, "17.")


def test_lanes_that_overlap_are_calls_of_their_own():
    [turn] = turns(
        opening(1, "How many?", "o1"),
        piece("request", 2, lane="", input=said("user", "How many?")),
        piece("request", 3, lane="title", input=said("user", "Name it."), utility=True),
        piece("text", 4, lane="title", output=said("assistant", "Tickets"), utility=True),
        piece("text", 5, lane="", output=said("assistant", "17.")),
    )
    assert (turn.request, turn.reply, turn.model_calls) == ("How many?", "17.", 2)


def test_a_span_takes_what_was_logged_in_it():
    operations = (
        opening(1, "How many?", "o1", end=9),
        piece("span", 2, "request=r1", end=5, parent="o1", usage=usage(7)),
        piece("request", 2, "body=b1", parent="o1", input=said("user", "How many?")),
        piece("answer", 5, "body=b1", "request=r1", parent="o1", output=said("assistant", "17.")),
    )
    parents = {(TRACE, "o1"): None, (TRACE, "span2"): (TRACE, "o1")}
    [turn] = turns(*operations, parents=parents)
    assert turn.model_calls == 1
    assert turn.reply_span_id == "span2"


def test_each_opening_is_a_turn_with_what_follows_it():
    found = turns(
        opening(10, "How many?", "o1"),
        piece("usage", 11, "time=11", usage=usage(1)),
        tool(12, "t1", call_id="c1"),
        piece("usage", 13, "time=13", usage=usage(2)),
        opening(20, "Really?", "o2"),
        piece("usage", 21, "time=21", usage=usage(4)),
    )
    assert [(t.request, t.model_calls, t.input_tokens) for t in found] == [
        ("How many?", 2, 3),
        ("Really?", 1, 4),
    ]
    assert [len(turn.tool_results) for turn in found] == [1, 0]
    assert {turn.reply_missing for turn in found} == {"output_not_recorded"}


def test_what_names_its_opening_belongs_to_it_whatever_the_time():
    found = turns(
        opening(10, "How many?", "o1"),
        opening(20, "Really?", "o2"),
        piece("text", 30, parent="o1", lane="late", output=said("assistant", "17.")),
        piece("text", 25, parent="o2", output=said("assistant", "Yes.")),
    )
    assert [(turn.request, turn.reply) for turn in found] == [
        ("How many?", "17."),
        ("Really?", "Yes."),
    ]


def test_a_prompt_logged_within_its_span_is_one_opening():
    operations = (
        opening(10, "How many?", "o1", end=40),
        opening(11, "How many?", "logged"),
        piece("text", 30, parent="logged", output=said("assistant", "17.")),
    )
    [turn] = turns(*operations, parents={(TRACE, "o1"): None})
    assert (turn.request, turn.reply) == ("How many?", "17.")


def test_a_message_while_the_work_goes_on_does_not_take_the_requests_place():
    operations = (
        opening(10, "How many?", "o1", end=40),
        opening(20, "And please tell me about the closed ones too.", "queued"),
        piece("text", 30, parent="o1", output=said("assistant", "17.")),
    )
    [turn] = turns(*operations, parents={(TRACE, "o1"): None})
    assert (turn.request, turn.reply) == ("How many?", "17.")


def test_a_prompt_left_out_of_its_span_is_taken_from_its_log_record():
    operations = (
        opening(10, None, "o1", end=40),
        opening(11, "How many?", "logged"),
        piece("text", 30, parent="o1", output=said("assistant", "17.")),
    )
    [turn] = turns(*operations, parents={(TRACE, "o1"): None})
    assert (turn.request, turn.reply) == ("How many?", "17.")


def test_an_opening_by_a_harness_goes_on_with_the_turn():
    note = "<task-notification>\nAgent done\n</task-notification>"
    [turn] = turns(
        opening(10, "How many?", "o1"),
        piece("text", 11, parent="o1", output=said("assistant", "I will tell you.")),
        opening(20, note, "o2"),
        piece("text", 21, parent="o2", output=said("assistant", "17.")),
    )
    assert (turn.request, turn.reply, turn.model_calls) == ("How many?", "17.", 2)


def test_a_prompt_alone_is_an_unfinished_turn():
    [turn] = turns(opening(1, "How many?", "o1"))
    assert (turn.request, turn.reply, turn.reply_missing) == ("How many?", None, "unfinished")


def test_tokens_without_a_prompt_are_no_turn():
    assert turns(piece("usage", 11, "time=11", usage=usage(1))) == []


def test_the_order_of_arrival_does_not_matter():
    operations = [
        opening(1, "How many?", "o1"),
        piece("request", 2, "body=b1", input=said("user", "How many?")),
        piece("usage", 4, "request=r1", usage=usage(7)),
        piece("answer", 5, "body=b1", "request=r1", output=said("assistant", "17.")),
        opening(20, "Really?", "o2"),
        piece("request", 22, "body=b2", input=said("user", "Really?")),
        piece("answer", 25, "body=b2", output=said("assistant", "Yes.")),
        tool(3, "t1", call_id="c1"),
    ]
    expected = turns(*operations)
    assert len(expected) == 2
    for seed in range(20):
        random.Random(seed).shuffle(operations)
        assert turns(*operations) == expected


@pytest.mark.parametrize("log_id", ["c1", None])
@pytest.mark.parametrize("span_id", ["c1", None])
def test_a_tool_and_its_log_record_are_one(log_id, span_id):
    log_arguments = '{"a":1}' if log_id is None and span_id is None else None
    parents = {(TRACE, "t1"): (TRACE, "o1"), (TRACE, "t2"): (TRACE, "o1"), (TRACE, "o1"): None}
    other = "c2" if span_id else None
    [turn] = turns(
        opening(1, "How many?", "o1", end=99),
        tool(10 * SECOND, "t1", call_id=span_id, arguments='{"a":1}', result="17"),
        tool(20 * SECOND, "t2", call_id=other, arguments='{"a":2}', result="18"),
        tool(10 * SECOND, "log", call_id=log_id, arguments=log_arguments, delivered_size=2,
             size_unit="bytes"),
        parents=parents,
    )  # fmt: skip
    assert [result.produced for result in turn.tool_results] == ["17", "18"]
    assert [result.delivered_size for result in turn.tool_results] == [2, None]


def test_a_result_shorter_than_what_was_produced_is_not_what_was_produced():
    operations = (
        opening(1, "How many?", "o1"),
        tool(5, "t1", call_id="c1", result="x" * 100, produced_size=900, size_unit="characters"),
        piece("request", 9, input=(
            *said("user", "How many?"),
            Message("assistant", (Part("tool_call", "{}", "c1", "shell"),)),
            Message("tool", (Part("tool_result", "x" * 100, "c1"),)),
        )),
    )  # fmt: skip
    [turn] = turns(*operations)
    [result] = turn.tool_results
    assert result.produced is None
    verdict = deliver(result)
    assert verdict.state == "lower_bound"
    assert verdict.reason.startswith("cut_before_recording")
    assert verdict.kept_characters is None


def test_no_more_tokens_are_delivered_than_the_next_call_read():
    def states(read):
        [turn] = turns(
            opening(1, "How many?", "o1"),
            piece("usage", 2, "time=2", usage=usage(5)),
            tool(5, "t1", call_id="c1", produced_size=20_000, size_unit="tokens",
                 capture=Capture(hidden="telemetry_preview")),
            piece("usage", 9, "time=9", usage=usage(read)),
        )  # fmt: skip
        return deliver(turn.tool_results[0])

    assert states(9_000).state == "lower_bound"
    assert states(19_500).state == "unobservable"
    assert states(None).reason == "telemetry_preview"


def test_what_is_said_beside_a_tool_call_is_not_the_reply():
    [turn] = turns(
        opening(1, "How many?", "o1"),
        piece("usage", 2, "request=r1", parent="o1", usage=usage(5)),
        piece("text", 3, "request=r1", parent="o1", output=said("assistant", "I count them.")),
        tool(5, "t1", call_id="c1", parent_id="o1"),
        piece("usage", 8, "request=r2", parent="o1", usage=usage(6)),
        piece("text", 9, "request=r2", parent="o1", output=said("assistant", "17.")),
    )
    assert (turn.reply, turn.model_calls, len(turn.tool_results)) == ("17.", 2, 1)
