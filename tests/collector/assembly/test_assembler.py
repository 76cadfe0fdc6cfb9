"""When a turn is over: its end marker, a quiet period, the deadline; and what is remembered."""

from dataclasses import dataclass, replace

import pytest

from collector.assembly.assembler import GROUP_SHARE, Assembler
from collector.assembly.closing import close
from collector.assembly.conversations import Conversations
from collector.assembly.footprint import GROUP_SIZE, PLACE_SIZE
from collector.assembly.settings import TurnsConfig
from collector.span import LogRecord, Span
from scorers.turn import Said

SETTINGS = TurnsConfig(quiet_period=10, settle=2, deadline=600, linger=300)


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self):
        return self.now


class Table:
    """An assembler with a clock that tests move, fed with operations of a `Run`."""

    def __init__(self, **settings):
        self.clock = Clock()
        self.assembler = Assembler(SETTINGS.model_copy(update=settings), self.clock)
        self.known = Conversations()

    def add(self, run, *operations, sequence=0):
        return [
            self.assembler.add(
                Span(
                    trace_id=operation.trace_id,
                    span_id=operation.span_id,
                    parent_id=operation.parent_id,
                    start_ns=operation.start_ns,
                    end_ns=operation.end_ns,
                ),
                (operation,),
                sequence,
            )
            for operation in operations
        ]

    def closed(self, after=0.0, **more):
        """Let time pass, and return the turns that are given out then."""
        self.clock.now += after
        turns = []
        for closing in self.assembler.due(**more):
            closed = close(closing, self.known)
            self.assembler.done(closed)
            turns += closed.turns
        return turns


@pytest.fixture
def table():
    return Table()


def usual(run, say):
    wants = say.asks(("c1", "gates", "{}"))
    first = run.call([say.user("Locked?")], wants)
    tool = run.tool("gates", "B: locked", "c1")
    last = run.call([say.user("Locked?"), wants, say.returns("c1", "B: locked")], say.says("Yes."))
    return first, tool, last


def test_end_marker_closes_after_settling(table, run, say):
    table.add(run, *usual(run, say), run.agent())
    assert table.closed(after=1.9) == []
    [turn] = table.closed(after=0.2)
    assert (turn.reply, turn.closed_by) == ("Yes.", "end")
    assert table.closed(after=1000) == [], "a turn is given out once"


def test_children_that_come_after_the_root_are_waited_for(table, run, say):
    first, tool, last = usual(run, say)
    table.add(run, first, run.agent())
    table.clock.now += 1.5
    table.add(run, tool, last)
    assert table.closed(after=1.9) == []
    assert [turn.reply for turn in table.closed(after=0.2)] == ["Yes."]


def test_ended_turns_settle_sooner_while_much_is_open(run, say):
    """To refuse what comes would cost more than a turn that is looked at twice."""
    one = size_of(*usual(run, say), run.agent())
    table = Table(max_open_bytes=10 * one)
    runs = [say.Run(trace=f"{number:032x}") for number in range(7)]
    ended = [(*usual(each, say), each.agent()) for each in runs]
    for operations in ended[:4]:
        table.add(None, *operations)
    assert table.closed(after=0.5) == [], "less than half"
    for operations in ended[4:6]:
        table.add(None, *operations)
    assert len(table.closed(after=0.1)) == 6
    assert table.closed() == []
    assert not table.assembler.agenda.pressed, "what closed turns hold is not open"
    table.add(None, *ended[6])
    assert table.closed(after=0.5) == [], "the usual patience is back"
    assert len(table.closed(after=2)) == 1


def test_a_span_that_comes_after_a_hurried_close_makes_its_turn_again(run, say):
    table = Table(max_open_bytes=10 * size_of(*usual(run, say), run.agent()))
    for number in range(6):
        other = say.Run(trace=f"{number:032x}")
        table.add(other, *usual(other, say))
    first, tool, last = usual(run, say)
    table.add(run, first, last, run.agent())
    [turn] = table.closed(after=0.1)
    assert [result.produced for result in turn.tool_results] == [None]
    table.add(run, tool)
    [again] = table.closed(after=0.1)
    assert again.turn_id == turn.turn_id
    assert [result.produced for result in again.tool_results] == ["B: locked"]


