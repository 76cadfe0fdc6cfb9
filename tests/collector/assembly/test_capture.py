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
