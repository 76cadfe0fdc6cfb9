"""Properties of turns, over generated conversations of several requesters at once."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from conversations import WHOLE, plans, written
from running import entries_of, in_order, run_requests, turns_of
from traces import BASE, SECOND

CUTS = (WHOLE, 0.25, 0.5, 0.8)
ANY = (*CUTS, 0.0)
examples = settings(max_examples=25)
several = st.lists(plans(ANY), min_size=1, max_size=3)


@examples
@given(several, st.integers(1, 5), st.randoms(use_true_random=False))
def test_order_split_and_copies_change_nothing(generated, parts, chance):
    spans, _ = written(generated)
    expected = in_order(run_requests(spans))
    sent = spans * chance.choice([1, 2])
    chance.shuffle(sent)
    requests = [sent[start::parts] for start in range(parts)]
    assert in_order(run_requests(*[spans for spans in requests if spans])) == expected


@examples
@given(several, st.sampled_from([0, 1, SECOND]), st.randoms(use_true_random=False))
def test_nor_does_the_order_where_clocks_tell_little(generated, resolution, chance):
    """Every time 0, or the same, or in whole seconds."""
    spans, _ = written(generated)
    for span in spans:
        for key in ("startTimeUnixNano", "endTimeUnixNano"):
            exact = int(span[key])
            whole = exact // SECOND * SECOND if resolution == SECOND else BASE * resolution
            span[key] = str(whole)
    expected = in_order(run_requests(spans))
    chance.shuffle(spans)
    assert in_order(run_requests(spans)) == expected


@examples
@given(several)
def test_requests_and_replies_are_those_of_the_conversations(generated):
    spans, exchanges = written(generated)
    found = Counter((turn.request, turn.reply) for turn in turns_of(spans))
    assert found == Counter((exchange.request, exchange.reply) for exchange in exchanges)


@examples
@given(several)
def test_every_executed_call_is_in_the_turn_that_made_it_once(generated):
    spans, exchanges = written(generated)
    found = {
        turn.reply: Counter(result.produced for result in turn.tool_results)
        for turn in turns_of(spans)
    }
    assert found == {
        exchange.reply: Counter(result.produced for result in exchange.results)
        for exchange in exchanges
    }


@examples
@given(several)
def test_no_tool_text_in_requester_context(generated):
    spans, exchanges = written(generated)
    rows = {
        row
        for exchange in exchanges
        for result in exchange.results
        for row in result.produced.splitlines()
    }
    for turn in turns_of(spans):
        said = [turn.request or "", *(said.text for said in turn.requester.dialog)]
        texts = said + [file.text for file in turn.requester.files]
        assert not [row for row in rows for text in texts if row in text]


@examples
@given(several)
def test_model_calls_and_tokens_are_counted_once(generated):
    spans, exchanges = written(generated)
    found = {
        turn.reply: (turn.model_calls, turn.input_tokens, turn.output_tokens)
        for turn in turns_of(spans)
    }
    assert found == {
        exchange.reply: (exchange.model_calls, exchange.input_tokens, exchange.output_tokens)
        for exchange in exchanges
    }


@examples
@given(st.lists(plans(ANY), min_size=1, max_size=2))
def test_states_are_those_of_the_deliveries(generated):
    spans, exchanges = written(generated)
    pairs = {
        result.produced: delivery.as_pair()
        for entry in entries_of(spans)
        for result, delivery in zip(entry.turn.tool_results, entry.deliveries, strict=True)
    }
    for exchange in exchanges:
        for result in exchange.results:
            pair = pairs[result.produced]
            if result.delivered is None:
                assert pair["state"] in {"dropped", "unobservable"}, pair
            elif result.delivered == result.produced:
                assert pair["state"] == "intact", pair
            else:
                assert pair["state"] == "cut", pair
                assert pair["kept_characters"] == len(result.delivered), pair