def test_what_closed_turns_hold_goes_as_soon_as_they_are_booked(run, say):
    """Not at the next look: until then senders would be held up for nothing."""
    one = size_of(run.call([say.user("x" * 10_000)], say.says("ok")))
    table = Table(max_open_bytes=4 * one)
    for number in range(4):
        each = say.Run(trace=f"{number:032x}")
        table.add(None, each.call([say.user("x" * 10_000)], say.says("ok"), parent=None))
    table.clock.now += 3
    for closing in table.assembler.due():
        table.assembler.done(close(closing, table.known))
    assert table.assembler.size < 2 * one


def test_root_that_never_comes_closes_by_quiet(table, run, say):
    table.add(run, *usual(run, say))
    assert table.closed(after=9.9) == []
    assert [turn.closed_by for turn in table.closed(after=0.2)] == ["quiet"]


def test_turn_whose_tool_still_runs_waits_for_it(table, run, say):
    """Ten quiet seconds are not the end while the model has asked for a tool."""
    first, tool, last = usual(run, say)
    table.add(run, first)
    assert table.closed(after=120) == []
    table.add(run, tool, last, run.agent())
    [turn] = table.closed(after=3)
    assert (turn.reply, len(turn.tool_results)) == ("Yes.", 1)


def test_deadline_closes_what_never_finishes(table, run, say):
    table.add(run, usual(run, say)[0])
    assert table.closed(after=599) == []
    [turn] = table.closed(after=2)
    assert (turn.closed_by, turn.reply_missing) == ("deadline", "unfinished")


def test_several_turns_of_a_long_trace_are_given_out_one_by_one(table, run, say):
    table.add(run, run.call([say.user("One?")], say.says("1.")))
    assert [turn.request for turn in table.closed(after=11)] == ["One?"]
    history = [say.user("One?"), say.says("1."), say.user("Two?")]
    table.add(run, run.call(history, say.says("2.")))
    assert [turn.request for turn in table.closed(after=11)] == ["Two?"]


def test_second_copy_changes_nothing(table, run, say):
    operations = [*usual(run, say), run.agent()]
    table.add(run, *operations)
    assert table.add(run, *operations) == ["duplicate"] * 4
    assert len(table.closed(after=3)) == 1
    assert table.add(run, *operations) == ["duplicate"] * 4
    assert table.closed(after=1000) == []


def test_more_complete_copy_replaces_the_snapshot(table, run, say):
    first, tool, last = usual(run, say)
    early = Span(
        trace_id=last.trace_id,
        span_id=last.span_id,
        parent_id="root",
        start_ns=last.start_ns,
        end_ns=last.start_ns,
        size=10,
    )
    assert table.assembler.add(early, ()) is None
    table.add(run, first, tool, last, run.agent())
    assert [turn.reply for turn in table.closed(after=3)] == ["Yes."]


def test_late_span_revises_the_turn_under_its_name(table, run, say):
    first, tool, last = usual(run, say)
    table.add(run, first, last, run.agent())
    [before] = table.closed(after=3)
    assert before.tool_results[0].produced is None
    table.add(run, tool)
    [after] = table.closed(after=3)
    assert after.turn_id == before.turn_id
    assert after.tool_results[0].produced == "B: locked"


def test_request_that_comes_late_does_not_rename_the_turn(table, run, say):
    table.add(run, run.call(None, say.says("Yes.")))
    [before] = table.closed(after=11)
    table.add(run, run.agent(input=(say.user("Locked?"),), output=(say.says("Yes."),)))
    [after] = table.closed(after=3)
    assert (before.request, after.request) == (None, "Locked?")
    assert after.turn_id == before.turn_id


