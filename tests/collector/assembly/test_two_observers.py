"""One call told by several instrumentations, each in its own tree: it is one call all the same."""

import pytest

from collector.assembly.combine import combine, told_once
from collector.assembly.duplicates import one_record_each, one_run_each, siblings
from collector.assembly.material import Tree, key_of
from scorers.turn import AgentInvocation, Inference, Message, Part, ToolExecution

TRACE = "0af7651916cd43dd8448eb211c80319c"
ASKED = Message("user", (Part("text", "How many?"),))
SAID = Message("assistant", (Part("text", "31."),))


def asking(*calls):
    return Message("assistant", tuple(Part("tool_call", "{}", id=i, name=n) for i, n in calls))


def result(text, call_id=None):
    return Message("tool", (Part("tool_result", text, id=call_id),))


def call(span_id, dialect, start, end, *, said=SAID, given=(ASKED,), **more):
    return Inference(
        trace_id=TRACE, span_id=span_id, dialect=dialect, start_ns=start, end_ns=end,
        input=given, output=(said,), **more,
    )  # fmt: skip


def tool(span_id, dialect, start, end, **more):
    given = {"tool": "count", "call_id": "c1", "result": "31"} | more
    return ToolExecution(
        trace_id=TRACE, span_id=span_id, dialect=dialect, start_ns=start, end_ns=end, **given
    )


def run(span_id, dialect, start, end):
    return AgentInvocation(
        trace_id=TRACE, span_id=span_id, dialect=dialect, start_ns=start, end_ns=end
    )


def tree_of(*operations, **parents):
    return Tree(
        operations,
        {key_of(one): (TRACE, parents[one.span_id]) if one.span_id in parents else None
         for one in operations},
    )  # fmt: skip


def test_callbacks_of_two_dialects_end_in_the_order_in_which_they_began():
    one = call("a", "openinference", 0, 100)
    other = call("b", "gen_ai", 5, 103, given=(Message("system"), ASKED))
    assert [merged.span_id for merged in siblings([one, other])] == ["a"]


@pytest.mark.parametrize(
    "other",
    [
        call("b", "openinference", 5, 103),  # a batch of one instrumentation
        call("b", "gen_ai", 95, 190),  # hardly at the same time
        call("b", "gen_ai", 200, 290),
        call("b", "gen_ai", 5, 103, said=Message("assistant", (Part("text", "32."),))),
    ],
)
def test_other_calls_stay_apart(other):
    given = (ASKED, SAID, ASKED)
    one = call("a", "openinference", 0, 100, given=given)
    assert len(siblings([one, other])) == 2


def test_a_tool_in_two_trees_is_one_call():
    one = tool("a", "openinference", 0, 100, call_id=None, arguments="{}")
    twins = [tool("b", "openinference", 0, 100), tool("c", "gen_ai", 2, 101, arguments="{}")]
    assert len(one_record_each(twins, tree_of(*twins))) == 1
    parallel = [tool("b", "gen_ai", 0, 100), tool("c", "gen_ai", 2, 101, call_id="c2")]
    assert len(one_record_each(parallel, tree_of(*parallel))) == 2
    unknown = [one, tool("c", "gen_ai", 2, 101)]
    assert len(one_record_each(unknown, tree_of(*unknown))) == 2


def test_a_run_whose_calls_another_dialect_told_is_left_out():
    full, empty = run("a", "gen_ai", 0, 100), run("b", "openinference", 1, 101)
    inside = call("c", "gen_ai", 10, 20)
    tree = tree_of(full, empty, inside, c="a")
    assert one_run_each([full, empty], [inside], tree) == [full]
    # Nobody else told of what this one did.
    assert one_run_each([full, empty], [], tree) == [full, empty]
    later = run("d", "openinference", 300, 400)
    tree = tree_of(full, later, inside, c="a")
    assert one_run_each([full, later], [inside], tree) == [full, later]


def test_an_empty_run_of_the_same_dialect_stays():
    full, empty = run("a", "gen_ai", 0, 100), run("b", "gen_ai", 1, 101)
    inside = call("c", "gen_ai", 10, 20)
    assert len(one_run_each([full, empty], [inside], tree_of(full, empty, inside, c="a"))) == 2


def test_ids_that_one_record_leaves_out_come_from_the_other():
    with_ids = (ASKED, asking(("c1", "count")), result("31", "c1"))
    without = (ASKED, asking((None, "count")), result("31 and more"))
    merged = combine(
        call("a", "openlit", 0, 9, given=without), call("b", "gen_ai", 1, 8, given=with_ids)
    )
    assert [part.id for message in merged.input[1:] for part in message.parts] == ["c1", "c1"]
    assert merged.input[2].parts[0].text == "31 and more"


def test_ids_of_other_calls_are_not_taken():
    one = (ASKED, asking((None, "count")))
    for other in (asking(("c1", "weigh")), asking(("c1", "count"), ("c2", "count"))):
        merged = combine(
            call("a", "openlit", 0, 9, given=one, said=one[1]),
            call("b", "gen_ai", 1, 8, given=None, said=other),
        )
        assert [part.id for part in merged.input[1].parts] == [None]


def test_a_result_told_as_the_tools_and_as_the_users_is_one():
    told = (ASKED, result("31", "c1"), result("31", "c1"), result("32", "c1"))
    assert told_once(told) == (ASKED, told[1], told[3])
    # Without an id, two alike may be two results.
    assert len(told_once((result("31"), result("31")))) == 2
