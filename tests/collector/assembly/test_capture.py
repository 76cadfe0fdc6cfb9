"""What counts as cut by the instrumentation: different texts that end at one length."""

from scorers.turn import Capture

LIMIT = 100


def results(run, say, *texts, broken=()):
    """A turn in which each text is produced by a tool and delivered as it is."""
    given = [say.user("Look.")]
    for number, text in enumerate(texts):
        wants = say.asks((f"c{number}", "look", "{}"))
        lengths = [len(part.text) for message in given for part in message.parts]
        run.call(given, wants, capture=Capture(lengths=tuple(lengths), broken=broken))
        run.tool("look", text, f"c{number}", capture=Capture(lengths=(len(text),), broken=broken))
        given = [*given, wants, say.returns(f"c{number}", text)]
    lengths = [len(part.text) for message in given for part in message.parts]
    run.call(given, say.says("Done."), capture=Capture(lengths=tuple(lengths), broken=broken))
    return [result.capture_cut for result in run.turn().tool_results]


def test_one_text_told_again_in_every_call_is_no_limit(run, say):
    """In flattened dialects each message is an attribute of every later call."""
    assert results(run, say, "x" * LIMIT, "short", "shorter") == [None, None, None]


def test_different_texts_that_end_at_one_length_were_cut(run, say):
    texts = [letter * LIMIT for letter in "abc"]
    assert results(run, say, *texts, "short") == ["attribute_length_limit"] * 3 + [None]


def test_a_longer_text_shows_that_there_is_no_limit(run, say):
    texts = [letter * LIMIT for letter in "abc"]
    assert results(run, say, *texts, "y" * (LIMIT + 1)) == [None] * 4


def test_short_texts_of_one_length_are_no_evidence(run, say):
    assert results(run, say, "aa", "bb", "cc") == [None, None, None]


def test_the_request_behind_what_was_cut_off_is_not_the_one_before(run, say):
    """A turn whose trace begins with messages that end early, behind work of an earlier turn."""
    wants = say.asks(("c1", "look", "{}"))
    given = [say.user("How much is it?"), wants, say.returns("c1", "A lot of mo")]
    run.call(given, say.says("In euro."), capture=Capture(broken=("gen_ai.input.messages",)))
    turn = run.turn()
    assert (turn.request, turn.request_missing) == (None, "attribute_length_limit")
    assert turn.reply == "In euro."
    assert turn.tool_results == ()


def test_the_request_that_stands_last_is_this_turns_though_cut_off(run, say):
    given = [say.user("How much is it, and wh")]
    run.call(given, say.says("In euro."), capture=Capture(broken=("gen_ai.input.messages",)))
    assert run.turn().request == "How much is it, and wh"