def test_calls_in_traces_of_their_own_are_linked(table, run, say):
    other = say.Run(trace="b" * 32, at=2_000)
    wants = say.asks(("ow1", "directory", "{}"))
    table.add(run, run.call([say.user("Hours?")], wants, parent=None))
    assert table.closed(after=60) == []
    table.add(
        other,
        other.call(
            [say.user("Hours?"), wants, say.returns("ow1", "8-18")],
            say.says("8 to 18."),
            parent=None,
        ),
    )
    [turn] = table.closed(after=3)
    assert (turn.request, turn.reply, len(turn.trace_ids)) == ("Hours?", "8 to 18.", 2)


def test_same_tool_call_id_by_chance_links_nothing(table, run, say):
    """Scripted models count `call_1` up anew in every conversation."""
    other = say.Run(trace="b" * 32)
    wants = say.asks(("call_1", "t", "{}"))
    table.add(run, run.call([say.user("Mine?")], wants, parent=None))
    table.add(
        other,
        other.call(
            [say.user("Yours?"), wants, say.returns("call_1", "x")], say.says("Yours."), parent=None
        ),
    )
    assert [(t.request, t.reply) for t in table.closed(after=11)] == [("Yours?", "Yours.")]


def size_of(*operations):
    """The bytes that operations of one trace take."""
    table = Table()
    table.add(None, *operations)
    return table.assembler.size


def test_bytes_are_bounded(run, say):
    one_size = size_of(run.call([say.user("10?")], say.says("ok")))
    table = Table(max_open_bytes=40 * one_size)
    for number in range(10, 70):
        one = say.Run(trace=f"{number:032x}")
        table.clock.now += 0.01
        table.add(one, one.call([say.user(f"{number}?")], say.says("ok")))
    closed = table.closed()
    assert len(closed) == 20, "the oldest close early, no more than needed"
    assert {turn.closed_by for turn in closed} == {"deadline"}
    table.closed()
    assert table.assembler.size <= 40 * one_size


def test_one_giant_trace_is_cut_and_said_to_be(run, say):
    calls = [run.call([say.user("x")], say.says(f"{n:02}")) for n in range(30)]
    table = Table(max_open_bytes=GROUP_SHARE * size_of(*calls[:10]))
    kept = table.add(run, *calls)
    assert kept.count(None) == 10
    assert kept.count("turn_too_large") == 20
    other = say.Run(trace="b" * 32)
    assert table.add(other, other.call([say.user("y")], say.says("z"))) == [None]


def test_closed_turns_are_forgotten_after_lingering(table, run, say):
    table.add(run, *usual(run, say), run.agent())
    table.closed(after=3)
    table.closed(after=301)
    assert (table.assembler.groups, table.assembler.size) == ({}, 0)
    assert len(table.assembler._links) == 0


def test_spans_without_operations_cost_their_place_only(table):
    table.assembler.add(Span(trace_id="a" * 32, span_id="1", size=20_000_000), ())
    assert table.assembler.size == PLACE_SIZE + GROUP_SIZE
    assert table.assembler.add(LogRecord(trace_id="a" * 32, body="x" * 9999, size=9999), ()) is None
    assert table.assembler.size == PLACE_SIZE + GROUP_SIZE


def test_record_of_no_trace_and_no_conversation_is_said_to_be_dropped(table, run, say):
    operation = run.call([say.user("x")], say.says("y"))
    nowhere = replace(operation, trace_id="")
    assert table.assembler.add(LogRecord(), (nowhere,)) == "no_trace_id"
    # What tells nothing of a session that it names is not missed.
    named = LogRecord(attributes={"session.id": "s-1"})
    assert table.assembler.add(named, ()) is None
    assert table.assembler.add(LogRecord(), ()) == "no_trace_id"


def test_everything_is_given_out_at_shutdown(table, run, say):
    table.add(run, usual(run, say)[0])
    [turn] = table.closed(final="shutdown")
    assert (turn.closed_by, turn.reply_missing) == ("shutdown", "unfinished")


def test_traffic_of_something_else_closes_no_turn_early(run, say):
    """A web service in front of the agent sends ten times as many traces without a model call."""
    table = Table(max_open_turns=10)
    table.add(run, usual(run, say)[0])
    for number in range(100):
        table.assembler.add(Span(trace_id=f"{number:032x}", span_id="1"), ())
    assert table.closed() == []
    assert len(table.assembler.groups) == 10
    assert table.assembler.open_count == 1
    table.closed(after=11)
    assert len(table.assembler.groups) == 1


