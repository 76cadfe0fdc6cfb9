"""`tellback.tool.produced_size`: what a harness states of its tools, whatever the dialect."""

from dataclasses import replace

import pytest
from agents import SHAPES, Run, Step, pairs

from collector.stated import PRODUCED_SIZE

TEXT = "\n".join(f"line {n}: {n * 7919 % 100_003} units on shelf {n % 13}" for n in range(200))


def stated(shape, delivered, size, *, produced=None):
    """A run whose harness states a size on its tool's span, in place of the result by default."""
    records = []
    for record in SHAPES[shape](Run([Step("fetch", TEXT, delivered)])).write():
        held = dict(record.attributes)
        if TEXT in held.values():
            for key in [key for key, value in held.items() if value == TEXT]:
                if key.startswith("gen_ai.tool") or key == "output.value":
                    held[PRODUCED_SIZE] = size
                    if produced is None:
                        del held[key]
        records.append(replace(record, attributes=held))
    return pairs(records)["fetch"]


@pytest.mark.parametrize("shape", ["JsonList", "FlattenedRaw", "LogEvents"])
def test_the_content_need_not_travel(shape):
    pair = stated(shape, TEXT[:1500], len(TEXT))
    assert (pair["state"], pair["produced_characters"]) == ("lower_bound", len(TEXT))
    assert pair["delivered_characters"] == 1500
    assert f"{len(TEXT)} characters were produced and at most 1500 delivered" in pair["reason"]
    pair = stated(shape, TEXT, len(TEXT))
    assert (pair["state"], pair["kept_characters"]) == ("intact", len(TEXT))
    assert stated(shape, TEXT, 100)["state"] == "unobservable"


def test_nothing_longer_than_the_cut_may_be_a_limit():
    """Where the longest value of all ends at 1,500 characters, an SDK may have cut it there."""
    pair = stated("Flattened", TEXT[:1500], len(TEXT))
    assert (pair["state"], pair["reason"]) == ("unobservable", "attribute_length_limit")
    assert pair["produced_characters"] == len(TEXT)


def test_a_recorded_result_is_compared():
    pair = stated("JsonList", TEXT[:1500], len(TEXT) + 9, produced=TEXT)
    assert (pair["state"], pair["kept_characters"]) == ("cut", 1500)


def test_a_recorded_result_that_is_less_than_stated_was_cut_before():
    """The tool's own wrapper shortened it: both sides are alike, and a part is lost."""
    pair = stated("JsonList", TEXT, 99_999, produced=TEXT)
    assert (pair["state"], pair["produced_characters"]) == ("lower_bound", 99_999)
    assert pair["reason"].startswith("cut_before_recording; 99999 characters were produced")


def test_a_size_written_as_text_is_a_size():
    assert stated("JsonList", TEXT[:1500], str(len(TEXT)))["state"] == "lower_bound"


@pytest.mark.parametrize("size", [True, -5, "many", "", "9" * 40, 2**70, 3.5, None, [1], {"a": 1}])
def test_what_is_no_size_states_nothing(size):
    pair = stated("JsonList", TEXT[:1500], size)
    assert (pair["state"], pair["produced_characters"]) == ("unobservable", None)