def test_a_repeated_history_is_counted_once(run, say):
    """Readers share the messages that a call repeats."""
    history = [say.user("x" * 50_000)]
    once = size_of(run.call(history, say.says("1")))
    history += [say.says("1"), say.user("go on")]
    assert size_of(*run.operations, run.call(history, say.says("2"))) < once + 5_000


def test_a_text_takes_what_its_widest_character_asks_for(run, say):
    plain = size_of(run.call([say.user("x" * 10_000)], say.says("1")))
    assert size_of(run.call([say.user("x" * 9_999 + "😀")], say.says("1"))) > plain + 29_000


def test_what_closed_turns_hold_goes_before_open_turns_do(run, say):
    sizes = size_of(run.call([say.user("x" * 10_000)], say.says("ok")))
    table = Table(max_open_bytes=20 * sizes)
    runs = [say.Run(trace=f"{number:032x}") for number in range(19)]
    for number, one in enumerate(runs):
        table.clock.now += 1
        call = one.call([say.user("x" * 10_000)], say.says("ok"), parent=None)
        assert table.add(one, call) == [None]
        table.closed()
        if number == 0:
            first, late = call, one.tool("gates", "B: locked", "c1", parent=call.span_id, start=999)
    table.closed(after=3)
    assert table.assembler.size < 10 * sizes, "a quarter, and what has not settled"
    assert len(table.assembler.groups) == 19
    assert table.add(None, first) == ["duplicate"], "it is still known"
    assert table.add(None, late) == ["late"]
    assert table.closed(after=1000) == []


def test_a_long_session_goes_on_and_holds_its_latest_turns_only(table, run, say, monkeypatch):
    monkeypatch.setattr("collector.assembly.retained.MANY_RECORDS", 20)
    history = []
    for number in range(60):
        history += [say.user(f"Question {number}?")]
        table.add(run, run.call(list(history), say.says(f"Answer {number}.")))
        [turn] = table.closed(after=11)
        assert (turn.request, turn.reply) == (f"Question {number}?", f"Answer {number}.")
        assert len(turn.requester.dialog) == 2 * number + 1
        history += [say.says(f"Answer {number}.")]
    [group] = table.assembler.groups.values()
    assert len(group.held) <= 20
    assert table.add(run, run.tool("t", "x", start=1_001)) == ["late"]
    assert table.closed(after=11) == []


def test_a_waiting_turn_is_not_assembled_again_for_what_cant_end_it(table, run, say):
    history = [say.user("Locked?")]
    for number in range(20):
        wants = say.asks((f"c{number}", "gates", "{}"))
        table.add(run, run.call(list(history), wants))
        table.add(run, run.tool("gates", f"B: locked {number}", f"c{number}"))
        table.clock.now += 11
        assert len(table.assembler.due()) == (number == 0)
        if number == 0:
            table.assembler.again(run.trace)
            assert table.closed() == []
        history += [wants, say.returns(f"c{number}", f"B: locked {number}")]
    table.add(run, run.call(history, say.says("Yes.")))
    [turn] = table.closed(after=11)
    assert (turn.model_calls, len(turn.tool_results)) == (21, 20)


def test_a_turn_broken_off_at_the_deadline_is_revised_at_its_end_or_the_next_deadline(
    table, run, say
):
    first, tool, last = usual(run, say)
    table.add(run, first)
    [before] = table.closed(after=601)
    table.add(run, tool)
    assert table.closed(after=60) == []
    [between] = table.closed(after=541)
    assert (between.turn_id, len(between.tool_results)) == (before.turn_id, 1)
    table.add(run, last)
    [after] = table.closed(after=11)
    assert (after.turn_id, after.reply) == (before.turn_id, "Yes.")


def test_a_trace_of_countless_tiny_spans_starves_nobody(table, run, say, monkeypatch):
    monkeypatch.setattr("collector.assembly.open_turns.MOST_RECORDS", 10)
    kept = table.add(run, *[run.call([say.user("x")], say.says(str(n))) for n in range(30)])
    assert (kept.count(None), kept.count("turn_too_large")) == (10, 20)


def test_groups_that_wait_are_not_looked_at(table, run, say, monkeypatch):
    for number in range(50):
        one = say.Run(trace=f"{number:032x}")
        table.add(one, usual(one, say)[0])
    table.closed(after=11)
    looked = []
    monkeypatch.setattr(table.assembler.agenda, "reason", lambda group, _: looked.append(group))
    for _ in range(100):
        table.closed(after=1)
    assert looked == []


def test_moments_that_are_past_do_not_pile_up(run, say):
    table = Table(max_open_turns=5)
    for number in range(3_000):
        one = say.Run(trace=f"{number:032x}")
        table.add(one, one.call([say.user("x")], say.says("y"), parent=None))
        table.closed(after=0.1)
    assert len(table.assembler.agenda._entries) < 2_000


def test_the_lowest_number_of_an_open_group_is_kept(table, run, say):
    first, tool, last = usual(run, say)
    other = say.Run(trace="b" * 32)
    assert table.assembler.oldest_sequence() is None
    table.assembler.add(Span(trace_id="c" * 32, span_id="1"), (), 3)
    assert table.assembler.oldest_sequence() is None, "places of spans pin nothing"
    table.add(run, first, sequence=5)
    table.add(other, other.call([say.user("x")], say.says("y")), sequence=6)
    table.add(run, tool, last, run.agent(), sequence=7)
    table.clock.now += 3
    [closing] = table.assembler.due()
    assert (closing.first_sequence, closing.sequence) == (5, 7)
    assert closing.traces == (run.trace,)
    assert table.assembler.oldest_sequence() == 5, "nothing of it is stored yet"
    closed = close(closing, table.known)
    assert (closed.first_sequence, closed.sequence, closed.traces) == (5, 7, (run.trace,))
    table.assembler.done(closed)
    assert table.assembler.oldest_sequence() == 6


def test_linked_groups_share_their_numbers(table, run, say):
    other = say.Run(trace="b" * 32, at=2_000)
    wants = say.asks(("ow1", "directory", "{}"))
    table.add(run, run.call([say.user("Hours?")], wants, parent=None), sequence=2)
    given = [say.user("Hours?"), wants, say.returns("ow1", "8-18")]
    table.add(other, other.call(given, say.says("8 to 18."), parent=None), sequence=9)
    table.clock.now += 11
    [closing] = table.assembler.due()
    assert (closing.first_sequence, closing.sequence) == (2, 9)
    assert set(closing.traces) == {run.trace, other.trace}


def test_turns_given_out_before_a_restart_keep_their_names(table, run, say):
    table.add(run, run.call(None, say.says("Yes.")))
    table.clock.now += 11
    [closing] = table.assembler.due()
    before = close(closing, table.known)
    agent = run.agent(input=(say.user("Locked?"),), output=(say.says("Yes."),))
    again = Table()
    spans = {name: given.spans for name, given in before.given.items()}
    again.assembler.restore([run.trace, "b" * 32], spans)
    again.add(run, *run.operations[:1], agent)
    [turn] = again.closed(after=11)
    assert turn.request == "Locked?"
    assert turn.turn_id == before.turns[0].turn_id
    assert set(again.assembler.groups) == {run.trace}, "its traces are one group again"


@pytest.mark.parametrize("named", ["tool", "call_id", "agent", "conversation_id", "name"])
def test_names_of_megabytes_count_as_memory(run, named):
    table = Table()
    run.tool("f", "c1", "4")
    (operation,) = run.operations
    table.add(run, replace(operation, **{named: "x" * 100_000}))
    assert table.assembler.size > 100_000


def test_a_conversation_with_a_name_of_megabytes_is_known_by_less():
    known = Conversations()
    for end in "ab":
        name = "x" * 100_000 + end
        known.remember(name, f"turn-{end}", 1, (Said("user", f"Hello {end}"),))
        assert [said.text for said in known.before(name, "next", 2)] == [f"Hello {end}"]
    assert all(len(name) <= 200 for name in known._turns)
